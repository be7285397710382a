"""The host itself: the agent as an ordinary process. What every other kind is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from virtometer.environments.base import (
    Capabilities,
    Check,
    DiskTarget,
    Environment,
    Guest,
    NetworkPath,
    Settings,
    Workbench,
    host_cache,
)
from virtometer.environments.host_programs import refusals
from virtometer.environments.process_guest import ProcessGuest, check_by_starting

LOOPBACK = NetworkPath(kind="loopback", host_address="127.0.0.1", peer_address="127.0.0.1", namespace=None)


class NativeSettings(Settings):
    """Native has no knobs."""


class Native(Environment):
    """No virtualization: the baseline. Accounted in the same way as all others."""

    kind: ClassVar[str] = "native"
    title: ClassVar[str] = "native"
    meaning: ClassVar[str] = "the host itself, with the agent as an ordinary process"
    settings_type: ClassVar[type[Settings]] = NativeSettings
    program: ClassVar[str] = "virtometer-agent"

    def program_file(self) -> Path:
        """The agent itself."""
        return self.bench.agent

    def capabilities(self) -> Capabilities:
        """Everything but limits."""
        return Capabilities(
            disk=True, network=True, several_guests=True, cpu_limit=False, memory_limit=False, settings=()
        )

    def check(self) -> Check:
        """Start the agent."""
        return check_by_starting(self, NativeSettings())

    def prepare(self, settings: Settings) -> None:
        """Nothing to prepare."""

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent with its channel on two pipes."""
        with ProcessGuest.starting(self.bench, guest_id) as guest:
            guest.disk = disk_as_file(self.bench)
            guest.network = LOOPBACK
            # What no guest can be given may still run on the host itself.
            guest.refused_programs = refusals(one for one in self.bench.host_programs if one.path is None)
            guest.launch([self.bench.agent, "stdio"], purpose=f"native guest {guest_id}")
        return guest


def disk_as_file(bench: Workbench, inside: str = "") -> DiskTarget | None:
    """The campaign's disk file reached by plain system calls of the host's kernel, under the name it has `inside`."""
    if bench.disk_file is None:
        return None
    conditions = {"disk_path": "file", **host_cache(bench.disk_file)}
    return DiskTarget(inside or str(bench.disk_file), conditions)
