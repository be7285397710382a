"""The working directory, the disk file and the agent of a campaign: made, and taken away again."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.sentences import Said
from virtometer.cache import cache_directory
from virtometer.errors import StorageError
from virtometer.programs import Programs
from virtometer.runner.lab import context as contexts
from virtometer.runner.lab.context import lab_context
from virtometer.workloads.ab import Ab


@pytest.fixture(autouse=True)
def state(agent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(contexts, "state_directory", lambda: tmp_path / "state")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "state"


def test_images_are_kept_where_the_user_has_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_directory() == tmp_path / "cache" / "virtometer"
    for empty in ("", None):
        monkeypatch.delenv("XDG_CACHE_HOME") if empty is None else monkeypatch.setenv("XDG_CACHE_HOME", empty)
        assert cache_directory() == Path.home() / ".cache" / "virtometer"


def test_what_is_made_is_noted_before_and_gone_afterwards(tmp_path: Path, state: Path) -> None:
    with lab_context(tmp_path / "results") as lab:
        assert lab.scratch.is_dir() and lab.scratch.parent == tmp_path / "results"
        assert (lab.disk_file, lab.host_programs, lab.cache) == (None, (), tmp_path / "cache" / "virtometer")
        (entry,) = state.glob("*.json")
        assert str(lab.scratch) in entry.read_text()
        (lab.scratch / "left" / "behind").mkdir(parents=True)
    assert list((tmp_path / "results").iterdir()) == []
    assert list(state.glob("*")) == []


def test_the_agent_of_a_campaign_is_its_own_copy(agent: Path, tmp_path: Path, state: Path) -> None:
    with lab_context(tmp_path) as lab:
        assert lab.agent.read_bytes() == agent.read_bytes()
        assert os.access(lab.agent, os.X_OK)
        if lab.agent != agent:  # where nobody but this user and root can replace it
            assert lab.agent.parent.parent in (state, lab.cache)
            assert lab.agent.parent.stat().st_mode & 0o777 == 0o700
        copied = lab.agent
    assert copied == agent or not copied.exists()


def test_the_disk_file_has_its_size_and_the_contents_that_the_agent_knows(tmp_path: Path) -> None:
    with lab_context(tmp_path, disk_span=1 << 20) as lab:
        assert lab.disk_file is not None and lab.disk_file.stat().st_size == 1 << 20
        read: list[str | Path] = [
            "measure",
            "disk",
            "--op",
            "random-read",
            "--file",
            lab.disk_file,
            "--seconds",
            "0.01",
            "--json",
        ]
        assert b'"passed":true' in Programs().run([lab.agent, *read], purpose="a test").stdout.replace(b" ", b"")
        assert lab.disk_file.is_relative_to(lab.scratch)


def test_a_disk_file_that_does_not_fit_is_refused_and_nothing_is_left(said: Said, tmp_path: Path, state: Path) -> None:
    begun = False
    with (
        pytest.raises(StorageError, match=r"the disk file .* need \d+ MiB in .*, and \d+ MiB") as no,
        lab_context(tmp_path / "results", disk_span=1 << 60),
    ):
        begun = True
    assert not begun and "disk_span" in no.value.advice
    said(re.sub(r"and \d+ MiB", "and N MiB", no.value.sentence), place=tmp_path / "results")
    assert list((tmp_path / "results").iterdir()) == [] and list(state.glob("*")) == []


def test_what_fails_inside_takes_nothing_with_it(tmp_path: Path, state: Path) -> None:
    with pytest.raises(KeyError), lab_context(tmp_path / "results"):
        raise KeyError
    assert list((tmp_path / "results").iterdir()) == [] and list(state.glob("*")) == []


def test_a_place_that_is_no_directory_is_one_sentence(tmp_path: Path, state: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot make the working directory"), lab_context(tmp_path / "file" / "r"):
        pass
    assert list(state.glob("*.json")) == []


def test_programs_of_tools_are_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ab, "program", "no-such-program")
    with lab_context(tmp_path, tools=[Ab()]) as lab:
        (found,) = lab.host_programs
    assert (found.name, found.path) == ("no-such-program", None)
    assert "apache2-utils" in found.refusal


def test_guests_that_work_at_the_same_time_have_equal_files_in_directories_of_their_own(tmp_path: Path) -> None:
    with lab_context(tmp_path, disk_span=1 << 20, disk_files=3) as lab:
        assert lab.disk_file is not None
        files = [lab.disk_file, *lab.more_disk_files]
        assert len({file.parent for file in files}) == len(files) == 3
        assert len({file.stat().st_ino for file in files}) == 3
        assert {file.read_bytes() for file in files} == {files[0].read_bytes()}
    assert not any(file.exists() for file in files)


def test_files_that_do_not_fit_are_counted(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(free=(64 << 20) + (5 << 20))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(StorageError) as no, lab_context(tmp_path, disk_span=1 << 20, disk_files=6):
        pass
    for fact in ("6 disk files", "70 MiB", "69 MiB"):
        assert fact in no.value.sentence
    said(no.value.sentence, place=tmp_path)
