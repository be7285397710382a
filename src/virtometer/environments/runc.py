"""runc: an ordinary container, as docker starts it."""

from __future__ import annotations

from typing import ClassVar

from virtometer.environments.journal import Resource
from virtometer.environments.oci import container_of
from virtometer.environments.oci_environment import OciEnvironment


class Runc(OciEnvironment):
    """The reference of OCI runtimes, written in Go."""

    kind: ClassVar[str] = "runc"
    title: ClassVar[str] = "runc"
    meaning: ClassVar[str] = "an ordinary container with namespaces, cgroups and a network of its own"
    program: ClassVar[str] = "runc"
    package: ClassVar[str] = "runc"
    container: ClassVar[Resource] = container_of("runc")
    resources: ClassVar[tuple[Resource, ...]] = (container,)
