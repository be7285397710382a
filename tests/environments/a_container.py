"""What every container of a runtime promises, and how its tests start one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import Environment, LabContext
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


def check_first_process(start: Start) -> None:
    """The agent is the first process of a host of its own, with a root directory that is read alone."""
    guest, talk = start()
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert (facts["pid"], facts["hostname"]) == (1, "virtometer")
    assert sorted(facts["interfaces"]) == ["eth0", "lo"]
    options = {
        line.split()[4]: line.split()[5].split(",")
        for line in Path(f"/proc/{agent_of(guest)}/mountinfo").read_text().splitlines()
    }
    assert "ro" in options["/"]
    guest.stop()


def check_account(start: Start, names: list[str]) -> None:
    """All of its processes are in the account, and nothing of it is left."""
    guest, _ = start()
    assert sorted(Path(f"/proc/{pid}/comm").read_text().strip() for pid in guest.account.processes()) == names
    guest.stop()
    assert traces.of(guest.guest_id) == []


def check_missing_program(kind: type[Environment], lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its program the check names the package."""
    real = lab.programs.find

    def find(name: str, package: str) -> Path:
        return real("no-such-program" if name == kind.program else name, package)

    monkeypatch.setattr(lab.programs, "find", find)
    check = kind(lab).check()
    assert not check.works
    assert check.advice == f"install the Debian package {kind.package}"


def check_without_root(kind: type[Environment], lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check says who may use it."""
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    check = kind(lab).check()
    assert not check.works
    assert "root" in check.reason
    assert check.advice == "run as root"
