"""What is written down of guests, and by whom."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.environments.journals import dead_owner, leave
from tests.waiting import wait_until
from virtometer.environments.directories import DIRECTORY
from virtometer.environments.journal import Journal, Owner, start_of, state_directory
from virtometer.environments.network import NAMESPACE
from virtometer.environments.processes import ProcessStat, stat_of
from virtometer.errors import EnvironmentFailed, StorageError


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def test_resources_stand_in_the_journal_in_the_order_in_which_they_were_recorded(journal: Journal) -> None:
    journal.record("g", NAMESPACE, name="n")
    journal.record("g", DIRECTORY, path="/d")
    assert [one["resource"] for one in journal.resources("g")] == ["namespace", "directory"]
    content = json.loads((journal.directory / "g.json").read_text())
    assert content["owner"]["pid"] == os.getpid()
    assert content["owner"]["start"] == start_of(os.getpid())
    journal.forget("g")
    journal.forget("g")
    assert list(journal.directory.iterdir()) == []


def test_a_name_of_another_laboratory_is_refused(journal: Journal) -> None:
    leave(journal, "g", dead_owner())
    with pytest.raises(EnvironmentFailed, match="of another laboratory"):
        journal.record("g", DIRECTORY, path="/d")


def test_a_state_directory_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        Journal(tmp_path / "file" / "state").record("g", DIRECTORY, path="/d")


def test_a_guest_without_a_plain_name_is_a_fault_of_ours(journal: Journal) -> None:
    with pytest.raises(ValueError, match="cannot be recorded"):
        journal.record("../g", DIRECTORY, path="/d")


def test_a_zombie_does_not_count_as_a_living_laboratory(journal: Journal) -> None:
    ended = subprocess.Popen(["true"])

    def zombie() -> ProcessStat | None:
        one = stat_of(ended.pid)
        return one if one and one.state == "Z" else None

    me, start = Owner.this(), wait_until(zombie).start
    assert not Owner(ended.pid, start, me.boot, me.pid_namespace).alive()
    ended.wait()


def test_an_ordinary_user_has_a_state_directory_of_his_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert state_directory() == tmp_path / "virtometer"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert state_directory() == Path("/tmp/virtometer-4711")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert state_directory() == Path("/run/virtometer")
