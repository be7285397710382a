"""What is written down of guests, and by whom."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.environments.journals import dead_owner, leave
from tests.ordinary_user import MakeUser
from tests.waiting import wait_until
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.network.lan import NAMESPACE
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal, Owner, start_of, state_directory
from virtometer.processes import ProcessStat, stat_of


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


def private(path: Path, user: int) -> bool:
    """Whether it is a directory that this user alone can open."""
    found = os.lstat(path)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user and stat.S_IMODE(found.st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root's")
def test_the_state_directory_of_root_is_below_run() -> None:
    assert state_directory() == Path("/run/virtometer")
    assert private(state_directory(), 0)


def test_an_ordinary_user_has_a_state_directory_of_his_own(make_user: MakeUser, tmp_path: Path) -> None:
    one, other = make_user(), make_user()
    assert one.call(state_directory) == Path(f"/tmp/virtometer-{one.uid}")
    assert private(Path(f"/tmp/virtometer-{one.uid}"), one.uid)
    with tempfile.TemporaryDirectory() as parent:
        runtime = Path(parent) / "runtime"
        runtime.mkdir(mode=0o700)
        os.chown(runtime, one.uid, one.uid)
        Path(parent).chmod(0o755)

        def chosen() -> Path:
            os.environ["XDG_RUNTIME_DIR"] = str(runtime)
            return state_directory()

        assert one.call(chosen) == runtime / "virtometer"
        assert private(runtime / "virtometer", one.uid)
        assert other.call(chosen) == Path(f"/tmp/virtometer-{other.uid}"), "as after su"
        runtime.chmod(0o777)
        assert one.call(chosen) == Path(f"/tmp/virtometer-{one.uid}")


def open_directory(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


@pytest.mark.parametrize("plant", [open_directory, Path.touch, lambda path: path.symlink_to("/var/tmp")])
def test_nobody_can_take_the_state_directory_of_an_ordinary_user(
    make_user: MakeUser, plant: Callable[[Path], None]
) -> None:
    user, hostile = make_user(), make_user()
    usual = Path(f"/tmp/virtometer-{user.uid}")
    for name in (usual, Path(f"{usual}-0"), Path(f"{usual}-zzz")):
        hostile.call(partial(plant, name))
    chosen = user.call(state_directory)
    assert chosen.name.startswith(f"{usual.name}-")
    assert private(chosen, user.uid)
    assert user.call(state_directory) == chosen
    user.call(lambda: Journal(state_directory()).record("g", DIRECTORY, path="/d"))
    assert [path.name for path in chosen.iterdir()] == ["g.json"]


def test_laboratories_that_begin_at_once_have_one_state_directory(make_user: MakeUser) -> None:
    user = make_user()

    def chosen(pipe: Connection) -> None:
        pipe.recv()
        pipe.send(state_directory())

    with ExitStack() as running:
        pipes = [running.enter_context(user.doing(chosen))[0] for _ in range(8)]
        for pipe in pipes:
            pipe.send("begin")
        assert {pipe.recv() for pipe in pipes} == {Path(f"/tmp/virtometer-{user.uid}")}


def test_a_state_directory_that_others_can_read_is_closed(make_user: MakeUser) -> None:
    """Whoever can open a directory can lock it, and keep a clean-up from its work."""
    user = make_user()

    def chosen() -> Path:
        os.environ["XDG_RUNTIME_DIR"] = str(state_directory())
        state_directory().chmod(0o755)
        return state_directory()

    assert private(user.call(chosen), user.uid)
