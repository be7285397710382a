"""The level of work at the beginning of a long window: known answers, edges, and how often noise looks like one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, Work, in_rounds, simulate
from virtometer.analysis.window_level import (
    WindowLevel,
    level,
    long_value,
    long_windows,
    long_windows_apart,
    slices_apart,
    unlike,
    without_run_in,
)
from virtometer.model import Run, Sample, SetAside

PIECE_NS = 25_000_000
MARGIN = 0.05
ENOUGH = 10
CLOCK_RATE = 1.0001


def window(rates: list[float], each_ns: int = PIECE_NS, number: int = -1) -> list[Sample]:
    """A window of samples of `each_ns`, each at one of the rates, in work per second, after one for the run-in."""
    return [
        Sample(at * each_ns, (at + 1) * each_ns, round(rate * each_ns * 1e-9), "", slice=number)
        for at, rate in enumerate([0.0, *rates])
    ]


def found(rates: list[float], each_ns: int = PIECE_NS) -> WindowLevel:
    of = level(window(rates, each_ns), PIECE_NS)
    assert of is not None
    return of


def run(unit: str = "B/s") -> Run:
    (record,) = simulate([Place("native")], [Work(unit=unit, level=1e9 if unit == "B/s" else 1e-9)], blocks=1).trials
    return record.runs[0]


def test_the_first_piece_is_compared_with_the_second_half() -> None:
    of = found([4e9, *[4e9] * 5, *[1e9] * 4, *[2e9] * 2])
    assert [of.beginning, of.later] == pytest.approx([4e9, 1e9])
    assert of.alone
    assert of.pieces == 12
    assert not found([2e9, *[9e9] * 5, *[1e9] * 4, *[2e9] * 2]).alone
    assert found([1e9, *[1e9] * 5, *[2e9] * 6]).alone


@pytest.mark.parametrize("each_ns", [PIECE_NS // 100, PIECE_NS // 5, PIECE_NS // 4, PIECE_NS])
def test_samples_are_gathered_to_pieces(each_ns: int) -> None:
    per_piece = PIECE_NS // each_ns
    of = found([4e9] * per_piece + [1e9] * (11 * per_piece), each_ns)
    assert [of.beginning, of.later] == pytest.approx([4e9, 1e9])
    assert of.alone


def test_a_sample_that_is_longer_than_a_piece_is_one() -> None:
    of = found([4e9, *[1e9] * 11], 3 * PIECE_NS)
    assert [of.beginning, of.later] == pytest.approx([4e9, 1e9])


def test_what_lies_between_samples_is_not_counted() -> None:
    late = [replace(one, start_ns=one.start_ns + 10**9, end_ns=one.end_ns + 10**9) for one in window([1e9] * 12)[1:]]
    of = level([window([1e9])[0], *late], PIECE_NS)
    assert of is not None and of.beginning == of.later


def test_too_few_pieces_tell_nothing() -> None:
    assert level([], PIECE_NS) is None
    assert level(window([4e9] + [1e9] * 2), PIECE_NS) is None
    assert found([4e9] + [1e9] * 3).changes(MARGIN)


@pytest.mark.parametrize(("pieces", "changes"), [(ENOUGH - 1, False), (ENOUGH, True)])
def test_a_small_change_takes_many_pieces(pieces: int, changes: bool) -> None:
    assert found([1.2e9] + [1e9] * (pieces - 1)).changes(MARGIN) is changes
    assert found([1.6e9] + [1e9] * (pieces - 1)).changes(MARGIN)


@pytest.mark.parametrize("place", [0, 5, 11])
def test_a_piece_without_work_tells_nothing(place: int) -> None:
    rates = [1e9] * 12
    rates[place] = 0.0
    assert level(window(rates), PIECE_NS) is None


@pytest.mark.parametrize(
    ("later", "changes"), [(1.0, False), (1.049, False), (1.051, True), (1 / 1.049, False), (1 / 1.051, True)]
)
def test_a_change_is_larger_than_the_margin_in_either_direction(later: float, changes: bool) -> None:
    assert WindowLevel(3.0, 3.0 * later, alone=True).changes(MARGIN) is changes
    assert not WindowLevel(3.0, 3.0 * later, alone=False).changes(MARGIN)


@given(
    st.lists(st.tuples(st.integers(-(2**40), 2**40), st.integers(-(2**40), 2**40), st.integers(0, 2**53)), max_size=30)
)
def test_whatever_a_clock_says_it_is_a_number_or_nothing(pieces: list[tuple[int, int, int]]) -> None:
    of = level([Sample(start, start + took, work, "", slice=-1) for start, took, work in pieces], PIECE_NS)
    if of is not None:
        assert of.beginning > 0 and of.later > 0
        assert of.changes(MARGIN) in {True, False}


@given(st.lists(st.integers(100, 10**6), min_size=ENOUGH, max_size=40), st.integers(1, 1000))
def test_the_scale_of_the_work_does_not_matter(work: list[int], scale: int) -> None:
    one, other = (
        level([Sample(at, at + PIECE_NS, done * by, "", slice=-1) for at, done in enumerate(work)], PIECE_NS)
        for by in (1, scale)
    )
    assert one is not None and other is not None
    assert one.alone == other.alone
    assert other.later / other.beginning == pytest.approx(one.later / one.beginning)


@given(st.lists(st.floats(0.5, 2.0), min_size=ENOUGH, max_size=40), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_the_order_in_the_second_half_and_the_rest_of_the_first_do_not_matter(rates: list[float], random: Any) -> None:
    later = [rate * 1e9 for rate in rates]
    before = found([1e9, *[7e9] * (len(later) - 1), *later])
    random.shuffle(later)
    assert found([1e9, *[5e9] * (len(later) - 1), *later]) == before


@pytest.mark.parametrize("sd", [0.01, 0.05, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("pieces", [8, ENOUGH, 16, 40])
def test_noise_seldom_changes_five_windows_in_a_row(sd: float, pieces: int) -> None:
    """At most 2 % of 2,000, however large the noise is and however few the pieces are."""
    rng = np.random.default_rng(20)
    rates = 1e9 * np.exp(rng.normal(0, sd, (2000, 5, pieces)))
    all_change = sum(all(found(list(one)).changes(MARGIN) for one in five) for five in rates)
    assert all_change <= 40


@pytest.mark.parametrize("pieces", [4, ENOUGH, 40])
@pytest.mark.parametrize("factor", [4.0, 0.25])
def test_a_change_by_a_factor_of_four_is_always_found(pieces: int, factor: float) -> None:
    rng = np.random.default_rng(21)
    rates = 1e9 * np.exp(rng.normal(0, 0.1, (2000, 3, pieces)))
    rates[:, :, 0] *= factor
    assert all(found(list(one)).changes(MARGIN) for three in rates for one in three)


def test_long_windows_are_those_below_0_in_their_order() -> None:
    first, second = window([1e9] * 3, number=-1), window([2e9] * 2, number=-2)
    plain = [replace(one, slice=None) for one in first]
    samples = [*first, *second, *window([3e9] * 4, number=0), *plain]
    assert long_windows(samples) == {-1: first, -2: second}
    assert list(long_windows(samples)) == [-1, -2]
    assert long_windows(plain) == {}


def test_long_windows_are_set_aside_where_there_are_slices_as_well() -> None:
    long, slices = window([1e9] * 3), window([2e9] * 2, number=0)
    apart = long_windows_apart([*long, *slices])
    assert [one.set_aside for one in apart] == [SetAside.LONG_WINDOW] * 4 + [None] * 3
    assert all("long window" in one.mark for one in apart[:4])
    assert apart[4:] == tuple(slices)
    assert [replace(one, set_aside=None, mark="") for one in apart] == [*long, *slices]


def test_the_run_in_of_each_slice_is_set_aside_where_it_is_not_all() -> None:
    slices = [*window([1e9] * 2, number=0), *window([1e9] * 2, number=1)]
    single = window([], number=2)
    long = window([1e9] * 2)
    aside = [one.set_aside for one in without_run_in([*long, *slices, *single])]
    assert aside == [None] * 3 + [SetAside.RUN_IN, None, None] * 2 + [None]
    plain = [replace(one, slice=None) for one in long]
    assert without_run_in(plain) == tuple(plain)


def test_slices_are_set_aside_where_long_windows_count() -> None:
    long, slices = window([1e9] * 2), window([2e9] * 2, number=0)
    aside = [one.set_aside for one in slices_apart([*long, *slices])]
    assert aside == [None] * 3 + [SetAside.SLICE] * 3


def slices_and_window(in_slices: float, in_window: float) -> list[Sample]:
    return [*window([in_window] * 12), *window([in_slices] * 2, number=0), *window([in_slices] * 2, number=1)]


@pytest.mark.parametrize(
    ("own", "other", "found_unlike"),
    [
        ((2e9, 1e9), (3e9, 3e9), True),
        ((1e9, 2e9), (3e9, 3e9), True),
        ((2e9, 1e9), (6e9, 3e9), False),
        ((1.3e9, 1e9), (3e9, 3e9), False),
        ((1.3e9, 1e9), (2e9, 3e9), False),
    ],
)
def test_slices_unlike_long_windows_are_found(
    own: tuple[float, float], other: tuple[float, float], found_unlike: bool
) -> None:
    assert unlike(slices_and_window(*own), slices_and_window(*other), PIECE_NS) is found_unlike


def test_without_a_long_window_nothing_is_unlike() -> None:
    both = slices_and_window(2e9, 1e9)
    assert not unlike(window([2e9] * 2, number=0), both, PIECE_NS)
    assert not unlike(window([2e9] * 12), both, PIECE_NS)
    assert unlike(both, window([2e9] * 2, number=0), PIECE_NS)


def test_long_windows_alone_and_work_outside_of_slices_stay() -> None:
    long = window([1e9] * 3)
    plain = [replace(one, slice=None) for one in long]
    assert long_windows_apart(long) == tuple(long)
    assert long_windows_apart(plain) == tuple(plain)
    assert long_windows_apart([]) == ()


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
