"""The worst block: which one it is, and what is concluded without it."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, Work, changed, finding_of, gaussian, simulate
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.compare.worst_block import farthest, notes, worst_blocks
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import spread
from virtometer.analysis.statistics.verdicts import decide
from virtometer.model import Campaign, Estimate, Verdict, WorstBlock

LOGS = st.lists(st.floats(-3, 3), min_size=3, max_size=40)
STEADY = [0.0, 0.01, -0.01, 0.005, -0.005, 0.002, -0.002, 0.001]


def sides(_: object) -> tuple[str, str]:
    return "box", "native"


def numbered(logs: list[float]) -> dict[int, float]:
    return dict(enumerate(logs))


@pytest.mark.parametrize(
    ("logs", "block"),
    [
        ([], None),
        ([0.0], None),
        ([0.0, 5.0], None),
        ([0.1, 0.1, 0.1], None),
        ([0.0, 0.1, 5.0], 2),
        ([0.0, -5.0, 0.1], 1),
        ([-1.0, 0.0, 1.0], 0),
        ([*STEADY, math.log(0.5)], 8),
    ],
)
def test_it_is_the_block_farthest_from_the_median(logs: list[float], block: int | None) -> None:
    assert farthest(numbered(logs)) == block


@given(LOGS, st.randoms(use_true_random=False))
def test_no_block_is_farther_and_the_order_does_not_matter(logs: list[float], random: object) -> None:
    middle = statistics.median(logs)
    block = farthest(numbered(logs))
    if block is None:
        assert set(logs) == {middle}
    else:
        assert all(abs(log - middle) <= abs(logs[block] - middle) for log in logs)
        backwards = farthest(dict(reversed(numbered(logs).items())))
        assert backwards is not None and abs(logs[backwards] - middle) == abs(logs[block] - middle)


def test_the_ratio_without_it_is_that_of_the_other_blocks() -> None:
    worst = worst_blocks({"box": numbered([*STEADY, math.log(0.5)])}, sides, 0.05)["box"]
    assert worst.block == 8
    assert worst.ratio.estimate.value == pytest.approx(0.5)
    assert worst.without.estimate.n == 8
    assert worst.without.estimate.value == pytest.approx(math.exp(statistics.fmean(STEADY)))
    assert worst.without.estimate.low is not None and worst.without.estimate.low < worst.without.estimate.value
    assert worst.verdict_without is Verdict.EQUIVALENT


def test_below_six_blocks_there_is_neither_an_interval_nor_a_verdict_without_it() -> None:
    worst = worst_blocks({"box": numbered([-0.7, -0.71, -0.7, -0.69, -0.7, -3.0])}, sides, 0.05)["box"]
    assert (worst.without.estimate.n, worst.without.estimate.low, worst.without.estimate.high) == (5, None, None)
    assert worst.verdict_without is Verdict.UNDECIDED
    assert notes(worst, Verdict.SLOWER) == [], "that five blocks decide nothing is no news"


@given(st.lists(st.lists(st.floats(-0.5, 0.5), min_size=7, max_size=12), min_size=1, max_size=6))
def test_the_verdict_without_it_is_that_of_a_family_in_which_one_comparison_lacks_the_block(
    logs: list[list[float]],
) -> None:
    family = {key: numbered(of) for key, of in enumerate(logs)}
    for key, worst in worst_blocks(family, sides, 0.05).items():
        changed_family = {
            other: spread([log for block, log in of.items() if other != key or block != worst.block])
            for other, of in family.items()
        }
        decision = decide(changed_family, 0.05)[key]
        assert worst.verdict_without is decision.verdict
        assert worst.without.estimate == interval(log for block, log in family[key].items() if block != worst.block)


def test_a_note_says_so_where_the_verdict_depends_on_the_block(said: Said) -> None:
    ratio, without = Estimate(0.6123, None, None, 1), Estimate(0.99, 0.98, 1.0, 8)
    worst = WorstBlock(3, efficiency(*sides(0), ratio), efficiency(*sides(0), without), Verdict.EQUIVALENT)
    (note,) = notes(worst, Verdict.UNDECIDED)
    assert "without block 4 (ratio 0.612)" in note
    said(note)
    assert notes(worst, Verdict.EQUIVALENT) == []
    assert notes(None, Verdict.UNDECIDED) == []


def one_bad_block(blocks: int = 9) -> Campaign:
    """The box is as fast as native, but for half its speed in block 2, counted from 0."""
    campaign = simulate([Place("native"), Place("box")], blocks=blocks, noise=gaussian(0.01))
    trials = []
    for record in campaign.trials:
        (run,) = record.runs
        slow = run.placement.environment == "box" and record.trial.block == 2
        trials.append(replace(record, runs=(changed(run, value=run.scored.value * (0.5 if slow else 1.0)),)))
    return replace(campaign, trials=tuple(trials))


def test_a_finding_has_its_worst_block_and_a_note() -> None:
    found = finding_of(one_bad_block(), "box")
    assert found.verdict is Verdict.UNDECIDED
    assert found.worst_block is not None
    assert found.worst_block.block == 2
    assert found.worst_block.ratio.estimate.value == pytest.approx(0.5, rel=0.05)
    assert found.worst_block.without.estimate.n == 8
    assert found.worst_block.verdict_without is Verdict.EQUIVALENT
    assert [note for note in found.notes if "without block 3 (ratio 0." in note and note.endswith("be equivalent")]
    assert finding_of(one_bad_block(), "native").worst_block is None


def test_only_findings_that_compare_have_one() -> None:
    places = [Place("native"), Place("box"), Place("none", works=False, reason="no")]
    found = analyse(simulate(places, [Work("a"), Work("b")], noise=gaussian(0.02))).findings
    assert [one.worst_block is not None for one in found] == [False, True, False] * 2
    assert finding_of(simulate(places, blocks=2, noise=gaussian(0.02)), "box").worst_block is None
