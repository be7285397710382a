"""What kinds that make containers of the host's own kernel share: settings, capabilities, check and images."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from virtometer.environments.base import Check, Environment, Lacks, Settings
from virtometer.environments.parts.agent_bits import AgentBits
from virtometer.environments.parts.limits import CgroupLimits, no_limits, require_limits
from virtometer.environments.parts.process_guest import check_with_network
from virtometer.environments.parts.root_settings import RootSettings


class ContainerSettings(RootSettings, AgentBits, CgroupLimits):
    """Limits, the size of the agent, and the root directory."""


class Container(Environment):
    """A subclass starts the agent in the root directory of its settings, with a network of its own. It needs root."""

    unlike_in_slices: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"os signal-catch": "signals in a container change between two speeds every few milliseconds"}
    )
    by_launcher: ClassVar[bool] = True
    usual_overhead_s: ClassVar[float] = 0.15
    settings_type: ClassVar[type[Settings]] = ContainerSettings

    def lacks(self) -> Lacks:
        """Limits, where this user cannot make cgroups."""
        return Lacks(cpu_limit=no_limits(), memory_limit=no_limits())

    def check(self) -> Check:
        """Start a container."""
        return self.check_with(self.settings_type())

    def check_with(self, settings: Settings) -> Check:
        """Start a container with these settings."""
        return check_with_network(self, settings)

    def prepare(self, settings: Settings) -> None:
        """Build the root file system. Raises EnvironmentFailed where this host cannot have these settings."""
        assert isinstance(settings, ContainerSettings)
        self.program_file()
        require_limits(settings, self.lab.processors)
        settings.prepare_root(self.lab, settings.agent(self.lab))
