"""The host itself: the agent as an ordinary process. What every other kind is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from virtometer.environments.base import (
    Capabilities,
    Check,
    Environment,
    Guest,
    Namespace,
    Settings,
    disk_as_file,
)
from virtometer.environments.host_programs import refusals
from virtometer.environments.process_guest import ProcessGuest, check_by_starting


class NativeSettings(Settings):
    """Native has only what every kind has."""


class Native(Environment):
    """No virtualization: the baseline. Accounted in the same way as all others."""

    kind: ClassVar[str] = "native"
    title: ClassVar[str] = "native"
    meaning: ClassVar[str] = "the host itself, with the agent as an ordinary process"
    settings_type: ClassVar[type[Settings]] = NativeSettings
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ()
    usual_start_s: ClassVar[float] = 0.05
    usual_overhead_s: ClassVar[float] = 0.15
    program: ClassVar[str] = "virtometer-agent"
    several_agents: ClassVar[bool] = True

    def program_file(self) -> Path:
        """The agent itself."""
        return self.lab.agent

    def capabilities(self) -> Capabilities:
        """Everything but limits."""
        return Capabilities(
            disk=True,
            network=True,
            several_guests=True,
            cpu_limit=False,
            memory_limit=False,
            settings=tuple(NativeSettings.model_fields),
        )

    def check(self) -> Check:
        """Start the agent."""
        return check_by_starting(self, NativeSettings())

    def prepare(self, settings: Settings) -> None:
        """Nothing to prepare."""

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent with its channel on two pipes."""
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            guest.disk = disk_as_file(self.lab)
            namespace = guest.join_network()
            # What no guest can be given may still run on the host itself.
            guest.refused_programs = refusals(one for one in self.lab.host_programs if one.path is None)
            guest.launch(
                [self.lab.agent, "stdio"], purpose=f"native guest {guest_id}", namespace=namespace, inherits=True
            )
        return guest

    def add_agent(self, guest: Guest, settings: Settings, guest_id: str) -> Guest:
        """Another process of the host."""
        return self.start(settings, guest_id)
