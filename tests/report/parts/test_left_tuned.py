"""Sentences on tunings of the host that were not undone."""

from __future__ import annotations

from dataclasses import replace

from tests.sentences import Said
from tests.store.campaigns import campaign
from virtometer.model import HostTuningEvent, TuningState
from virtometer.report.parts.left_tuned import left_tuned


def event(tuning: str, state: TuningState, what: str = "sysctl vm.swappiness=11") -> HostTuningEvent:
    return HostTuningEvent("2026-01-02T03:04:05.000+00:00", tuning, state, what)


def test_what_was_undone_is_not_named() -> None:
    assert left_tuned(campaign()) == []
    undone = (event("a", TuningState.IN_FORCE), event("a", TuningState.UNDONE))
    assert left_tuned(replace(campaign(), tunings=undone)) == []


def test_what_is_in_force_and_what_was_left_are_a_sentence_each(said: Said) -> None:
    events = (
        event("a", TuningState.IN_FORCE),
        event("b", TuningState.IN_FORCE),
        event("b", TuningState.LEFT, "sysctl vm.swappiness was 60 and is 11"),
    )
    in_force, left = left_tuned(replace(campaign(), tunings=events))
    assert "sysctl vm.swappiness=11" in in_force
    assert "sysctl vm.swappiness was 60 and is 11" in left
    said(in_force)
    said(left)
