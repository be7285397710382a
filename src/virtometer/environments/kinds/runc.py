"""runc: an ordinary container, by the reference of OCI runtimes."""

from __future__ import annotations

from typing import ClassVar

from virtometer.environments.parts.oci import container_of
from virtometer.environments.parts.oci_environment import OciEnvironment
from virtometer.host.owned.journal import Resource


class Runc(OciEnvironment):
    """The reference of OCI runtimes, written in Go."""

    kind: ClassVar[str] = "runc"
    title: ClassVar[str] = "runc"
    meaning: ClassVar[str] = "an ordinary container with namespaces, cgroups and a network of its own"
    program: ClassVar[str] = "runc"
    package: ClassVar[str] = "runc"
    container: ClassVar[Resource] = container_of("runc")
    resources: ClassVar[tuple[Resource, ...]] = (container,)
