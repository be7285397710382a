"""The typical ratio: known answers, and what a stall, the order and the unit do to it."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, Work, changed, in_rounds, simulate
from virtometer.analysis.score.typical import TRIMMED, logs_by_block, rounds, trimmed_mean
from virtometer.model import Better, Excluded, Run

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
RATES = st.lists(st.floats(1e-6, 1e12), min_size=5, max_size=40)
CLOCK_RATE = 1.0001  # host seconds per guest second of the simulated runs


def run(unit: str = "B/s") -> Run:
    (record,) = simulate([Place("native")], [Work(unit=unit, level=1e9 if unit == "B/s" else 1e-9)], blocks=1).trials
    return record.runs[0]


def numbered(rates: list[float]) -> dict[int, list[dict[int, float]]]:
    return {0: [dict(enumerate(rates))]}


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([7.0], 7.0),
        ([1.0, 30.0], 15.5),  # of two values 40 % is none
        ([100.0, 1.0, 2.0, 30.0], 16.0),
        ([100.0, 1.0, 2.0, 3.0, -50.0], 2.0),
        ([*range(1, 10), 1000], 5.5),
        ([0.0] * 4 + [4.0] * 2 + [9.0] * 4, 4.0),
    ],
)
def test_the_lowest_and_the_highest_two_fifths_are_left_out(values: list[float], mean: float) -> None:
    assert trimmed_mean(values) == pytest.approx(mean)


def test_of_a_multiple_of_five_values_exactly_two_fifths_are_left_out() -> None:
    for count in range(5, 1000, 5):
        out = 2 * count // 5
        values = [-1e9] * out + [1.0] * (count - 2 * out) + [1e9] * out
        assert trimmed_mean(values) == 1.0, count
    assert TRIMMED == 0.4


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="no values"):
        trimmed_mean([])


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(values: list[float], random: Any) -> None:
    before = trimmed_mean(values)
    random.shuffle(values)
    assert trimmed_mean(values) == before
    nearest = min(max(before, min(values)), max(values))
    assert before == pytest.approx(nearest, rel=1e-12), "a mean is rounded"


@given(st.lists(st.floats(-1, 1), min_size=5, max_size=60), st.floats(10, 1e9), st.booleans())
def test_one_stop_moves_it_no_further_than_the_other_values_lie(values: list[float], far: float, up: bool) -> None:
    stopped = [*values[1:], far if up else -far]
    assert min(values[1:]) - 1e-9 <= trimmed_mean(stopped) <= max(values[1:]) + 1e-9


@given(RATES, st.floats(1e-3, 1e3), st.randoms(use_true_random=False))
def test_a_common_factor_and_the_order_of_rounds_change_nothing(rates: list[float], factor: float, random: Any) -> None:
    other = [rate * factor for rate in rates]
    (found,) = [*logs_by_block(numbered(other), numbered(rates), "higher").values()]
    assert found == pytest.approx(math.log(factor), abs=1e-9)
    items = list(enumerate(other))
    random.shuffle(items)
    assert [*logs_by_block({0: [dict(items)]}, numbered(rates), "higher").values()] == [found]


@given(RATES, st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.integers(0, 2**32))
def test_the_scale_does_not_matter_and_sides_turn_the_sign(
    rates: list[float], scale: float, factor: float, seed: int
) -> None:
    against = [rate * factor ** ((seed >> at) % 2) for at, rate in enumerate(rates)]
    (found,) = [*logs_by_block(numbered(rates), numbered(against), "higher").values()]
    (scaled,) = [
        *logs_by_block(
            numbered([rate * scale for rate in rates]), numbered([rate * scale for rate in against]), "higher"
        ).values()
    ]
    assert scaled == pytest.approx(found, abs=1e-9)
    for subject, other, better in ((rates, against, "lower"), (against, rates, "higher")):
        turned: Better = better  # type: ignore[assignment]
        assert [*logs_by_block(numbered(subject), numbered(other), turned).values()] == [
            pytest.approx(-found, abs=1e-9)
        ]


def test_a_stop_in_one_round_does_not_move_the_ratio() -> None:
    rates = [2.0] * 20
    stopped = [*rates[:7], 0.001, *rates[8:]]
    assert [*logs_by_block(numbered(stopped), numbered([4.0] * 20), "higher").values()] == [
        pytest.approx(math.log(0.5))
    ]


@pytest.mark.parametrize(("count", "found"), [(0, 0), (1, 0), (4, 0), (5, 1), (6, 1)])
def test_a_block_needs_five_rounds_that_both_sides_have(count: int, found: int) -> None:
    subject = numbered([1.0] * count)
    assert len([*logs_by_block(subject, numbered([1.0] * 9), "higher").values()]) == found
    assert len([*logs_by_block(numbered([1.0] * 9), subject, "higher").values()]) == found
    apart = {0: [{number + 100: 1.0 for number in range(9)}]}
    assert [*logs_by_block(subject, apart, "higher").values()] == []


def test_only_blocks_of_both_sides_count() -> None:
    five = dict.fromkeys(range(5), 3.0)
    assert [*logs_by_block({0: [five], 2: [five]}, {1: [five], 2: [five]}, "higher").values()] == [0.0]


def test_the_ratio_of_the_ends_of_all_numbers_is_a_number() -> None:
    (found,) = [*logs_by_block(numbered([5e-324] * 5), numbered([1.7e308] * 5), "higher").values()]
    assert math.isfinite(found) and found < -1400


@pytest.mark.parametrize("unit", ["B/s", "s"])
def test_rounds_are_in_the_runs_unit_and_in_host_time(unit: str) -> None:
    rates = [1e9, 2e9, 4e9]
    found = rounds(in_rounds(run(unit), rates))
    expected = [CLOCK_RATE / rate if unit == "s" else rate / CLOCK_RATE for rate in rates]
    assert found == {number: pytest.approx(value) for number, value in enumerate(expected)}


def test_samples_of_one_slice_are_added_up() -> None:
    of = in_rounds(run(), [1e9, 3e9, 5e9])
    same = tuple(replace(sample, slice=min(sample.slice or 0, 1)) for sample in of.samples)
    assert rounds(replace(of, samples=same)) == {
        0: pytest.approx(1e9 / CLOCK_RATE), 1: pytest.approx(4e9 / CLOCK_RATE)
    }  # fmt: skip


def test_what_is_excluded_did_no_work_or_has_no_length_is_no_round() -> None:
    of = in_rounds(run(), [1e9] * 6)
    first, second, third, fourth, *others = of.samples
    samples = (
        replace(first, excluded=Excluded.CLOCK_ERROR),
        replace(second, work=0),
        replace(third, end_ns=third.start_ns),
        replace(fourth, end_ns=fourth.start_ns - 1),
        *others,
    )
    for unit in ("B/s", "s"):
        assert set(rounds(changed(of, unit=unit, samples=samples))) == {4, 5}


def test_long_windows_and_work_outside_of_slices_are_no_rounds() -> None:
    assert set(rounds(in_rounds(run(), [1e9] * 3, [[1e9] * 12]))) == {0, 1, 2}
    assert rounds(in_rounds(run(), [], [[1e9] * 12] * 6, count=True)) == {}
    assert rounds(run()) == {}


def test_it_is_the_mean_of_logs_and_not_the_log_of_a_mean() -> None:
    rates = [2.0**power for power in range(10)]
    (found,) = [*logs_by_block(numbered(rates), numbered([1.0] * 10), "higher").values()]
    assert found == pytest.approx(statistics.fmean(map(math.log, rates[4:6])))


def test_each_guest_of_a_side_makes_ratios_of_its_own() -> None:
    """Each baseline guest is slow in a third of the rounds: the mean of both would be in most of them."""
    first = [0.5 if number % 3 == 0 else 1.0 for number in range(30)]
    second = [0.5 if number % 3 == 1 else 1.0 for number in range(30)]
    both = {0: [*numbered(first)[0], *numbered(second)[0]]}
    assert [*logs_by_block(numbered([0.9] * 30), both, "higher").values()] == [pytest.approx(math.log(0.9))]
    assert [*logs_by_block(both, numbered([0.9] * 30), "lower").values()] == [pytest.approx(math.log(0.9))]


def test_rounds_that_two_guests_share_with_the_other_side_count_once() -> None:
    four = dict.fromkeys(range(4), 1.0)
    assert [*logs_by_block({0: [four]}, {0: [four, four]}, "higher").values()] == []
