"""Talking to the agent in a guest under test."""

from __future__ import annotations

from typing import Any

from virtometer.environments.base import Guest
from virtometer.link.channel import Channel
from virtometer.link.messages import Done, Failed, Ready
from virtometer.link.session import Session

START_S = 60.0
ANSWER_S = 30.0


class Talk:
    """A session with what every test of a guest needs."""

    def __init__(self, guest: Guest) -> None:
        """The agent has not said hello yet."""
        self.guest = guest
        self.session = Session(Channel(guest.stream), guest.guest_id)
        self._runs = 0

    def greet(self) -> None:
        """Exchange greetings and let the guest configure its network where that is left to it."""
        self.session.greet(START_S)
        network = self.guest.network
        if network is not None and network.guest_interface:
            self.session.request("configure-network", network.configuration(), ANSWER_S)

    def prepare(self, kernel: str, op: str, parameters: dict[str, Any], seconds: float = 0.1) -> Ready:
        """Prepare the next run. Fails the test when the agent cannot."""
        self._runs += 1
        arguments = {
            "run": self.run, "kernel": kernel, "op": op, "parameters": parameters,
            "threads": 1, "cpus": None, "seconds": seconds,
        }  # fmt: skip
        self.session.request("prepare", arguments, ANSWER_S)
        event = self.session.next_event(ANSWER_S)
        assert isinstance(event, Ready), event
        return event

    @property
    def run(self) -> str:
        """Name of the run prepared last."""
        return f"run{self._runs}"

    def begin(self) -> None:
        """Start the prepared run."""
        self.session.request("start", {"run": self.run}, ANSWER_S)

    def finish(self) -> Done:
        """Wait for the end of the run. Fails the test when it failed."""
        while True:
            event = self.session.next_event(ANSWER_S)
            assert event is not None, "the agent says nothing"
            assert not isinstance(event, Failed), event
            if isinstance(event, Done):
                return event

    def measure(self, kernel: str, op: str, parameters: dict[str, Any], seconds: float = 0.1) -> Done:
        """One run from its preparation to its end."""
        self.prepare(kernel, op, parameters, seconds)
        self.begin()
        return self.finish()
