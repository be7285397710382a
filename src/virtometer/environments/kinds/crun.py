"""crun: an ordinary container, made by a runtime in C.

crun 1.8 takes a cgroup2 that is mounted beside the controllers of v1 for the place of its containers and fails. It
runs in a mount namespace without that mount.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from virtometer.environments.parts.oci import container_of
from virtometer.environments.parts.oci_environment import OciEnvironment
from virtometer.host.own_mounts import hide_bare_cgroup2, without_bare_cgroup2
from virtometer.host.owned.journal import Resource
from virtometer.programs import Words


class Crun(OciEnvironment):
    """The same namespaces and cgroups as of other OCI runtimes."""

    kind: ClassVar[str] = "crun"
    title: ClassVar[str] = "crun"
    meaning: ClassVar[str] = "an ordinary container by a runtime in C, with a network of its own"
    program: ClassVar[str] = "crun"
    package: ClassVar[str] = "crun"
    container: ClassVar[Resource] = container_of("crun", without_bare_cgroup2)
    resources: ClassVar[tuple[Resource, ...]] = (container,)

    def runtime(self, mounts: Sequence[Words] = ()) -> Words:
        """Crun where it sees no bare cgroup2."""
        return super().runtime([*hide_bare_cgroup2(), *mounts])
