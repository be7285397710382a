"""What placements use, and where they are told to find it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from tests.waiting import wait_until
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.native import Native
from virtometer.model import FailureKind, Limits, Placement, PlanEnvironment
from virtometer.runner.execution.conversation import Conversation
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.services import Service, Services
from virtometer.runner.guests.running import RunningGuest
from virtometer.workloads.base import Endpoint
from virtometer.workloads.registry import WORKLOADS


@pytest.fixture
def services(lab: LabContext) -> Services:
    return Services(lab, Conversation(Limits(), 0.01), Limits())


@pytest.fixture
def guest(lab: LabContext) -> Iterator[RunningGuest]:
    environment = Native(lab)
    plan = PlanEnvironment(name="guest", kind=environment.kind)
    running_guest = RunningGuest.start(environment, plan, environment.settings_type(), "served-guest", Limits())
    yield running_guest
    running_guest.stop()


def work(name: str, op: str, **parameters: Any) -> Any:
    return WORKLOADS[name].work(op, WORKLOADS[name].parameters.model_validate(parameters), 1, 1.0)


def asked(
    services: Services, guest: Any, of: Any, *, uses: tuple[int, ...] = (), servers: Mapping[int, Service] | None = None
) -> Any:
    """What the agent of a placement is asked."""
    one: Any = SimpleNamespace(placement=Placement("guest", "w", uses=uses), running_guest=guest, work=of)
    services.address(one, servers or {})
    return one.parameters


class Served:
    """A service that answers at some endpoints."""

    def __init__(self, *endpoints: Endpoint) -> None:
        self._endpoints = endpoints

    def endpoints(self) -> tuple[Endpoint, ...]:
        return self._endpoints

    def stop(self) -> None: ...


def test_those_of_the_laboratory_start_at_their_first_use_and_end_with_the_guest(
    services: Services, guest: RunningGuest
) -> None:
    assert asked(services, guest, work("linpack", "classic", size=50)) == {"size": 50} and not services.processes
    first = asked(services, guest, work("net", "stream"))
    assert first["peer"].startswith("127.0.0.1:") and len(services.processes) == 1
    by_tcp, by_udp = (asked(services, guest, work("linpack", "classic", time_server=way)) for way in ("tcp", "udp"))
    assert by_tcp["time-server"].startswith("127.0.0.1:") and by_udp["time-server"].startswith("udp:127.0.0.1:")
    assert asked(services, guest, work("net", "stream")) == first
    servers = services.processes
    assert len(servers) == 2 and all(server.alive() for server in servers)
    guest.stop()
    assert not services.processes and not any(server.alive() for server in servers)


def test_one_that_has_ended_fails_the_trial_and_its_guest_is_not_used_again(
    services: Services, guest: RunningGuest
) -> None:
    of = work("linpack", "classic", time_server="tcp")
    asked(services, guest, of)
    (server,) = services.processes
    for pid in server.processes():
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not server.alive())
    with pytest.raises(TrialFailed, match="the time server ended early") as caught:
        asked(services, guest, of)
    assert caught.value.failure.kind is FailureKind.START and list(caught.value.broken) == [guest]


def test_a_placement_uses_several_others_and_the_laboratory_serves_what_they_do_not_offer(
    services: Services, guest: RunningGuest
) -> None:
    peer = Served(Endpoint("peer", "net", "10.0.0.2:7"))
    clock = Served(Endpoint("time-server", "tcp", "10.0.0.3:8"), Endpoint("time-server", "udp", "udp:10.0.0.3:9"))
    of, servers = work("linpack", "classic", time_server="udp"), {1: peer, 2: clock}
    assert asked(services, guest, of, uses=(1, 2), servers=servers)["time-server"] == "udp:10.0.0.3:9"
    assert asked(services, guest, work("net", "stream"), uses=(1,), servers=servers) == {"peer": "10.0.0.2:7"}
    assert not services.processes
    assert asked(services, guest, of, uses=(1,), servers=servers)["time-server"].startswith("udp:127.0.0.1:")
    assert len(services.processes) == 1


def test_a_disk_is_a_device_or_a_file(services: Services) -> None:
    def place(path: str) -> Any:
        own = SimpleNamespace(
            disk=SimpleNamespace(path=path), find_program=lambda name: None, command_defaults=lambda user: None
        )
        return SimpleNamespace(guest=own)

    assert asked(services, place("/data/disk"), work("disk", "random-read"))["file"] == "/data/disk"
    assert asked(services, place("/data/disk"), work("disk", "write"))["file"].startswith("/data/disk.")
    with pytest.raises(TrialFailed, match="has the disk as the device /dev/vda") as caught:
        asked(services, place("/dev/vda"), work("disk", "write"))
    assert caught.value.failure.kind is FailureKind.UNAVAILABLE


def test_programs_of_an_image_come_before_those_of_the_host(services: Services) -> None:
    own = SimpleNamespace(
        disk=SimpleNamespace(path="/disk"),
        find_program=lambda name: f"/image/{name}",
        command_defaults=lambda user: None,
    )
    assert asked(services, SimpleNamespace(guest=own), work("fio", "random-read"))["program"] == "/image/fio"
    own.find_program = lambda name: None
    assert asked(services, SimpleNamespace(guest=own), work("fio", "random-read"))["program"] == "fio"
