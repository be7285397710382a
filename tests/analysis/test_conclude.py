"""What a campaign becomes: which rows there are, which verdict applies first, what the notes say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, Work, finding_of, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.model import Failure, FailureKind, Verdict

NATIVE = Place("native")


def test_one_row_for_every_workload_and_environment_in_the_order_of_the_plan() -> None:
    works = [Work("b"), Work("a")]
    found = analyse(simulate([Place("z"), Place("y"), Place("x")], works)).findings
    assert [(f.workload, f.subject) for f in found] == [(w, e) for w in "ba" for e in "zyx"]
    assert [f.verdict for f in found[::3]] == [Verdict.BASELINE] * 2
    assert all(f.against == "z" for f in found)


def test_the_baseline_has_its_value_and_a_ratio_of_1_without_an_interval() -> None:
    baseline = finding_of(simulate([NATIVE, Place("runc")], noise=gaussian(0.02)), "native")
    assert baseline.ratio is not None and (baseline.ratio.value, baseline.ratio.low) == (1.0, None)
    assert baseline.value is not None and baseline.value.value == pytest.approx(18e9, rel=0.05)
    assert baseline.value.low is not None and baseline.value.low < baseline.value.value
    assert (baseline.unit, baseline.metric, baseline.better) == ("B/s", "bandwidth, 3 x size", "higher")


@pytest.mark.parametrize(("unit", "level"), [("B/s", 1e9), ("s", 1e-6)])
def test_above_1_is_better_whatever_the_unit(unit: str, level: float) -> None:
    campaign = simulate([NATIVE, Place("half", efficiency={"": 0.5})], [Work(unit=unit, level=level)])
    found = finding_of(campaign, "half")
    assert found.ratio is not None and found.ratio.value == pytest.approx(0.5)
    assert found.verdict is Verdict.SLOWER
    assert found.value is not None
    assert found.value.value == pytest.approx(level / 2 if unit == "B/s" else level * 2)


def test_five_blocks_give_neither_interval_nor_verdict_and_six_give_both() -> None:
    places = [NATIVE, Place("half", efficiency={"": 0.5})]
    few = finding_of(simulate(places, blocks=5, noise=gaussian(0.02)), "half")
    assert few.verdict is Verdict.UNDECIDED
    assert few.ratio is not None and few.ratio.low is None and few.ratio.n == 5
    assert few.p_value is None and few.detectable is None
    assert few.blocks_needed == 6
    assert "5 complete blocks; an interval and a verdict take 6" in few.notes
    enough = finding_of(simulate(places, blocks=6, noise=gaussian(0.02)), "half")
    assert enough.verdict is Verdict.SLOWER and enough.ratio is not None and enough.ratio.low is not None


def test_undecided_says_what_could_have_been_seen_and_what_deciding_takes() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8, noise=gaussian(0.2), seed=3)
    found = finding_of(campaign, "runc")
    assert found.verdict is Verdict.UNDECIDED
    assert found.detectable is not None and 0.1 < found.detectable < 1.5
    assert found.blocks_needed is not None and found.blocks_needed > 8
    # Two trials a block, two seconds from the start of one to the start of the next.
    assert found.seconds_needed == pytest.approx((found.blocks_needed - 8) * 4)


def test_decided_findings_carry_no_forecast() -> None:
    found = finding_of(simulate([NATIVE, Place("half", efficiency={"": 0.5})], noise=gaussian(0.01)), "half")
    assert (found.detectable, found.blocks_needed, found.seconds_needed) == (None, None, None)


def test_a_baseline_that_gave_nothing_leaves_the_others_undecided_with_their_values() -> None:
    campaign = simulate(
        [Place("native", fails={"memory triad 64 MB": Failure(FailureKind.GUEST, "no space")}), Place("runc")]
    )
    own = finding_of(campaign, "native")
    assert (own.verdict, own.ratio, own.value) == (Verdict.BASELINE, None, None)
    assert "8 of 8 trials failed: no space" in own.notes
    found = finding_of(campaign, "runc")
    assert (found.verdict, found.ratio, found.blocks_needed) == (Verdict.UNDECIDED, None, None)
    assert found.value is not None
    assert "native gave no value to compare with" in found.notes


def test_a_campaign_that_has_only_begun_is_undecided_everywhere() -> None:
    campaign = replace(simulate([NATIVE, Place("runc")]), trials=())
    assert [f.verdict for f in analyse(campaign).findings] == [Verdict.BASELINE, Verdict.UNDECIDED]
    assert all(f.value is None and f.ratio is None for f in analyse(campaign).findings)


def test_a_plan_whose_baseline_is_missing_says_so() -> None:
    campaign = simulate([NATIVE, Place("runc")], baseline="elsewhere")
    assert all(f.verdict is Verdict.UNDECIDED for f in analyse(campaign).findings)
    assert "the plan's baseline elsewhere is not among its environments" in analyse(campaign).findings[0].notes


def test_a_significant_interval_that_holm_does_not_let_through_is_explained() -> None:
    """Search for a campaign in which one comparison alone looks different, and read what is said about it."""
    for seed in range(200):
        works = [Work(f"w{number}") for number in range(10)]
        for found in analyse(
            simulate([NATIVE, Place("runc")], works, seed=seed, noise=gaussian(0.2), samples=1)
        ).findings:
            if found.ratio is not None and found.ratio.high is not None and found.ratio.high < 1:
                assert found.verdict is Verdict.UNDECIDED
                assert any("not enough among 10 comparisons" in note for note in found.notes)
                return
    pytest.fail("200 campaigns of 10 comparisons without one interval below 1: the noise is not what it says")


@given(st.integers(0, 2**32), st.floats(0.01, 0.3))
@settings(max_examples=30)
def test_swapping_subject_and_baseline_turns_the_ratio_round(seed: int, sd: float) -> None:
    campaign = simulate([Place("a"), Place("b", efficiency={"": 0.8})], seed=seed, noise=gaussian(sd), samples=1)
    turned = replace(campaign, plan=campaign.plan.model_copy(update={"baseline": "b"}))
    one, two = finding_of(campaign, "b"), finding_of(turned, "a")
    assert one.ratio is not None and two.ratio is not None
    assert one.ratio.low is not None and two.ratio.high is not None
    assert two.ratio.value == pytest.approx(1 / one.ratio.value)
    assert two.ratio.high == pytest.approx(1 / one.ratio.low)
    opposite = {Verdict.SLOWER: Verdict.FASTER, Verdict.FASTER: Verdict.SLOWER}
    assert two.verdict is opposite.get(one.verdict, one.verdict)
