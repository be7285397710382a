"""What a campaign becomes: which rows there are, which verdict applies first, what the notes say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, Work, finding_of, gaussian, in_rounds, simulate
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.model import Campaign, Failure, FailureKind, Finding, Run, Verdict

NATIVE = Place("native")


def test_one_row_for_every_workload_and_environment_in_the_order_of_the_plan() -> None:
    works = [Work("b"), Work("a")]
    found = analyse(simulate([Place("z"), Place("y"), Place("x")], works)).findings
    assert [(f.workload, f.subject) for f in found] == [(w, e) for w in "ba" for e in "zyx"]
    assert [f.verdict for f in found[::3]] == [Verdict.BASELINE] * 2
    assert all(f.ratio.reference == "z" for f in found)


def test_the_baseline_has_its_value_and_a_ratio_of_1_without_an_interval() -> None:
    baseline = finding_of(simulate([NATIVE, Place("runc")], noise=gaussian(0.02)), "native")
    ratio = baseline.ratio.estimate
    assert ratio is not None and (ratio.value, ratio.low) == (1.0, None)
    assert baseline.value.estimate is not None and baseline.value.estimate.value == pytest.approx(18e9, rel=0.05)
    assert baseline.value.estimate.low is not None and baseline.value.estimate.low < baseline.value.estimate.value
    assert (baseline.value.unit, baseline.value.metric, baseline.value.better) == (
        "B/s",
        "bandwidth, 3 x size",
        "higher",
    )


@pytest.mark.parametrize(("unit", "level"), [("B/s", 1e9), ("s", 1e-6)])
def test_above_1_is_better_whatever_the_unit(unit: str, level: float) -> None:
    campaign = simulate([NATIVE, Place("half", efficiency={"": 0.5})], [Work(unit=unit, level=level)])
    found = finding_of(campaign, "half")
    assert found.ratio.estimate is not None and found.ratio.estimate.value == pytest.approx(0.5)
    assert found.verdict is Verdict.SLOWER
    assert found.value.estimate is not None
    assert found.value.estimate.value == pytest.approx(level / 2 if unit == "B/s" else level * 2)


def test_five_blocks_give_neither_interval_nor_verdict_and_six_give_both() -> None:
    places = [NATIVE, Place("half", efficiency={"": 0.5})]
    few = finding_of(simulate(places, blocks=5, noise=gaussian(0.02)), "half")
    assert few.verdict is Verdict.UNDECIDED
    assert few.ratio.estimate is not None and few.ratio.estimate.low is None and few.ratio.estimate.n == 5
    assert few.p_value is None and few.detectable is None
    assert few.blocks_needed == 6
    assert "5 complete blocks; an interval and a verdict take 6" in few.notes
    enough = finding_of(simulate(places, blocks=6, noise=gaussian(0.02)), "half")
    assert (
        enough.verdict is Verdict.SLOWER and enough.ratio.estimate is not None and enough.ratio.estimate.low is not None
    )


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
    assert (own.verdict, own.ratio.estimate, own.value.estimate) == (Verdict.BASELINE, None, None)
    assert "8 of 8 trials failed: no space" in own.notes
    found = finding_of(campaign, "runc")
    assert (found.verdict, found.ratio.estimate, found.blocks_needed) == (Verdict.UNDECIDED, None, None)
    assert found.value.estimate is not None
    assert "native gave no value to compare with" in found.notes


def test_a_campaign_that_has_only_begun_is_undecided_everywhere() -> None:
    campaign = replace(simulate([NATIVE, Place("runc")]), trials=())
    assert [f.verdict for f in analyse(campaign).findings] == [Verdict.BASELINE, Verdict.UNDECIDED]
    assert all(f.value.estimate is None and f.ratio.estimate is None for f in analyse(campaign).findings)


def test_a_plan_whose_baseline_is_missing_says_so(said: Said) -> None:
    campaign = simulate([NATIVE, Place("runc")], baseline="elsewhere")
    assert all(f.verdict is Verdict.UNDECIDED for f in analyse(campaign).findings)
    (note,) = told(analyse(campaign).findings[0], "baseline elsewhere")
    said(note)


def test_a_significant_interval_that_holm_does_not_let_through_is_explained() -> None:
    """Search for a campaign in which one comparison alone looks different, and read what is said about it."""
    for seed in range(200):
        works = [Work(f"w{number}") for number in range(10)]
        for found in analyse(
            simulate([NATIVE, Place("runc")], works, seed=seed, noise=gaussian(0.2), samples=1)
        ).findings:
            if (
                found.ratio.estimate is not None
                and found.ratio.estimate.high is not None
                and found.ratio.estimate.high < 1
            ):
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
    assert one.ratio.estimate is not None and two.ratio.estimate is not None
    assert one.ratio.estimate.low is not None and two.ratio.estimate.high is not None
    assert two.ratio.estimate.value == pytest.approx(1 / one.ratio.estimate.value)
    assert two.ratio.estimate.high == pytest.approx(1 / one.ratio.estimate.low)
    opposite = {Verdict.SLOWER: Verdict.FASTER, Verdict.FASTER: Verdict.SLOWER}
    assert two.verdict is opposite.get(one.verdict, one.verdict)


def turning(
    rates: Callable[[Run, int], list[float]], windows: Callable[[Run], list[list[float]]], apart: Sequence[str] = ()
) -> Campaign:
    """Eight blocks in which two guests took turns; `apart` names whose long windows are the values."""
    made = simulate([NATIVE, Place("box")])
    trials = tuple(
        replace(
            record,
            runs=tuple(
                in_rounds(run, rates(run, record.trial.block), windows(run), count=run.placement.environment in apart)
                for run in record.runs
            ),
        )
        for record in made.trials
    )
    return replace(made, trials=trials)


def of_box(run: Run, box: float, native: float = 1e9) -> float:
    return box if run.placement.environment == "box" else native


def told(finding: Finding, words: str) -> list[str]:
    return [note for note in finding.notes if words in note]


def test_a_stop_of_each_block_is_in_the_ratio_and_not_in_the_typical_one(said: Said) -> None:
    """In one of twenty slices the guest reaches a twentieth."""

    def rates(run: Run, block: int) -> list[float]:
        speed = of_box(run, 0.9e9 * (1.001 if block % 2 else 0.999))
        return [speed / (20 if number == block and run.placement.environment == "box" else 1) for number in range(20)]

    found = finding_of(turning(rates, lambda _: []), "box")
    assert found.ratio.estimate is not None and found.typical is not None
    assert found.typical.estimate.value == pytest.approx(0.9, rel=1e-3)
    assert found.typical.estimate.low is not None and found.typical.estimate.high is not None
    assert found.typical.estimate.low < found.typical.estimate.value < found.typical.estimate.high < 0.91
    assert (found.typical.n, found.typical.estimate.level) == (8, 0.95)
    assert found.ratio.estimate.value == pytest.approx(0.9 * 0.9525, rel=2e-3)
    (note,) = told(found, "stalls cost")
    assert note.startswith("stalls cost 4.7% ") and "0.9 [0.899, 0.901]" in note
    said(note)


def test_without_stops_both_ratios_are_alike_and_nothing_is_said() -> None:
    campaign = turning(lambda run, block: [of_box(run, 0.9e9 + block * 1e6)] * 20, lambda _: [[1e9] * 12])
    found = finding_of(campaign, "box")
    assert found.ratio.estimate is not None and found.typical is not None
    assert found.typical.estimate.value == pytest.approx(found.ratio.estimate.value)
    assert found.typical.estimate.low == pytest.approx(found.ratio.estimate.low)
    assert not told(found, "stalls cost") and not told(found, "its speed changes") and not told(found, "not used")
    assert finding_of(campaign, "native").typical is None


def test_guests_that_took_no_turns_have_no_typical_ratio() -> None:
    assert finding_of(simulate([NATIVE, Place("box")]), "box").typical is None


@pytest.mark.parametrize(("later", "ratio"), [(1e9, 0.5), (8e9, 4.0)])
def test_long_windows_are_compared_where_slices_would_show_the_beginning_alone(
    said: Said, later: float, ratio: float
) -> None:
    """After the warm-up the guest begins at 4e9/s. Both have long windows; only those of the guest are its values."""
    windows = lambda run: [[of_box(run, rate, 2e9) for rate in (later, 4e9, *[later] * 398)]]  # noqa: E731
    found = finding_of(turning(lambda _run, _block: [2e9] * 10, windows, ["box"]), "box")
    assert found.ratio.estimate is not None and found.ratio.estimate.n == 8
    assert found.ratio.estimate.value == pytest.approx(ratio, rel=0.01)
    assert found.typical is None
    (note,) = told(found, "compared here")
    assert note.startswith("its speed changes") and f"after 25 ms it is {later / 4e9:.3g} times" in note
    said(note)


def test_it_is_the_baselines_speed_that_changes_where_only_the_baselines_does(said: Said) -> None:
    windows = lambda run: [[1e9, of_box(run, 1e9, 4e9), *[1e9] * 38]]  # noqa: E731
    found = finding_of(turning(lambda _run, _block: [], windows, ["native", "box"]), "box")
    assert found.ratio.estimate is not None and found.typical is None
    (note,) = told(found, "compared here")
    assert note.startswith("native's speed changes") and "after 25 ms it is 0.25 times" in note
    said(note)
    assert not told(found, "its speed")


def test_of_a_speed_that_did_not_change_in_the_end_no_change_is_reported(said: Said) -> None:
    found = finding_of(turning(lambda _run, _block: [1e9] * 10, lambda _: [[1e9] * 12], ["box"]), "box")
    (note,) = told(found, "compared here")
    assert "speed" not in note
    said(note)
