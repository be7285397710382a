"""Ledgers to damage, and what is read of them."""

from __future__ import annotations

from pathlib import Path

from tests.store.campaigns import campaign, done, guest, lied
from virtometer.errors import VirtometerError
from virtometer.model import Campaign, CommandLine
from virtometer.store.ledger import Ledger

LINE = CommandLine("2026", "do it", ("true",), 0)


def made(directory: Path) -> Campaign:
    of = campaign(12)
    with Ledger.create(directory, of) as ledger:
        for trial in of.planned[:10]:
            record = lied(trial, 20) if trial.index % 4 == 3 else done(trial, 40)
            ledger.record([record], [guest(trial.index)], [LINE])
        ledger.note([guest(50)], [LINE])
    return read(directory)


def made_small(directory: Path) -> Campaign:
    """A ledger with one trial: it is opened quickly."""
    of = campaign(1)
    with Ledger.create(directory, of) as ledger:
        ledger.record([done(of.planned[0], 2)], [guest(0)], [LINE])
    return read(directory)


def read(directory: Path) -> Campaign:
    with Ledger.open(directory) as ledger:
        return ledger.read()


def outcome(directory: Path) -> Campaign | str:
    """What was read, or the one sentence that says why not. Any other exception passes."""
    try:
        return read(directory)
    except VirtometerError as error:
        assert "\n" not in error.sentence
        return error.sentence
