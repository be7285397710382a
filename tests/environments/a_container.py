"""How tests start a container of a runtime, and what they ask of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conversation import Talk
from virtometer.environments.base import Environment
from virtometer.environments.parts.process_guest import ProcessGuest

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a container with a network of its own needs root")
Start = Callable[..., tuple[ProcessGuest, Talk]]


def starting(one: Environment, new_id: Callable[[], str]) -> Start:
    """Start a container whose agent has said hello, with settings; skip where the kind does not work."""
    if not (check := one.check()).works:
        pytest.skip(f"{one.title} does not work here: {check.reason} ({check.advice})")

    def begin(**settings: Any) -> tuple[ProcessGuest, Talk]:
        guest = one.start(one.settings_type.model_validate(settings), new_id())
        assert isinstance(guest, ProcessGuest)
        talk = Talk(guest)
        talk.greet()
        return guest, talk

    return begin


def agent_of(guest: ProcessGuest) -> int:
    """The number of the agent's process on the host."""
    [agent] = [pid for pid in guest.account.processes() if Path(f"/proc/{pid}/comm").read_text() == "virtometer-agen\n"]
    return agent


def status(pid: int, name: str) -> str:
    """A field of the state of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{name}:"))
