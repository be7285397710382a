"""Counts of marked trials."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, simulate
from tests.sentences import Said
from virtometer.analysis.compared.marked import Marked, marked, notes
from virtometer.model import Mark, MarkKind


def test_trials_count_once_and_kinds_apart(said: Said) -> None:
    both = (Mark(MarkKind.FOREIGN, "a"), Mark(MarkKind.RUN_DELAY, "b"), Mark(MarkKind.FOREIGN, "c"))
    of = simulate([Place("native")], blocks=4, marks={0: both, 2: both[:1]})
    found = marked([*of.trials, *of.trials])
    assert found == Marked(4, 2, {"foreign": 2, "run-delay": 1})
    (note,) = notes(found, Marked(3))
    assert "2 of 4 trials in A (foreign 2, run-delay 1)" in note and "0 of 3 trials in B" in note
    said(note)
    assert notes(Marked(3), Marked(3)) == []
