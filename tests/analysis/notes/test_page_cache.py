"""How cold the page cache was: near a threshold its word may differ from run to run, and that is no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, finding_of, simulate
from virtometer.analysis.notes import page_cache
from virtometer.model import Campaign, Run

COMMAND = Work("command", "command", "time", "s", 0.02)


def campaign(native: Sequence[float | None], box: Sequence[float | None]) -> Campaign:
    """The shares of the guests, block by block; None: not known."""
    made = simulate([Place("native"), Place("box")], [COMMAND], blocks=len(native))
    sides = {"native": native, "box": box}

    def of(run: Run, block: int) -> Run:
        share = sides[run.placement.environment][block]
        if share is None:
            return replace(run, conditions={**run.conditions, "page_cache": "not known to be cold"})
        word = "cold" if share <= 0.1 else "cold in part" if share < 0.9 else "not known to be cold"
        told = {"page_cache": word, "page_cache_left": f"{100 * share:.0f} %"}
        return replace(run, conditions={**run.conditions, **told})

    trials = [replace(one, runs=tuple(of(run, one.trial.block) for run in one.runs)) for one in made.trials]
    return replace(made, trials=tuple(trials))


NEAR = [0.09, 0.11, 0.1, 0.12, 0.08, 0.11]


@pytest.mark.parametrize(
    ("native", "box", "comparable"),
    [
        (NEAR, NEAR[::-1], True),
        ([0.02] * 6, NEAR, True),
        ([0.02] * 6, [0.2] * 5 + [0.9], True),
        ([0.02] * 6, [0.4] * 6, False),
        ([0.2] * 6, [0.8] * 6, False),  # of the same word
        ([0.02] * 6, [1.0] * 6, False),
        ([0.02] * 6, [None] * 6, False),
        ([0.02] * 6, [0.02] * 5 + [None], False),
        ([0.02] * 6, [0.0, 0.0, 0.0, 0.6, 0.6, 0.6], False),
        ([0.5] * 6, [0.12, 0.12, 0.12, 0.88, 0.88, 0.88], False),  # of the same word
    ],
)
def test_only_shares_that_clearly_differ_are_not_comparable(
    native: list[float | None], box: list[float | None], comparable: bool
) -> None:
    found = finding_of(campaign(native, box), "box", "command")
    assert found.comparable is comparable
    assert found.unlike == (() if comparable else ("page_cache",))


def test_the_sentence_has_the_shares() -> None:
    (note,) = [one for one in finding_of(campaign([0.03] * 6, [0.4] * 6), "box", "command").notes if "cache" in one]
    assert "40 %" in note and "3 %" in note
    (note,) = [one for one in finding_of(campaign([0.03] * 6, [1.0] * 6), "box", "command").notes if "cache" in one]
    assert "not known" in note and "100 %" not in note


@pytest.mark.parametrize("text", ["", "much", "-1 %", "101 %", "nan %"])
def test_a_share_that_is_none_is_not_compared(text: str) -> None:
    (run, *_) = simulate([Place("native")], [COMMAND], blocks=1).trials[0].runs
    broken = replace(run, conditions={"page_cache_left": text})
    assert page_cache.shares([broken]) is None
    assert page_cache.shares([]) is None
    known = page_cache.shares([replace(run, conditions={"page_cache_left": "7 %"})])
    assert known is not None and known == pytest.approx([0.07])
