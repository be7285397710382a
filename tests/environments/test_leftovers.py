"""What a laboratory that no longer runs left behind is removed, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.environments.journals import dead_owner, leave
from virtometer.environments.kinds.native import Native
from virtometer.environments.leftovers import remove_leftovers, resources
from virtometer.environments.registry import KINDS
from virtometer.errors import StorageError
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal, Resource, start_of
from virtometer.processes import stat_of
from virtometer.programs import Programs


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def sleeper(**kinds: bool) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "600"], **kinds)  # type: ignore[call-overload,no-any-return]


def runs(pid: int) -> bool:
    one = stat_of(pid)
    return one is not None and one.state not in "ZX"


def test_a_living_laboratory_is_left_alone(journal: Journal, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    journal.record("g", DIRECTORY, path=str(kept))
    assert remove_leftovers(journal, Programs()) == []
    assert kept.is_dir()
    assert journal.resources("g")


def test_a_laboratory_in_another_pid_namespace_counts_as_alive(journal: Journal) -> None:
    path = leave(journal, "g", {**dead_owner(), "pid_namespace": "pid:[1]"})
    assert remove_leftovers(journal, Programs()) == []
    assert path.exists()


def test_what_a_dead_laboratory_left_is_removed_and_reported(journal: Journal, tmp_path: Path) -> None:
    left = tmp_path / "left" / "deep"
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    other = tmp_path / "other"
    other.mkdir()
    leave(
        journal,
        "g1",
        dead_owner(),
        {"resource": "directory", "path": str(left.parent)},
        {"resource": "directory", "path": str(other)},
    )
    [sentence] = remove_leftovers(journal, Programs())
    assert "g1" in sentence
    assert str(left.parent) in sentence
    assert str(other) in sentence
    assert not left.parent.exists()
    assert not other.exists()
    assert list(journal.directory.iterdir()) == []
    assert remove_leftovers(journal, Programs()) == []


def test_a_left_process_group_is_killed_with_all_its_members(journal: Journal) -> None:
    shell = subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE, start_new_session=True, text=True
    )
    assert shell.stdout is not None
    child = int(shell.stdout.readline())
    leave(
        journal,
        "g",
        dead_owner(),
        {"resource": "process-group", "leader": shell.pid, "start": start_of(shell.pid)},
    )
    [sentence] = remove_leftovers(journal, Programs())
    assert "2 processes" in sentence
    assert shell.wait(5) == -signal.SIGKILL
    assert not runs(child)


def test_a_recycled_pid_is_never_killed(journal: Journal) -> None:
    stranger = sleeper(start_new_session=True)
    try:
        begun = start_of(stranger.pid)
        assert begun is not None
        leave(
            journal,
            "g",
            dead_owner(),
            {"resource": "process-group", "leader": stranger.pid, "start": begun - 1},
        )
        [sentence] = remove_leftovers(journal, Programs())
        assert "nothing of it was left" in sentence
        assert runs(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


def test_processes_of_an_earlier_boot_are_not_looked_for(journal: Journal) -> None:
    stranger = sleeper(start_new_session=True)
    try:
        owner = {**dead_owner(), "boot": "00000000-0000-0000-0000-000000000000"}
        leave(
            journal,
            "g",
            owner,
            {"resource": "process-group", "leader": stranger.pid, "start": start_of(stranger.pid)},
        )
        assert len(remove_leftovers(journal, Programs())) == 1
        assert runs(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_stray_that_left_its_process_group_is_found_by_its_mark(journal: Journal) -> None:
    owner = dead_owner()
    environment = {**os.environ, "VIRTOMETER_GUEST": f"g@{owner['pid']}.{owner['start']}"}
    stray = subprocess.Popen(["sleep", "600"], env=environment, start_new_session=True)
    leave(journal, "g", owner)
    [sentence] = remove_leftovers(journal, Programs())
    assert "1 process" in sentence
    assert stray.wait(5) == -signal.SIGKILL


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"virtometer":2}', b'{"virtometer":1,"owner":{},"resources":[]}', b"\xff\x00"],
)
def test_a_corrupt_file_costs_one_sentence_and_is_moved_aside(journal: Journal, content: bytes) -> None:
    journal.directory.mkdir(mode=0o700)
    path = journal.directory / "g.json"
    path.write_bytes(content)
    [sentence] = remove_leftovers(journal, Programs())
    assert str(path) in sentence
    assert not path.exists()
    assert path.with_suffix(".unreadable").read_bytes() == content
    assert remove_leftovers(journal, Programs()) == []


def test_a_resource_that_cannot_be_removed_stays_in_the_journal(journal: Journal, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    path = leave(
        journal,
        "g",
        dead_owner(),
        {"resource": "cgroup", "nothing": "here"},
        {"resource": "directory", "path": str(other)},
    )
    [sentence] = remove_leftovers(journal, Programs())
    assert "could not be removed completely" in sentence
    assert path.exists()
    assert not other.exists(), "one fault must not stop the rest"


def test_a_state_directory_that_others_can_write_is_refused(journal: Journal) -> None:
    journal.directory.mkdir(mode=0o700)
    journal.directory.chmod(0o777)
    with pytest.raises(StorageError, match="only this user can write"):
        journal.record("g", DIRECTORY, path="/d")
    with pytest.raises(StorageError, match="only this user can write"):
        remove_leftovers(journal, Programs())


def test_a_state_directory_that_is_a_link_is_refused(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    journal.directory.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="only this user can write"):
        remove_leftovers(journal, Programs())


def test_drafts_of_dead_writers_are_removed(journal: Journal) -> None:
    journal.directory.mkdir(mode=0o700)
    draft = journal.directory / f"g.{dead_owner()['pid']}.draft"
    draft.write_text("{")
    remove_leftovers(journal, Programs())
    assert not draft.exists()


def test_two_clean_ups_at_once_do_the_work_once(journal: Journal, tmp_path: Path, new_id: Callable[[], str]) -> None:
    owner = dead_owner()
    for number in range(20):
        directory = tmp_path / f"left{number}"
        directory.mkdir()
        leave(journal, f"g{number}", owner, {"resource": "directory", "path": str(directory)})
    script = (
        "import sys; from pathlib import Path; from virtometer.host.owned.journal import Journal;"
        "from virtometer.environments.leftovers import remove_leftovers; from virtometer.programs import Programs;"
        "print('\\n'.join(remove_leftovers(Journal(Path(sys.argv[1])), Programs())))"
    )
    cleaners = [
        subprocess.Popen([sys.executable, "-c", script, journal.directory], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = "".join(one.communicate()[0] for one in cleaners).split("\n")
    assert sorted(filter(None, said)) == sorted(set(filter(None, said)))
    assert len([one for one in said if one]) == 20


def test_an_unknown_resource_is_never_guessed_at(journal: Journal) -> None:
    path = leave(journal, "g", dead_owner(), {"resource": "submarine", "path": "/d"})
    [sentence] = remove_leftovers(journal, Programs())
    assert "cannot be read" in sentence
    assert path.with_suffix(".unreadable").exists()


def test_a_resource_of_one_kind_is_removed_as_its_kind_says_and_first(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "left"
    left.mkdir()

    def dive(fields: Mapping[str, Any], programs: Programs) -> str:
        assert left.exists(), "what is running goes before what it held"
        return f"submarine {fields['depth']}"

    kind = type("Submarine", (Native,), {"resources": (Resource("submarine", dive),)})
    monkeypatch.setitem(KINDS, "submarine", kind)
    fields: list[dict[str, object]] = [
        {"resource": "directory", "path": str(left)},
        {"resource": "submarine", "depth": 7},
    ]
    leave(journal, "g", dead_owner(), *fields)
    [sentence] = remove_leftovers(journal, Programs())
    assert sentence.endswith(f"was removed: submarine 7, directory {left}.")


def test_no_two_resources_have_the_same_name() -> None:
    known = resources()
    assert all(known[resource.name] is resource for kind in KINDS.values() for resource in kind.resources)
    assert {"process-group", "marked", "cgroup", "draft", "namespace", "directory"} <= known.keys()
