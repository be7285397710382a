"""Entering guests from the host: timed in turns, and a reason where it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.fixtures import MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.design.schedule.shuffle import Generator
from virtometer.environments.base import Guest, LabContext, Settings
from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.environments.kinds.native import Native
from virtometer.errors import EnvironmentFailed
from virtometer.model import ENTRY, GuestKey
from virtometer.runner.guests.entering import ROUNDS, timed
from virtometer.runner.guests.pool import Guests

TWO = [{"name": name, "kind": "native"} for name in ("native", "other")]


@pytest.fixture
def guests(make_plan: MakePlan, lab: LabContext, watcher: Watcher) -> Guests:
    made = Guests(resolved(make_plan(TWO)), lab, watcher)
    made.prepare({"native", "other"})
    return made


def test_guests_are_entered_in_turns_and_once(guests: Guests, lab: LabContext) -> None:
    guests.start_together([GuestKey("native"), GuestKey("native", 2), GuestKey("other")])
    try:
        guests.enter(Generator(1))
        guests.enter(Generator(2))
    finally:
        guests.stop_all()
    notes = [start.effective.get(ENTRY) for start in guests.starts]
    assert len(notes) == 3 and notes.count(None) == 1, "the control is not entered"
    for note in filter(None, notes):
        assert len(note["seconds"]) == ROUNDS and all(0 < one < 5 for one in note["seconds"])
    order = [one.purpose.split()[1] for one in lab.programs.drain() if one.purpose.startswith("enter ")]
    assert len(order) == 2 * ROUNDS
    assert all({*order[at : at + 2]} == {"native", "other"} for at in range(0, len(order), 2))


@pytest.mark.parametrize("answer", ["fails", "refuses", "none"])
def test_what_cannot_be_entered_has_a_reason(
    guests: Guests, monkeypatch: pytest.MonkeyPatch, said: Said, answer: str
) -> None:
    def entry(self: Native, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        if answer == "refuses":
            raise EnvironmentFailed("its monitor has ended")
        return (
            NoEntry("has no door")
            if answer == "none"
            else GuestEntry("sh", ["sh", "-c", "echo no such >&2; exit 3"], "")
        )

    monkeypatch.setattr(Native, "entry", entry)
    guests.ensure(GuestKey("native"))
    try:
        guests.enter(Generator(1))
    finally:
        guests.stop_all()
    (start,) = guests.starts
    note = start.effective[ENTRY]
    assert "seconds" not in note
    said(note["reason"])


def test_a_program_that_is_missing_is_one_sentence(lab: LabContext) -> None:
    with pytest.raises(EnvironmentFailed):
        timed(lab, GuestEntry("nothing", [Path("/no/such/program")], "x"), "enter nothing")
