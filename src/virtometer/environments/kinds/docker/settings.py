"""Settings of containers that a Docker daemon makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from virtometer.environments.base import LabContext
from virtometer.environments.parts.container import ContainerSettings

_SOCKET = re.compile(r"(unix://)?/[^\0\n,]+|[a-z]+://\S+")
_RUNTIME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_CAPABILITY = re.compile(r"ALL|(CAP_)?[A-Z][A-Z0-9_]*")


def _socket(value: str) -> str:
    if not _SOCKET.fullmatch(value):
        raise ValueError("the socket of a daemon must be a full path, such as /var/run/docker.sock")
    return value


def _runtime(value: str) -> str:
    if not _RUNTIME.fullmatch(value):
        raise ValueError("a runtime must be named as the daemon names it, such as runc")
    return value


def _capability(value: str) -> str:
    if not _CAPABILITY.fullmatch(value):
        raise ValueError("a capability must be named as in capabilities(7), such as NET_RAW")
    return value


Capability = Annotated[str, Field(max_length=60), AfterValidator(_capability)]


class DockerSettings(ContainerSettings):
    """Limits, the size of the agent, the root directory, and how the daemon makes the container."""

    host_network: ClassVar[str] = "host"
    bridge_network: ClassVar[str] = "bridge"

    socket: Annotated[str, Field(max_length=500), AfterValidator(_socket)] | None = Field(
        default=None,
        description="path of the daemon's socket. Without it, the one that the program docker would use: DOCKER_HOST, "
        "the context, or /var/run/docker.sock",
    )
    runtime: Annotated[str, Field(max_length=100), AfterValidator(_runtime)] | None = Field(
        default=None,
        description="the runtime that makes the container, as the daemon names it, such as runc, crun, runsc or kata. "
        "Without it, the daemon's default",
    )
    network: Literal["laboratory", "bridge", "host", "none"] = Field(
        default="laboratory",
        description="laboratory: a veth pair on the laboratory's bridge, as other containers have; bridge: Docker's "
        "own default bridge; host: that of the host; none: no network",
    )
    channel: Literal["auto", "socket", "attach"] = Field(
        default="auto",
        description="how messages reach the agent; socket: a unix socket in a mounted directory; attach: standard "
        "input and output, which the daemon copies; auto: socket where the runtime allows it, else attach",
    )
    seccomp: bool = Field(
        default=True, description="Docker's default filter of system calls, through which each system call goes"
    )
    capabilities: Annotated[tuple[Capability, ...], Field(max_length=64)] | None = Field(
        default=None,
        description="the capabilities of the container, such as [NET_RAW]; [] for none, [ALL] for all. Without it, "
        "Docker's default",
    )

    @property
    def layered(self) -> bool:
        """Never here: the daemon makes a layer over each container's image."""
        return False

    def require_own_layer(self, lab: LabContext, shared: Path) -> None:
        """See whether the host has what guests share."""
        self.binds(shared)
