"""Of how many bits the agent in a guest is, where the kernel of the host runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from virtometer import installation
from virtometer.environments.base import LabContext, Settings
from virtometer.errors import EnvironmentFailed


class AgentBits(Settings):
    """Settings of kinds whose guests run a program of either size."""

    bits: Literal[64, 32] = Field(
        default=64,
        description="of the agent: 64 is the one of the host, 32 the one for i686, of wheels or `make targets`",
    )

    def agent(self, lab: LabContext) -> Path:
        """The agent's binary. Raises EnvironmentFailed where the one of 32 bits is not built."""
        if self.bits == 64:
            return lab.agent
        if lab.agent_32 is None:
            raise EnvironmentFailed(installation.no_agent("of 32 bits"), advice=installation.make("targets"))
        return lab.agent_32
