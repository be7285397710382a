"""What placements use: servers in the guests of the trial, and those that the laboratory has beside a guest.

A service is ready once it is made. Those of a trial end with it, those beside a guest with the guest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from virtometer.environments.base import Guest, LabContext, NetworkPath
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, LinkError, UsageError
from virtometer.link.channel import Channel
from virtometer.link.messages import Done, Failed, Ready
from virtometer.link.session import Session
from virtometer.model import FailureKind, Limits
from virtometer.runner.execution.conversation import Conversation, guarded
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.placement_run import PlacementRun, guests_of
from virtometer.runner.guests.running import RunningGuest
from virtometer.time_server.process import ReferenceClock
from virtometer.workloads.base import Endpoint, Place


class Service(Protocol):
    """Something that answers those who use it."""

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Where a guest that uses it from now on reaches it. Raises LinkError where it has ended."""

    def stop(self) -> None:
        """End it. Idempotent."""


class Peer:
    """An agent on the laboratory's side of a guest's network path, serving connections."""

    def __init__(self, lab: LabContext, guest_id: str, path: NetworkPath, limits: Limits) -> None:
        """Start the agent in the path's network namespace and wait until it listens."""
        with ProcessGuest.starting(lab, f"{guest_id}-p") as guest:
            purpose = f"network peer of {guest_id}"
            guest.launch([lab.agent, "stdio"], purpose=purpose, namespace=path.namespace)
            self._session = session = Session(Channel(guest.stream), purpose)
            session.greet(limits.answer_s)
            run = {"run": "serve", "kernel": "net", "op": "serve", "threads": 1, "cpus": None, "seconds": 1.0}
            session.request("prepare", run | {"parameters": {"listen": f"{path.host_address}:0"}}, limits.answer_s)
            event = session.next_event(limits.answer_s)
            if isinstance(event, Failed):
                raise LinkError(f"the network peer cannot listen on {path.host_address}: {event.error.message}")
            if not isinstance(event, Ready):
                raise LinkError("the network peer did not say where it listens")
            session.request("start", {"run": "serve"}, limits.answer_s)
            self._endpoint = _endpoint(path.peer_address, event.conditions)
        self.guest = guest

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Its only one. What it reports while it serves is thrown away: the measuring end counts."""
        self._session.begin_run()
        while (event := self._session.next_event(0.0)) is not None:
            if isinstance(event, Failed | Done):
                raise LinkError("the network peer ended early")
        return (self._endpoint,)

    def stop(self) -> None:
        """End the peer. Idempotent."""
        self._session.close()
        self.guest.stop()


class GuestPeer:
    """The agent of a guest, serving connections as a placement of its trial."""

    def __init__(self, one: PlacementRun, among: Sequence[PlacementRun], agents: Conversation, limits: Limits) -> None:
        """Have it listen at the address that other guests reach, and wait until it does.

        `among`: the services of its trial, some of which may be in the same guest.
        """
        self._one, self._among, self._agents, self._limits = one, among, agents, limits
        network = one.running_guest.guest.network
        assert network is not None
        one.parameters = {"listen": f"{network.guest_address}:0"}
        with guarded(one):
            agents.ask(one, "serve", threads=1)
        agents.wait([one], "ready", limits.prepare_s, beside=among)
        with guarded(one):
            self._endpoint = _endpoint(network.guest_address, one.state.conditions)
        agents.start([one])

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Its only one. Its end, which comes as an event, fails the trial."""
        return (self._endpoint,)

    def stop(self) -> None:
        """End its run. Idempotent."""
        self._agents.stop([self._one], self._limits.answer_s, beside=self._among)


OwnService = Peer | ReferenceClock
"""What the laboratory has beside a guest is a process on the host, which no account of a guest contains."""

_OWN: Mapping[str, type[OwnService]] = {"peer": Peer, "time-server": ReferenceClock}
"""What is started for a guest whose work needs an endpoint, by its name."""


class Services:
    """The services of one campaign, and who uses which."""

    def __init__(self, lab: LabContext, agents: Conversation, limits: Limits) -> None:
        """`lab` is where those beside guests are started from."""
        self._lab, self._agents, self._limits = lab, agents, limits
        self._beside: dict[tuple[RunningGuest, str], OwnService] = {}

    @property
    def processes(self) -> list[Guest]:
        """What serves guests on the laboratory's side."""
        return [service.guest for service in self._beside.values()]

    def serve(self, placements: Sequence[PlacementRun]) -> dict[int, Service]:
        """Start the services of a trial. Returns them by the ordinals of their placements."""
        for running_guest in guests_of(placements):
            running_guest.session.begin_run()
        return {one.placement.ordinal: GuestPeer(one, placements, self._agents, self._limits) for one in placements}

    def address(self, one: PlacementRun, servers: Mapping[int, Service]) -> None:
        """Tell a placement where everything is that it uses. `servers`: by the ordinals of their placements."""
        guest, work = one.running_guest.guest, one.work
        found: list[Endpoint] = []
        if guest.disk is not None:
            path = guest.disk.path
            found.append(Endpoint("disk", "device" if path.startswith("/dev/") else "file", path))
        program = work.workload.program
        # A program of the guest's own image, or where the host has it.
        if at := guest.find_program(program) or self._lab.program_path(program):
            found.append(Endpoint("program", "program", at))
        try:
            for ordinal in one.placement.uses:
                found += servers[ordinal].endpoints()
            for name in sorted(work.needs - {endpoint.name for endpoint in found} - {"disk"}):
                found += self._own(one.running_guest, name).endpoints()
            one.parameters = work.arguments(Place(tuple(found), guest.command_defaults))
        except UsageError as cause:  # the plan was checked against a place that has everything: this one has not
            raise TrialFailed(FailureKind.UNAVAILABLE, cause.sentence, one.placement) from cause
        except (EnvironmentFailed, LinkError) as cause:
            raise TrialFailed(FailureKind.START, cause.reason, one.placement, [one.running_guest]) from cause

    def _own(self, running_guest: RunningGuest, name: str) -> OwnService:
        """The laboratory's service of a guest, started at its first use."""
        key, guest = (running_guest, name), running_guest.guest
        if key not in self._beside:
            assert guest.network is not None
            self._beside[key] = _OWN[name](self._lab, guest.guest_id, guest.network, self._limits)
            running_guest.ending.callback(lambda: self._beside.pop(key).stop())
        return self._beside[key]


def _endpoint(host: str, conditions: Mapping[str, str]) -> Endpoint:
    """Where others reach an agent that serves, from the conditions of its `ready`. LinkError for what is no port."""
    if "address" not in conditions:
        raise LinkError("the network peer did not say where it listens")
    port = conditions["address"].rpartition(":")[2]
    if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) < 1 << 16):
        raise LinkError(f"the network peer says that it listens on port {port}")
    return Endpoint("peer", "net", f"{host}:{int(port)}")
