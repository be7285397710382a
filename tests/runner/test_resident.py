"""What a guest that lives has on the laboratory's side: servers at their first use, gone when it stops."""

from pathlib import Path

import pytest

from tests.runner.conftest import Rogue, RogueSettings
from virtometer.environments.base import Environment, LabContext, Settings
from virtometer.environments.native import Native
from virtometer.errors import EnvironmentFailed
from virtometer.model import Limits, PlanEnvironment
from virtometer.runner.resident import Resident


def start(environment: Environment, settings: Settings) -> Resident:
    plan = PlanEnvironment(name="guest", kind=environment.kind)
    return Resident.start(environment, plan, settings, "resident", Limits())


def test_servers_start_at_their_first_use_and_end_with_the_guest(lab: LabContext) -> None:
    environment = Native(lab)
    resident = start(environment, environment.settings_type())
    try:
        peer, clock = resident.peer(lab), resident.reference_clock(lab)
        assert resident.peer(lab) is peer
        assert resident.reference_clock(lab) is clock
        processes = [one.guest.process for one in (peer, clock)]
        servers = [Path(f"/proc/{process.pid}") for process in processes if process is not None]
        assert len(servers) == 2
        assert all(path.exists() for path in servers)
    finally:
        resident.stop()
    assert not any(path.exists() for path in servers)
    resident.stop()  # a second time is no error


def test_without_a_network_the_kinds_own_reason_is_told(lab: LabContext) -> None:
    resident = start(Rogue(lab), RogueSettings())
    try:
        for server in (resident.peer, resident.reference_clock):
            with pytest.raises(EnvironmentFailed, match="a rogue has no network"):
                server(lab)
    finally:
        resident.stop()
