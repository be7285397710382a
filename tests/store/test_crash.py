"""SIGKILL at random moments: what was acknowledged is there, whole; what was not is there whole or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.campaigns import campaign, done, guest, lied
from virtometer.errors import LedgerError
from virtometer.model import Campaign, CommandLine, Trial, TrialRecord
from virtometer.store.ledger import Ledger

LINE = CommandLine("2026", "do it", ("true",), 0)
SAMPLES = 150


def killed_after(seconds: float, work: Callable[[int], None]) -> bytes:
    """Fork a laboratory that runs `work(descriptor)`, kill it so long after its first word; return what it wrote."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(writing)
        finally:
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while chunk := os.read(reading, 65536):
        said += chunk
    os.close(reading)
    return said


def finished_trial(trial: Trial) -> TrialRecord:
    """Most are done; every fifth failed by its clock and left what it had measured."""
    return lied(trial, SAMPLES) if trial.index % 5 == 4 else done(trial, SAMPLES)


def whole(of: Campaign, back: Campaign) -> bool:
    """Every trial in `back` has all that was recorded with it."""
    return (
        all(record == finished_trial(record.trial) for record in back.trials)
        and back.guests == tuple(guest(record.trial.index) for record in back.trials)
        and len(back.commands) == len(of.commands) + len(back.trials)
        and back.planned == of.planned
    )


def test_killed_while_recording(tmp_path: Path) -> None:
    of = campaign(60)  # each round forks a large process of tests
    dice = random.Random(5)
    directory = tmp_path / "r"
    Ledger.create(directory, of).close()
    finished: set[int] = set()

    def work(descriptor: int) -> None:
        with Ledger.open(directory, write=True) as ledger:
            os.write(descriptor, b".")
            for trial in of.planned:
                if trial.index not in finished:
                    ledger.record([finished_trial(trial)], [guest(trial.index)], [LINE])
                    os.write(descriptor, b".")

    rounds, longest_s = 0, 0.03
    while len(finished) < len(of.planned):
        rounds += 1
        acknowledged = len(killed_after(dice.uniform(0, longest_s), work)) - 1
        # On a busy host one commit may take longer than all that.
        longest_s = 0.03 if acknowledged else longest_s * 2
        with Ledger.open(directory) as ledger:
            now = ledger.finished()
        # In order, none lost, and at most the one whose commit was under way beyond what was acknowledged.
        assert now == set(range(len(now)))
        assert len(finished) + acknowledged <= len(now) <= len(finished) + acknowledged + 1
        finished = now
    assert rounds > 10
    with Ledger.open(directory) as ledger:
        assert whole(of, ledger.read())


def test_killed_while_creating(tmp_path: Path) -> None:
    of = campaign(40)
    dice = random.Random(6)
    nothing = complete = 0
    longest_s = 0.15
    for number in range(60):
        directory = tmp_path / f"r{number}"

        def work(descriptor: int, directory: Path = directory) -> None:
            os.write(descriptor, b".")
            Ledger.create(directory, of)
            time.sleep(60)

        # The usual time is 10 ms. Every other one has longer, and longer still where a busy host takes a multiple.
        killed_after(dice.uniform(0, 0.02 if number % 2 else longest_s), work)
        try:
            with Ledger.open(directory, write=True) as ledger:
                assert ledger.read() == of
            complete += 1
        except LedgerError as error:
            assert "holds no campaign" in error.sentence or "does not exist" in error.sentence, error.sentence
            nothing += 1
            if number % 2 == 0:
                longest_s *= 1.5
            with Ledger.create(directory, of) as ledger:
                assert ledger.read() == of
    assert nothing > 5
    assert complete > 5


def test_interrupted_by_ctrl_c_while_recording(tmp_path: Path) -> None:
    """Ctrl-C may come between any two steps: the ledger goes on working, and the interruption is not lost."""
    of = campaign(300)
    dice = random.Random(7)
    sent = caught = 0

    def ctrl_c(number: int, frame: object) -> None:
        nonlocal sent
        sent += 1
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, ctrl_c)
    try:
        with Ledger.create(tmp_path / "r", of) as ledger:
            for trial in of.planned:
                record = finished_trial(trial)
                try:  # it rings once: at once on a busy host, in `record`, or after it
                    signal.setitimer(signal.ITIMER_REAL, dice.uniform(0.00002, 0.004))
                    ledger.record([record], [guest(trial.index)], [LINE])
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except KeyboardInterrupt:
                    caught += 1
                if trial.index not in ledger.finished():
                    ledger.record([record], [guest(trial.index)], [LINE])
            assert whole(of, ledger.read())
            assert len(ledger.finished()) == 300
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert sent > 30
    assert caught > 30


def test_the_lock_is_not_inherited_by_what_the_laboratory_starts(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "r", campaign())
    child = subprocess.Popen(["sh", "-c", "echo runs; exec sleep 600"], close_fds=False, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"runs\n"
        ledger.close()
        Ledger.open(tmp_path / "r", write=True).close()
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("trials", [0, 7])
def test_a_log_that_was_left_behind_is_read(tmp_path: Path, trials: int) -> None:
    """A killed laboratory leaves its write-ahead log; a reader sees what is in it."""
    of = campaign()

    def work(descriptor: int) -> None:
        ledger = Ledger.create(tmp_path / "r", of)
        for trial in of.planned[:trials]:
            ledger.record([done(trial)], [guest(trial.index)], [])
        os.write(descriptor, b".")
        time.sleep(60)

    killed_after(0, work)
    assert (tmp_path / "r" / "ledger.sqlite-wal").exists()
    with Ledger.open(tmp_path / "r") as ledger:
        assert ledger.finished() == set(range(trials))
