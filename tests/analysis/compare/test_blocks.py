"""What goes into a comparison: the values of complete blocks."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.grouped_campaigns import in_groups
from tests.analysis.simulated_campaigns import (
    Place,
    Work,
    changed,
    finding_of,
    gaussian,
    in_rounds,
    simulate,
    trials_of,
    with_fields,
    with_runs,
)
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import (
    TreatmentData,
    apart,
    beside,
    by_treatment,
    counterpart,
    logs_by_block,
    usable,
)
from virtometer.analysis.compare.control import control_spread, controls
from virtometer.analysis.statistics.equivalence import noise_floor_share
from virtometer.model import Campaign, Excluded, Failure, FailureKind, GuestKey, Placement, Treatment, Trial

NATIVE = Place("native")
NAME = "memory triad 64 MB"


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_value_that_is_no_positive_number_is_not_used(value: float) -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8)
    first = trials_of(campaign, "runc")[0]
    found = finding_of(with_fields(campaign, {first: {"value": value}}), "runc")
    assert found.ratio.estimate is not None and found.ratio.estimate.n == 7


def test_load_placements_are_not_compared() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=6)
    as_load = with_runs(campaign, lambda run: replace(run, placement=replace(run.placement, role="load")))
    assert all(f.value.estimate is None for f in analyse(as_load).findings)


@given(st.floats(0.01, 100), st.integers(0, 2**32))
@settings(max_examples=30)
def test_what_a_whole_block_shares_does_not_change_any_ratio(factor: float, seed: int) -> None:
    campaign = simulate([NATIVE, Place("runc", efficiency={"": 0.9})], seed=seed, noise=gaussian(0.1), samples=1)
    block = campaign.trials[0].trial.block
    change: dict[int, dict[str, object]] = {
        record.trial.index: {"value": record.runs[0].scored.value * factor}
        for record in campaign.trials
        if record.trial.block == block
    }
    before, after = (finding_of(one, "runc").ratio.estimate for one in (campaign, with_fields(campaign, change)))
    assert before is not None and after is not None
    assert after.value == pytest.approx(before.value) and after.low == pytest.approx(before.low)


@given(st.randoms())
@settings(max_examples=20)
def test_the_order_in_which_trials_are_read_does_not_matter(random: object) -> None:
    campaign = simulate([NATIVE, Place("runc"), Place("uml")], noise=gaussian(0.1), samples=1)
    shuffled = list(campaign.trials)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    before, after = analyse(campaign).findings, analyse(replace(campaign, trials=tuple(shuffled))).findings
    for one, two in zip(before, after, strict=True):
        assert one.verdict == two.verdict and one.ratio.estimate is not None and two.ratio.estimate is not None
        assert two.ratio.estimate.value == pytest.approx(one.ratio.estimate.value)


def test_there_is_a_cell_for_each_combination_in_the_order_of_the_plan() -> None:
    table = by_treatment(simulate([Place("z"), Place("a", works=False)], [Work("two"), Work("one")], blocks=3))
    assert list(table) == [("two", "z"), ("two", "a"), ("one", "z"), ("one", "a")]
    assert [data.planned for data in table.values()] == [3, 0, 3, 0]
    assert [(data.workload, data.environment) for data in table.values()] == list(table)
    assert [data.shape for data in table.values()] == [("triad", "B/s", "higher"), None] * 2


def test_a_block_has_the_geometric_mean_of_its_trials() -> None:
    campaign = simulate([NATIVE], blocks=2)
    change: dict[int, dict[str, object]] = {0: {"value": 2.0}, 1: {"value": 8.0}}
    made = with_fields(campaign, change)
    same = tuple(replace(one, trial=replace(one.trial, block=0)) for one in made.trials)
    assert by_treatment(made)[NAME, "native"].values == pytest.approx({0: 2.0, 1: 8.0})
    assert by_treatment(replace(made, trials=same))[NAME, "native"].values == {0: pytest.approx(4.0)}


def test_the_cost_of_a_block_is_cpu_time_per_unit_of_work() -> None:
    campaign = simulate([NATIVE], blocks=4)
    change: dict[int, dict[str, object]] = {
        0: {"guest_cpu_s": 0.5, "work": 10},
        1: {"guest_cpu_s": None},
        2: {"guest_cpu_s": 0.0},
        3: {"guest_cpu_s": 1.0, "work": 0},
    }
    data = by_treatment(with_fields(campaign, change))[NAME, "native"]
    assert data.costs == {0: pytest.approx(0.05)}
    assert data.cost_gaps == 3
    assert len(data.values) == 4, "a value without its cost is a value"


def test_a_failed_trial_is_in_each_cell_that_it_measured_and_a_service_is_in_none() -> None:
    campaign = simulate([NATIVE, Place("box")], blocks=1)
    first, *_ = campaign.trials
    placements = (
        Placement("native", NAME), Placement("box", NAME, "load", ordinal=1), Placement("gone", NAME, ordinal=2)
    )  # fmt: skip
    failed = replace(
        first, trial=Trial(0, 0, 0, 0, placements), failure=Failure(FailureKind.GUEST, "it died"), runs=()
    )  # fmt: skip
    table = by_treatment(replace(campaign, trials=(failed,), planned=(failed.trial,)))
    assert {key: (data.planned, len(data.failed), data.values) for key, data in table.items()} == {
        (NAME, "native"): (1, 1, {}),
        (NAME, "box"): (0, 0, {}),
    }


def test_a_run_of_which_every_sample_was_excluded_is_not_usable_and_one_without_samples_is() -> None:
    (run,) = simulate([NATIVE], blocks=1).trials[0].runs
    aside = tuple(replace(sample, excluded=Excluded.OUTSIDE) for sample in run.samples)
    assert usable(run)
    assert usable(replace(run, samples=(*aside[1:], run.samples[0])))
    assert not usable(replace(run, samples=aside))
    assert usable(replace(run, samples=()))


@pytest.mark.parametrize(("windows", "untimed"), [(1, False), (3, False), (5, True)])
def test_where_most_of_the_window_is_not_timed_there_is_no_cost(windows: int, untimed: bool) -> None:
    campaign = simulate([NATIVE], blocks=2)
    change: dict[int, dict[str, object]] = {
        n: {"window_end_host_ns": record.runs[0].scored.window_start_host_ns + windows * 10**9}
        for n, record in enumerate(campaign.trials)
    }
    data = by_treatment(with_fields(campaign, change))[NAME, "native"]
    assert (data.untimed, bool(data.costs), len(data.values)) == (untimed, not untimed, 2)


def test_ratios_are_taken_within_blocks_and_above_0_is_better() -> None:
    subject, against = {0: 2.0, 1: 5.0, 3: 1.0}, {0: 1.0, 1: 10.0, 2: 7.0}
    assert [*logs_by_block(subject, against, "higher").values()] == pytest.approx([math.log(2), -math.log(2)])
    assert [*logs_by_block(subject, against, "lower").values()] == pytest.approx([-math.log(2), math.log(2)])
    assert [*logs_by_block({}, against, "higher").values()] == [*logs_by_block(subject, {}, "lower").values()] == []


def test_the_ratio_of_the_ends_of_all_numbers_is_a_number() -> None:
    (found,) = [*logs_by_block({0: 5e-324}, {0: 1.7e308}, "higher").values()]
    assert math.isfinite(found) and found < -1400


def test_a_new_cell_has_nothing() -> None:
    data = TreatmentData(Treatment("native", NAME))
    assert (data.shape, data.values, data.costs, data.untimed) == (None, {}, {}, False)


def turning(environment: str, *, count: bool) -> Campaign:
    """Two blocks: ten slices at 1e9/s after long windows of 4e9/s, which are the values of one environment or not."""
    return with_runs(
        simulate([NATIVE, Place("box")], blocks=2),
        lambda run: in_rounds(run, [1e9] * 10, [[4e9] * 12], count=count and run.placement.environment == environment),
    )


def test_rounds_and_long_windows_are_kept_by_block() -> None:
    table = by_treatment(turning("box", count=True))
    native, box = table[NAME, "native"], table[NAME, "box"]
    assert [[set(one) for one in found] for found in native.rounds.values()] == [[set(range(10))]] * 2
    assert native.values == pytest.approx({0: 1e9, 1: 1e9}, rel=1e-3)
    assert native.long_values == pytest.approx({0: 4e9, 1: 4e9}, rel=1e-3)
    assert native.long_blocks == set()
    assert box.rounds == {0: [{}], 1: [{}]}
    assert box.values == pytest.approx({0: 4e9, 1: 4e9}, rel=1e-3) == box.long_values
    assert box.long_blocks == {0, 1}


def test_a_campaign_without_turns_has_neither() -> None:
    data = by_treatment(simulate([NATIVE], blocks=2))[NAME, "native"]
    assert (data.rounds, data.long_values, data.long_blocks) == ({}, {}, set())


def data(values: dict[int, float], long_values: dict[int, float], long_blocks: set[int]) -> TreatmentData:
    return TreatmentData(Treatment("x", NAME), values=values, long_values=long_values, long_blocks=long_blocks)


def test_long_windows_are_compared_with_long_windows_and_slices_with_slices() -> None:
    slices = data({0: 1.0, 1: 2.0, 2: 3.0}, {0: 10.0, 1: 20.0}, set())
    windows = data({0: 5.0, 1: 6.0, 2: 7.0}, {0: 5.0, 1: 6.0, 2: 7.0}, {0, 1, 2})
    mixed = data({0: 5.0, 1: 6.0, 2: 7.0}, {0: 5.0}, {0})
    assert counterpart(slices, slices) == slices.values
    assert counterpart(windows, slices) == {0: 10.0, 1: 20.0}, "block 2 has no long window to compare with"
    assert counterpart(windows, windows) == windows.values
    assert counterpart(mixed, slices) == {0: 10.0, 1: 2.0, 2: 3.0}
    assert counterpart(slices, mixed) == {1: 6.0, 2: 7.0}, "slices are not compared with the long window of block 0"
    assert counterpart(slices, windows) == {}


@pytest.mark.parametrize("windows", [1, 5])
def test_of_slices_the_cost_does_not_depend_on_what_lies_between_them(windows: int) -> None:
    """Others work there, and no CPU time is counted."""
    campaign = turning("box", count=False)
    change: dict[int, dict[str, object]] = {
        n: {"window_end_host_ns": record.runs[0].scored.window_start_host_ns + windows * 10**9}
        for n, record in enumerate(campaign.trials)
    }
    data = by_treatment(with_fields(campaign, change))[NAME, "native"]
    assert (data.untimed, len(data.costs)) == (False, 2)


GROUPS = (("a",), ("b", "c"))


def grouped(*, control: bool = True, noise: float = 0.0) -> Campaign:
    """The second group is three times as fast as the first; a has 90 % of the baseline, b 80 %, c 50 %."""
    places = [NATIVE, *(Place(name, efficiency={"": share}) for name, share in (("a", 0.9), ("b", 0.8), ("c", 0.5)))]
    campaign = simulate(places, control=control, noise=gaussian(noise), samples=1)
    return in_groups(campaign, GROUPS, (1.0, 3.0))


def test_a_treatment_is_compared_with_the_baseline_of_its_own_group() -> None:
    campaign = grouped()
    for name, share in (("a", 0.9), ("b", 0.8), ("c", 0.5)):
        ratio = finding_of(campaign, name).ratio.estimate
        assert ratio is not None and ratio.n == 8
        assert ratio.value == pytest.approx(share)
    table = by_treatment(campaign)
    native = table[NAME, "native"]
    assert beside(table[NAME, "b"], native).values == pytest.approx(beside(table[NAME, "c"], native).values)
    one, other = (beside(table[NAME, name], native).values for name in ("a", "b"))
    assert other == pytest.approx({block: 3 * value for block, value in one.items()})


def test_a_baseline_that_failed_in_one_group_is_not_taken_from_another() -> None:
    campaign = grouped(control=False)
    lost = next(
        one.trial for one in campaign.trials if one.trial.start_group == 1 and one.trial.guests[0] == GuestKey("native")
    )
    trials = tuple(
        replace(one, failure=Failure(FailureKind.GUEST, "it died"), runs=()) if one.trial == lost else one
        for one in campaign.trials
    )
    failed = replace(campaign, trials=trials)
    counts = {name: finding_of(failed, name).ratio.estimate for name in ("a", "b", "c")}
    assert {name: ratio and ratio.n for name, ratio in counts.items()} == {"a": 8, "b": 7, "c": 7}
    unmeasured = replace(campaign, trials=tuple(one for one in campaign.trials if one.trial != lost))
    ratio = finding_of(unmeasured, "b").ratio.estimate
    assert ratio is not None and ratio.n == 7
    assert ratio.value == pytest.approx(0.8)


def test_without_groups_the_baseline_is_taken_as_it_is() -> None:
    for fresh in ("block", "trial"):
        table = by_treatment(simulate([NATIVE, Place("box")], control=True, fresh=fresh))
        assert beside(table[NAME, "box"], table[NAME, "native"]) is table[NAME, "native"]
    table = by_treatment(in_groups(simulate([NATIVE, Place("box")], control=True), [("box",)], [1.0]))
    assert beside(table[NAME, "box"], table[NAME, "native"]) is table[NAME, "native"]
    assert not apart(table[NAME, "box"], table[NAME, "native"], table[NAME, "native"])


def test_treatments_of_two_groups_are_apart_and_those_of_one_are_not() -> None:
    table = by_treatment(grouped())
    native, a, b, c = (table[NAME, name] for name in ("native", "a", "b", "c"))
    assert apart(a, b, native) == apart(c, a, native) == set(a.values)
    assert not apart(b, c, native)
    drawn = in_groups(
        simulate([NATIVE, Place("a"), Place("b")]), lambda block: [("a", "b"), ()] if block % 2 else [("a",), ("b",)],
        [1.0, 1.0],
    )  # fmt: skip
    assert apart(*(by_treatment(drawn)[NAME, name] for name in ("a", "b", "native"))) == {0, 2, 4, 6}
    alone = by_treatment(simulate([NATIVE, Place("a"), Place("b")], fresh="trial"))
    assert not apart(alone[NAME, "a"], alone[NAME, "b"], alone[NAME, "native"])


def test_the_control_of_a_comparison_is_that_of_its_group() -> None:
    """The two guests of the baseline in the other group do not make this one seem less noisy."""
    campaign = grouped(noise=0.02)
    table = by_treatment(campaign)
    native = table[NAME, "native"]
    assert native.starts.keys() == {1, 2}
    noisy = [
        changed(run, value=run.scored.value * math.exp(0.1 * (-1) ** record.trial.block))
        if record.trial.start_group % 2 and run.placement.guest_key == GuestKey("native", 2)
        else run
        for record in campaign.trials
        for run in record.runs
    ]
    trials = tuple(replace(one, runs=(run,)) for one, run in zip(campaign.trials, noisy, strict=True))
    table = by_treatment(replace(campaign, trials=trials))
    (control,) = controls(campaign, table)
    spreads = [control_spread(beside(table[NAME, name], table[NAME, "native"])) for name in ("a", "b")]
    assert spreads[0] is not None and spreads[1] is not None
    assert spreads[1].sd > 3 * spreads[0].sd
    assert control.noise_floor == noise_floor_share(spreads[1])


def test_rounds_of_the_baseline_are_those_of_the_same_group() -> None:
    campaign = with_runs(grouped(), lambda run: in_rounds(run, [run.scored.value] * 10))
    table = by_treatment(campaign)
    native = table[NAME, "native"]
    for name, factor in (("a", 1.0), ("b", 3.0)):
        against = beside(table[NAME, name], native)
        assert against.start_rounds.keys() == {1, 2}
        first_group = beside(table[NAME, "a"], native)
        for guest in (1, 2):
            assert against.rounds.keys() == against.start_rounds[guest].keys() == set(range(8))
            reached = {value for of in against.start_rounds[guest].values() for value in of.values()}
            assert reached <= {value for of in against.rounds.values() for one in of for value in one.values()}
            first = {value for of in first_group.start_rounds[guest].values() for value in of.values()}
            assert sorted(reached) == pytest.approx(sorted(factor * value for value in first))
    for name, share in (("a", 0.9), ("b", 0.8), ("c", 0.5)):
        found = finding_of(campaign, name)
        assert found.typical is not None
        assert found.typical.estimate.value == pytest.approx(share)
