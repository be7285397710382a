"""Which samples of work in slices count, and the value of long windows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.score.test_window_level import window
from tests.analysis.simulated_campaigns import Place, Work, in_rounds, simulate
from virtometer.analysis.score.slices import (
    counted_in_slices,
    long_value,
    long_windows,
    long_windows_apart,
    slices_apart,
    without_warm_up,
)
from virtometer.model import Excluded, Run

CLOCK_RATE = 1.0001


def run(unit: str = "B/s") -> Run:
    (record,) = simulate([Place("native")], [Work(unit=unit, level=1e9 if unit == "B/s" else 1e-9)], blocks=1).trials
    return record.runs[0]


def test_long_windows_are_those_below_0_in_their_order() -> None:
    first, second = window([1e9] * 3, number=-1), window([2e9] * 2, number=-2)
    plain = [replace(one, slice=None) for one in first]
    samples = [*first, *second, *window([3e9] * 4, number=0), *plain]
    assert long_windows(samples) == {-1: first, -2: second}
    assert list(long_windows(samples)) == [-1, -2]
    assert long_windows(plain) == {}


def test_long_windows_are_excluded_where_there_are_slices_as_well() -> None:
    long, slices = window([1e9] * 3), window([2e9] * 2, number=0)
    apart = long_windows_apart([*long, *slices])
    assert [one.excluded for one in apart] == [Excluded.LONG_WINDOW] * 3 + [None] * 2
    assert all("long window" in one.mark for one in apart[:3])
    assert apart[3:] == tuple(slices)
    assert [replace(one, excluded=None, mark="") for one in apart] == [*long, *slices]


def test_long_windows_alone_and_work_outside_of_slices_stay() -> None:
    long = window([1e9] * 3)
    plain = [replace(one, slice=None) for one in long]
    assert long_windows_apart(long) == tuple(long)
    assert long_windows_apart(plain) == tuple(plain)
    assert long_windows_apart([]) == ()


def test_slices_are_excluded_and_nothing_else() -> None:
    long, slices = window([1e9] * 3), window([2e9] * 2, number=0)
    apart = slices_apart([*long, *slices])
    assert [one.excluded for one in apart] == [None] * 3 + [Excluded.SLICE] * 2
    assert all("slice" in one.mark for one in apart[3:])
    assert apart[:3] == tuple(long)
    assert [replace(one, excluded=None, mark="") for one in apart] == [*long, *slices]
    assert slices_apart(long) == tuple(long)
    assert slices_apart([]) == ()


def test_the_first_sample_of_each_slice_is_its_run_in() -> None:
    slices = [*window([2e9] * 3, number=0), *window([2e9] * 2, number=1)]
    apart = without_warm_up(slices)
    assert [one.excluded for one in apart] == [Excluded.WARM_UP, None, None, Excluded.WARM_UP, None]
    assert all("beginning of a slice" in one.mark for one in apart if not one.used)
    assert [replace(one, excluded=None, mark="") for one in apart] == slices
    assert without_warm_up(apart) == apart


@pytest.mark.parametrize(("warm_up_s", "aside"), [(0.0, 1), (0.03, 1), (0.04, 2), (0.07, 3), (9.0, 5)])
def test_the_warm_up_may_have_a_length(warm_up_s: float, aside: int) -> None:
    slices = [*window([2e9] * 5, number=0), *window([2e9] * 5, number=1)]  # samples of 25 ms
    found = [one.excluded for one in without_warm_up(slices, warm_up_s)]
    assert found == [*[Excluded.WARM_UP] * aside, *[None] * (5 - aside)] * 2
    single = window([2e9], number=0)
    assert without_warm_up(single, warm_up_s) == tuple(single)


def test_a_slice_of_one_sample_a_long_window_and_work_outside_of_slices_have_no_run_in() -> None:
    one, long = window([2e9], number=0), window([1e9] * 3)
    plain = [replace(sample, slice=None) for sample in long]
    for samples in (one, long, plain, [*long, *one, *window([2e9], number=1)], []):
        assert without_warm_up(samples) == tuple(samples)


def test_a_stop_in_the_warm_up_does_not_make_it_count() -> None:
    """A slice is over after a time: a long stall in its first sample leaves it alone there."""
    slices = [sample for number in range(4) for sample in window([2e9] * 3, number=number)]
    stopped = [*slices, *window([2e8], number=4)]
    assert [one.used for one in without_warm_up(stopped)] == [False, True, True] * 4 + [False]
    long_iterations = [*window([2e9] * 2, number=0), *(window([2e9], number=number)[0] for number in (1, 2, 3))]
    assert [one.used for one in without_warm_up(long_iterations)] == [False, True, True, True, True]


def test_a_warm_up_that_is_excluded_for_another_reason_keeps_it() -> None:
    samples = window([2e9] * 3, number=0)
    samples[0] = replace(samples[0], excluded=Excluded.CLOCK_ERROR, mark="why")
    assert without_warm_up(samples) == tuple(samples)


@pytest.mark.parametrize("unit", ["B/s", "s"])
@pytest.mark.parametrize("count", [True, False])
def test_the_value_of_long_windows_is_total_work_by_total_time(unit: str, count: bool) -> None:
    of = in_rounds(run(unit), [9e9] * 5, [[4e9, 1e9], [1e9, 2e9]], count=count)
    rate = 2e9 / CLOCK_RATE
    assert long_value(of) == pytest.approx(1 / rate if unit == "s" else rate)


def test_a_run_without_long_windows_or_without_work_in_them_has_no_such_value() -> None:
    assert long_value(run()) is None
    assert long_value(in_rounds(run(), [1e9] * 5)) is None
    of = in_rounds(run(), [1e9] * 5, [[1e9] * 4])
    idle = tuple(replace(one, work=0) if (one.slice or 0) < 0 else one for one in of.samples)
    still = tuple(replace(one, end_ns=one.start_ns) if (one.slice or 0) < 0 else one for one in of.samples)
    for samples in (idle, still):
        assert long_value(replace(of, samples=samples)) is None


def test_of_a_run_that_counts_by_slices_neither_long_windows_nor_run_ins_count() -> None:
    long, slices = window([1e9] * 2), window([2e9] * 3, number=0)
    aside = [one.excluded for one in counted_in_slices([*long, *slices])]
    assert aside == [Excluded.LONG_WINDOW] * len(long) + [Excluded.WARM_UP] + [None] * (len(slices) - 1)
