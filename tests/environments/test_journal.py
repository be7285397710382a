from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from virtometer.environments.accounting import stat_of
from virtometer.environments.journal import Journal, Owner, start_of, state_directory
from virtometer.environments.network import detach_mount
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.programs import Programs


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def dead_owner() -> dict[str, object]:
    """The name of a laboratory that has ended."""
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    me = Owner.this()
    return {"pid": int(ended.stdout), "start": 1, "boot": me.boot, "pid_namespace": me.pid_namespace}


def leave(journal: Journal, guest_id: str, owner: dict[str, object], *resources: dict[str, object]) -> Path:
    """Write a guest's file as another laboratory would have left it."""
    journal.directory.mkdir(mode=0o700, exist_ok=True)
    path = journal.directory / f"{guest_id}.json"
    path.write_text(json.dumps({"virtometer": 1, "guest": guest_id, "owner": owner, "resources": resources}))
    return path


def sleeper(**kinds: bool) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "600"], **kinds)  # type: ignore[call-overload,no-any-return]


def runs(pid: int) -> bool:
    one = stat_of(pid)
    return one is not None and one.state not in "ZX"


def test_resources_stand_in_the_journal_in_the_order_in_which_they_were_recorded(journal: Journal) -> None:
    journal.record("g", "namespace", name="n")
    journal.record("g", "directory", path="/d")
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
        journal.record("g", "directory", path="/d")


