"""Sentences on tunings of the host that were not undone."""

from __future__ import annotations

from dataclasses import replace

from tests.store.campaigns import campaign
from virtometer.model import HostTuningEvent, TuningState
from virtometer.report.parts.left_tuned import left_tuned


def event(tuning: str, state: TuningState, what: str = "sysctl vm.swappiness=11") -> HostTuningEvent:
    return HostTuningEvent("2026-01-02T03:04:05.000+00:00", tuning, state, what)


def test_what_was_undone_is_not_named() -> None:
    assert left_tuned(campaign()) == []
    undone = (event("a", TuningState.IN_FORCE), event("a", TuningState.UNDONE))
    assert left_tuned(replace(campaign(), tunings=undone)) == []


def test_what_is_in_force_and_what_was_left_are_a_sentence_each() -> None:
    events = (
        event("a", TuningState.IN_FORCE),
        event("b", TuningState.IN_FORCE),
        event("b", TuningState.LEFT, "sysctl vm.swappiness was 60 and is 11"),
    )
    assert left_tuned(replace(campaign(), tunings=events)) == [
        "The host is tuned (sysctl vm.swappiness=11), and nothing says yet that this was undone. Where the laboratory "
        "was killed, the next start of one undoes it.",
        "The host is not as it was: a tuning of it could not be undone (sysctl vm.swappiness was 60 and is 11).",
    ]
