"""A container of crun."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import LabContext
from virtometer.environments.container import ContainerSettings
from virtometer.environments.crun import Crun
from virtometer.environments.process_guest import ProcessGuest

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="crun with a network of its own needs root")
Start = Callable[..., tuple[ProcessGuest, Talk]]


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Start:
    """Start a container whose agent has said hello."""
    one = Crun(lab)
    if not (check := one.check()).works:
        pytest.skip(f"crun does not work here: {check.reason} ({check.advice})")

    def begin(**settings: Any) -> tuple[ProcessGuest, Talk]:
        guest = one.start(ContainerSettings(**settings), new_id())
        assert isinstance(guest, ProcessGuest)
        talk = Talk(guest)
        talk.greet()
        return guest, talk

    return begin


def agent_of(guest: ProcessGuest) -> int:
    [agent] = [pid for pid in guest.account.processes() if Path(f"/proc/{pid}/comm").read_text() == "virtometer-agen\n"]
    return agent


def status(pid: int, name: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{name}:"))


@needs_root
def test_the_agent_is_the_first_process_of_a_host_of_its_own(start: Start) -> None:
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


@needs_root
def test_all_of_it_is_in_the_account(start: Start) -> None:
    guest, _ = start()
    names = sorted(Path(f"/proc/{pid}/comm").read_text().strip() for pid in guest.account.processes())
    assert names == ["crun", "virtometer-agen"]
    guest.stop()
    assert traces.of(guest.guest_id) == []


@needs_root
def test_without_the_program_the_check_names_the_package(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    real = lab.programs.find

    def find(name: str, package: str) -> Path:
        return real("no-such-program" if name == Crun.program else name, package)

    monkeypatch.setattr(lab.programs, "find", find)
    check = Crun(lab).check()
    assert not check.works
    assert check.advice == "install the Debian package crun"


def test_without_root_the_check_says_so(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    check = Crun(lab).check()
    assert not check.works
    assert "root" in check.reason
    assert check.advice == "run as root"