def test_a_living_laboratory_is_left_alone(journal: Journal, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    journal.record("g", "directory", path=str(kept))
    assert journal.sweep(Programs()) == []
    assert kept.is_dir()
    assert journal.resources("g")


def test_a_laboratory_in_another_pid_namespace_counts_as_alive(journal: Journal) -> None:
    path = leave(journal, "g", {**dead_owner(), "pid_namespace": "pid:[1]"})
    assert journal.sweep(Programs()) == []
    assert path.exists()


def test_what_a_dead_laboratory_left_is_removed_and_told(journal: Journal, tmp_path: Path) -> None:
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
    [sentence] = journal.sweep(Programs())
    assert "g1" in sentence
    assert str(left.parent) in sentence
    assert str(other) in sentence
    assert not left.parent.exists()
    assert not other.exists()
    assert list(journal.directory.iterdir()) == []
    assert journal.sweep(Programs()) == []


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
    [sentence] = journal.sweep(Programs())
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
        [sentence] = journal.sweep(Programs())
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
        assert len(journal.sweep(Programs())) == 1
        assert runs(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_stray_that_left_its_process_group_is_found_by_its_mark(journal: Journal) -> None:
    owner = dead_owner()
    environment = {**os.environ, "VIRTOMETER_GUEST": f"g@{owner['pid']}.{owner['start']}"}
    stray = subprocess.Popen(["sleep", "600"], env=environment, start_new_session=True)
    leave(journal, "g", owner)
    [sentence] = journal.sweep(Programs())
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
    [sentence] = journal.sweep(Programs())
    assert str(path) in sentence
    assert not path.exists()
    assert path.with_suffix(".unreadable").read_bytes() == content
    assert journal.sweep(Programs()) == []


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
    [sentence] = journal.sweep(Programs())
    assert "could not be removed completely" in sentence
    assert path.exists()
    assert not other.exists(), "one fault must not stop the rest"


def test_a_state_directory_that_others_can_write_is_refused(journal: Journal) -> None:
    journal.directory.mkdir(mode=0o700)
    journal.directory.chmod(0o777)
    with pytest.raises(StorageError, match="only this user can write"):
        journal.record("g", "directory", path="/d")
    with pytest.raises(StorageError, match="only this user can write"):
        journal.sweep(Programs())


def test_a_state_directory_that_is_a_link_is_refused(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    journal.directory.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="only this user can write"):
        journal.sweep(Programs())


def test_a_state_directory_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        Journal(tmp_path / "file" / "state").record("g", "directory", path="/d")


def test_drafts_of_dead_writers_are_removed(journal: Journal) -> None:
    journal.directory.mkdir(mode=0o700)
    draft = journal.directory / f"g.{dead_owner()['pid']}.draft"
    draft.write_text("{")
    journal.sweep(Programs())
    assert not draft.exists()


def test_an_unknown_resource_is_a_fault_of_ours(journal: Journal) -> None:
    with pytest.raises(ValueError, match="cannot be recorded"):
        journal.record("g", "submarine", path="/d")
    with pytest.raises(ValueError, match="cannot be recorded"):
        journal.record("../g", "directory", path="/d")


def test_a_zombie_does_not_count_as_a_living_laboratory(journal: Journal) -> None:
    ended = subprocess.Popen(["true"])
    while (one := stat_of(ended.pid)) and one.state != "Z":
        time.sleep(0.001)
    me = Owner.this()
    assert one is not None
    assert not Owner(ended.pid, one.start, me.boot, me.pid_namespace).alive()
    ended.wait()


def test_an_ordinary_user_has_a_state_directory_of_his_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert state_directory() == tmp_path / "virtometer"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert state_directory() == Path("/tmp/virtometer-4711")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert state_directory() == Path("/run/virtometer")


def mount_points() -> list[str]:
    """What the mount table names, blanks as \\040."""
    return [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]


@contextmanager
def mounted(where: Path, *how: str | Path) -> Iterator[None]:
    """Something mounted that a test takes off; whatever becomes of the test, no mount is left."""
    subprocess.run(["mount", *how, where], check=True)
    try:
        yield
    finally:
        detach_mount(where)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_no_mount_is_left_by_a_test_that_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError), mounted(tmp_path, "-t", "tmpfs", "none"):
        assert str(tmp_path) not in mount_points()
    assert str(tmp_path) not in mount_points()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_a_left_mount_is_taken_off_even_while_it_is_in_use(journal: Journal, tmp_path: Path) -> None:
    where = tmp_path / "mounted"
    where.mkdir()
    with mounted(where, "-t", "tmpfs", "none"):
        user = subprocess.Popen(["sleep", "600"], cwd=where)
        try:
            leave(journal, "g", dead_owner(), {"resource": "directory", "path": str(where)})
            [sentence] = journal.sweep(Programs())
        finally:
            user.kill()
            user.wait()
        assert f"directory {where}" in sentence
        assert str(where) not in mount_points()
        assert not where.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_a_left_directory_is_never_removed_through_a_mount(journal: Journal, tmp_path: Path) -> None:
    precious, left = tmp_path / "precious", tmp_path / "left behind"
    (left / "root").mkdir(parents=True)
    precious.mkdir()
    (precious / "data").write_text("keep me")
    with mounted(left / "root", "--bind", precious):
        leave(journal, "g", dead_owner(), {"resource": "directory", "path": str(left)})
        journal.sweep(Programs())
        assert not left.exists()
        assert (precious / "data").read_text() == "keep me"


def test_two_sweeps_at_once_do_the_work_once(journal: Journal, tmp_path: Path, new_id: Callable[[], str]) -> None:
    owner = dead_owner()
    for number in range(20):
        directory = tmp_path / f"left{number}"
        directory.mkdir()
        leave(journal, f"g{number}", owner, {"resource": "directory", "path": str(directory)})
    script = (
        "import sys; from pathlib import Path; from virtometer.environments.journal import Journal;"
        "from virtometer.programs import Programs;"
        "print('\\n'.join(Journal(Path(sys.argv[1])).sweep(Programs())))"
    )
    sweepers = [
        subprocess.Popen([sys.executable, "-c", script, journal.directory], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = "".join(one.communicate()[0] for one in sweepers).split("\n")
    assert sorted(filter(None, said)) == sorted(set(filter(None, said)))
    assert len([one for one in said if one]) == 20
