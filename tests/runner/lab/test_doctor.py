"""Checks of kinds on this host: what works says so, what does not says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from tests.environments.journals import dead_owner, leave
from tests.sentences import Said
from virtometer.environments.base import Check, Environment, Guest, LabContext, Lacks, Settings
from virtometer.environments.kinds.native import Native
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.host.owned.journal import Journal
from virtometer.model import EnvironmentStatus
from virtometer.runner.lab import context as lab_context
from virtometer.runner.lab import doctor


class Answering(Environment):
    """A kind whose check gives `answer`, or raises it."""

    kind: ClassVar[str] = "answering"
    title: ClassVar[str] = "answering"
    settings_type: ClassVar[type[Settings]] = Settings
    answer: ClassVar[Check | EnvironmentFailed | RuntimeError]

    def lacks(self) -> Lacks:
        return Lacks(disk="it has none")

    def check(self) -> Check:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def prepare(self, settings: Settings) -> None:
        raise EnvironmentFailed("it cannot be prepared")

    def start(self, settings: Settings, guest_id: str) -> Guest:
        raise EnvironmentFailed("it cannot be started")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_context, "state_directory", lambda: tmp_path / "state")


def answering(lab: LabContext, answer: Check | EnvironmentFailed | RuntimeError) -> Environment:
    found = type("Reported", (Answering,), {"answer": answer})(lab)
    assert isinstance(found, Environment)
    return found


def test_what_a_check_says_is_reported_with_what_the_kind_can_give(lab: LabContext) -> None:
    found = doctor.status(answering(lab, Check(True, "it answered", "", {"platform": "x"})))
    assert (found.name, found.kind, found.works, found.reason) == ("answering", "answering", True, "it answered")
    assert found.capabilities["disk"] is False and found.capabilities["disk_reason"] == "it has none"
    assert found.capabilities["network"] is True and found.capabilities["network_reason"] == ""
    assert found.capabilities["settings"] == tuple(Settings.model_fields)
    assert found.capabilities["found"] == {"platform": "x"}


def test_a_check_that_fails_is_a_kind_that_does_not_work(lab: LabContext) -> None:
    failed = EnvironmentFailed("there is no device", advice="make one")
    assert doctor.status(answering(lab, failed)) == EnvironmentStatus(
        "answering", "answering", False, "there is no device", "make one", {}
    )


def test_a_fault_of_our_own_is_no_answer(lab: LabContext) -> None:
    with pytest.raises(RuntimeError):
        doctor.status(answering(lab, RuntimeError("a fault")))


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("QEMU emulator version 7.2.1 (Debian 1:7.2+dfsg-7)", "7.2.1"),
        ("runc version 1.1.5+ds1", "1.1.5+ds1"),
        ("bubblewrap 0.8.0", "0.8.0"),
        ("release-20250101", "release-20250101"),
        ("", "of no known version"),
    ],
)
def test_the_version_is_the_number_in_what_the_program_prints(
    lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, version: str
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(Answering, "program", "program")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert doctor.program_version(answering(lab, Check(True, ""))) == version


def test_a_kind_without_a_program_and_one_that_is_not_installed_have_no_version(
    lab: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = answering(lab, Check(True, ""))
    assert doctor.program_version(one) == ""
    monkeypatch.setattr(Answering, "program", "no-such-program")
    assert doctor.program_version(one) == ""


def test_the_agent_says_its_own_version(lab: LabContext) -> None:
    assert doctor.program_version(Native(lab)).count(".") == 2


def test_the_named_kinds_are_checked_in_their_order(agent: Path) -> None:
    begun: list[tuple[str, int, int]] = []

    def begins(name: str, number: int, count: int) -> None:
        begun.append((name, number, count))

    facts, (check,) = doctor.examine(["native"], begins)
    assert begun == [("native", 1, 1)]
    assert check.status.works and check.program == "virtometer-agent" and check.package == ""
    assert facts["memory_bytes"] > 0


def test_what_a_killed_laboratory_left_is_removed_and_reported(agent: Path, tmp_path: Path) -> None:
    left, said = tmp_path / "left", list[str]()
    left.mkdir()
    leave(Journal(tmp_path / "state"), "work-1", dead_owner(), {"resource": "directory", "path": str(left)})
    doctor.examine(["native"], says=said.append)
    assert not left.exists()
    [sentence] = [one for one in said if one.startswith("cleaned up: ")]
    assert str(left) in sentence


def test_a_tuning_of_the_host_that_cannot_be_undone_is_reported(said: Said, agent: Path, tmp_path: Path) -> None:
    leave(Journal(tmp_path / "state"), "tune-1-000001", dead_owner(), {"resource": "tuning", "undo": "false"})
    told: list[str] = []
    doctor.examine(["native"], says=told.append)
    assert told[-1].endswith(": 'false' was to be run")
    said(told[-1])


@pytest.mark.parametrize("names", [["vmware"], ["native", "vmware"], [""]])
def test_an_unknown_kind_is_refused_before_any_check(names: Sequence[str]) -> None:
    begun: list[str] = []
    with pytest.raises(UsageError, match=r"there is no environment kind .*; there are native, "):
        doctor.examine(names, lambda name, number, count: begun.append(name))
    assert begun == []


def test_what_cannot_be_prepared_is_reported_and_the_others_are(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Kinds that are taken out of the table of all and put back would have another order for the tests that follow.
    few = {"native": KINDS["native"], "answering": type("Reported", (Answering,), {})}
    monkeypatch.setattr(doctor, "KINDS", few)
    ((kind, cause),) = doctor.prepare_all()
    assert (kind, cause.sentence) == ("answering", "it cannot be prepared")
