"""What a guest that lives has on the laboratory's side: servers at their first use, gone when it stops."""

from pathlib import Path

import pytest

from tests.runner.conftest import Rogue, RogueSettings
from virtometer.environments.base import Environment, LabContext, Settings
from virtometer.environments.kinds.native import Native
from virtometer.errors import EnvironmentFailed
from virtometer.model import Limits, PlanEnvironment
from virtometer.runner.guests.running import RunningGuest


def start(environment: Environment, settings: Settings) -> RunningGuest:
    plan = PlanEnvironment(name="guest", kind=environment.kind)
    return RunningGuest.start(environment, plan, settings, "running-guest", Limits())


def test_servers_start_at_their_first_use_and_end_with_the_guest(lab: LabContext) -> None:
    environment = Native(lab)
    running_guest = start(environment, environment.settings_type())
    try:
        peer, clock = running_guest.peer(lab), running_guest.reference_clock(lab)
        assert running_guest.peer(lab) is peer
        assert running_guest.reference_clock(lab) is clock
        processes = [one.guest.process for one in (peer, clock)]
        servers = [Path(f"/proc/{process.pid}") for process in processes if process is not None]
        assert len(servers) == 2
        assert all(path.exists() for path in servers)
    finally:
        running_guest.stop()
    assert not any(path.exists() for path in servers)
    running_guest.stop()  # a second time is no error


def test_without_a_network_the_kinds_own_reason_is_told(lab: LabContext) -> None:
    running_guest = start(Rogue(lab), RogueSettings())
    try:
        for server in (running_guest.peer, running_guest.reference_clock):
            with pytest.raises(EnvironmentFailed, match="a rogue has no network"):
                server(lab)
    finally:
        running_guest.stop()
