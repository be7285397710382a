"""A ledger without the log that a killed laboratory left says so, and no other ledger does."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.sentences import Said
from tests.store.campaigns import campaign, done, guest
from tests.store.ledgers import LINE
from virtometer.errors import LedgerError
from virtometer.model import Trial
from virtometer.store import files, names
from virtometer.store.files import Recorded
from virtometer.store.ledger import Ledger

OF = campaign(12)
WAL, SHM = f"{names.LEDGER}-wal", f"{names.LEDGER}-shm"


def recorded_in(ledger: Ledger, trials: Iterable[Trial]) -> Ledger:
    for trial in trials:
        ledger.record([done(trial, 2)], [guest(trial.index)], [LINE])
    return ledger


def killed(work: Callable[[], Ledger]) -> None:
    """Do it in a laboratory of its own, which SIGKILL ends with its ledger open."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            kept = work()
            os.kill(os.getpid(), signal.SIGKILL)
            kept.close()
        os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The directory of a laboratory that was killed after five of twelve trials."""
    directory = tmp_path / "r"
    killed(lambda: recorded_in(Ledger.create(directory, OF), OF.planned[:5]))
    assert (directory / WAL).stat().st_size > 0
    return directory


def without_log(directory: Path) -> Path:
    for name in (WAL, SHM):
        (directory / name).unlink(missing_ok=True)
    return directory


def kept(directory: Path) -> dict[str, bytes]:
    """What the files hold, without the process in the lock and the files that SQLite makes to read: an empty log."""
    found = {path.name: path.read_bytes() for path in directory.iterdir() if path.name != SHM}
    found[names.LOCK] = found[names.LOCK].partition(b"\n")[2]
    return {name: content for name, content in found.items() if content}


def finished(directory: Path) -> set[int]:
    with Ledger.open(directory) as ledger:
        return ledger.finished()


@pytest.mark.parametrize(
    "words", [["report"], ["report", "--format", "csv"], ["resume"], ["compare"], ["compare", "--json"]], ids=" ".join
)
def test_each_verb_says_that_the_log_is_lost_and_writes_nothing(said: Said, left: Path, words: list[str]) -> None:
    before = kept(without_log(left))
    verb, *options = words
    ended = virtometer(verb, left, *([left] if verb == "compare" else []), *options)
    assert (ended.status, ended.out) == (4, "")
    sentence, advice = ended.err.splitlines()
    assert "5 of the 5 trials" in sentence and f"remove {left}/lock" in advice
    said(ended.err, directory=left)
    assert kept(left) == before


@pytest.mark.parametrize("write", [False, True])
def test_a_log_that_is_put_back_is_read(left: Path, tmp_path: Path, write: bool) -> None:
    shutil.copy(left / WAL, tmp_path / WAL)
    with pytest.raises(LedgerError, match="5 of the 5 trials recorded"):
        Ledger.open(without_log(left), write=write)
    shutil.copy(tmp_path / WAL, left / WAL)
    assert finished(left) == set(range(5))


def test_a_log_of_an_earlier_moment_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    directory = tmp_path / "r"

    def work() -> Ledger:
        ledger = recorded_in(Ledger.create(directory, OF), OF.planned[:2])
        shutil.copy(directory / WAL, tmp_path / WAL)
        return recorded_in(ledger, OF.planned[2:5])

    killed(work)
    shutil.copy(tmp_path / WAL, without_log(directory) / WAL)
    for write in (False, True):
        with pytest.raises(LedgerError, match="3 of the 5 trials recorded"):
            Ledger.open(directory, write=write)
    assert (directory / WAL).read_bytes() == (tmp_path / WAL).read_bytes()


def test_a_later_laboratory_does_not_forget_what_an_earlier_one_recorded(left: Path) -> None:
    def work() -> Ledger:
        ledger = recorded_in(Ledger.open(left, write=True), OF.planned[5:6])
        with pytest.raises(LedgerError, match="another laboratory"):
            Ledger.open(left, write=True)
        return ledger

    killed(work)
    with pytest.raises(LedgerError, match="6 of the 6 trials recorded"):
        Ledger.open(without_log(left), write=True)
    with pytest.raises(LedgerError, match="6 of the 6 trials recorded"):
        Ledger.open(left)


def test_what_was_recorded_beside_trials_is_missed_too(said: Said, tmp_path: Path) -> None:
    directory = tmp_path / "r"
    Ledger.create(directory, OF).close()

    def work() -> Ledger:
        ledger = Ledger.open(directory, write=True)
        ledger.note([guest(50)], [LINE])
        return ledger

    killed(work)
    with pytest.raises(LedgerError, match="what was last recorded in") as caught:
        Ledger.open(without_log(directory))
    said(caught.value.sentence, directory=directory)


def test_removing_the_lock_is_to_go_on_without_the_trials(left: Path) -> None:
    (without_log(left) / names.LOCK).unlink()
    assert finished(left) == set()
    with Ledger.open(left, write=True) as ledger:
        recorded_in(ledger, OF.planned)
    assert finished(left) == set(range(12))


# --- no false alarm -----------------------------------------------------------------------------------------------


def test_a_ledger_that_was_closed_has_no_log_and_is_whole(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "r", OF) as ledger:
        recorded_in(ledger, OF.planned[:5])
    assert not (tmp_path / "r" / WAL).exists()
    assert files.recorded(tmp_path / "r") == Recorded(6, 5)
    assert finished(tmp_path / "r") == set(range(5))
    Ledger.open(tmp_path / "r", write=True).close()


def test_another_program_may_put_the_log_of_a_killed_laboratory_into_the_ledger(left: Path) -> None:
    connection = sqlite3.connect(left / names.LEDGER)
    connection.execute("SELECT count(*) FROM trials").fetchone()
    connection.close()
    assert not (left / WAL).exists()
    assert finished(left) == set(range(5))


@pytest.mark.parametrize("trials", [0, 3])
def test_a_laboratory_that_was_killed_before_it_recorded_lost_nothing(tmp_path: Path, trials: int) -> None:
    directory = tmp_path / "r"
    with Ledger.create(directory, OF) as ledger:
        recorded_in(ledger, OF.planned[:trials])
    killed(lambda: Ledger.open(directory, write=True))
    assert finished(without_log(directory)) == set(range(trials))


@pytest.mark.parametrize("text", [b"", b"4711\n", b"4711\n9 entries", b"4711\n9 entries, 8 trials\n\0", b"\xff" * 300])
def test_a_lock_that_does_not_say_how_much_was_recorded_is_no_sign(left: Path, text: bytes) -> None:
    """What a power failure left of it."""
    (without_log(left) / names.LOCK).write_bytes(text)
    assert files.recorded(left) is None
    assert finished(left) == set()
    Ledger.open(left, write=True).close()
    assert files.recorded(left) == Recorded(1, 0)


def test_a_lock_that_cannot_be_read_is_no_sign(left: Path) -> None:
    (without_log(left) / names.LOCK).unlink()
    (left / names.LOCK).symlink_to("/proc/self/mem")
    assert finished(left) == set()


def test_a_lock_that_a_power_failure_left_behind_the_ledger_is_no_alarm(left: Path) -> None:
    (left / names.LOCK).write_bytes(b"4711\n3 entries, 2 trials\n")
    assert finished(left) == set(range(5))


def test_a_reader_beside_a_laboratory_sees_no_loss(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "r", OF) as ledger:
        for trial in OF.planned:
            recorded_in(ledger, [trial])
            assert finished(tmp_path / "r") == set(range(trial.index + 1))


def test_a_new_campaign_where_an_old_one_was_removed_is_whole(left: Path) -> None:
    (without_log(left) / names.LEDGER).unlink()
    (left / names.PLAN).unlink()
    with Ledger.create(left, OF) as ledger:
        assert ledger.finished() == set()
    assert finished(left) == set()


def test_a_disk_that_refuses_the_note_costs_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.create(tmp_path / "r", OF) as ledger:

        def full(*_: object) -> int:
            raise OSError(28, "no space")

        monkeypatch.setattr(os, "pwrite", full)
        recorded_in(ledger, OF.planned[:3])
    monkeypatch.undo()
    assert finished(tmp_path / "r") == {0, 1, 2}
