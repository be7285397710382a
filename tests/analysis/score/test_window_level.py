"""The level of work at the beginning of a long window: known answers, edges, and how often noise looks like one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from virtometer.analysis.score.slices import slices_apart
from virtometer.analysis.score.window_level import (
    WindowLevel,
    level,
    unlike,
)
from virtometer.model import Sample

PIECE_NS = 25_000_000
MARGIN = 0.05
FEWEST = 4
ENOUGH = 10
WARM_UP = 9e9  # the rate of a window's first sample, which is left out
PIECES = (FEWEST, 6, 8, ENOUGH, 16, 40)
NOISE = (0.01, 0.05, 0.2, 0.5, 1.0, 3.0)  # standard deviation of the log of a piece's rate
LARGEST_NOISE = {FEWEST: 0.2, 6: 0.5}  # up to which so few pieces are enough


def window(rates: list[float], each_ns: int = PIECE_NS, number: int = -1) -> list[Sample]:
    """A window of samples of `each_ns`, each at one of the rates, in work per second."""
    return [
        Sample(at * each_ns, (at + 1) * each_ns, round(rate * each_ns * 1e-9), "", slice=number)
        for at, rate in enumerate(rates)
    ]


def found(rates: list[float], each_ns: int = PIECE_NS) -> WindowLevel:
    """The level of a window whose first sample, another than these, is left out."""
    of = level(window([WARM_UP, *rates], each_ns), PIECE_NS)
    assert of is not None
    return of


def turns(slice_rate: float, long_rate: float | None = 1e9) -> list[Sample]:
    """A long window, faster in its first half, and five slices of a warm-up and a piece of `slice_rate` each."""
    long = [] if long_rate is None else window([WARM_UP] * 4 + [long_rate] * 8)
    slices = [window([WARM_UP, slice_rate], number=number) for number in range(5)]
    return [*long, *(sample for one in slices for sample in one)]


def test_the_first_piece_is_compared_with_the_median_of_the_second_half() -> None:
    of = found([4e9, *[3e9] * 5, *[1e9] * 4, *[2e9] * 2])
    assert [of.beginning, of.later] == pytest.approx([4e9, 1e9])
    assert of.pieces == 12
    assert of.alone
    assert not found([2e9, *[3e9] * 5, *[1e9] * 4, *[2e9] * 2]).alone
    assert found([1e9, *[2e9] * 11]).alone


def test_the_beginning_is_alone_although_it_lasts_for_nearly_half_of_the_window() -> None:
    of = found([*[4e9] * 6, *[1e9] * 6])
    assert of.alone and of.later == pytest.approx(1e9)
    assert not found([*[4e9] * 7, *[1e9] * 5]).alone


def test_of_an_odd_number_the_piece_in_the_middle_is_in_the_second_half() -> None:
    assert not found([1e9, 2e9, 1e9, 2e9, 2e9]).alone
    assert found([1e9, 1e9, 2e9, 2e9, 2e9]).alone


@pytest.mark.parametrize("rate", [0.0, 1e6, 1e9, 9e9])
def test_the_first_sample_of_a_window_is_left_out(rate: float) -> None:
    rest = window([4e9, *[1e9] * 11])
    assert level([window([rate])[0], *rest], PIECE_NS) == level([window([WARM_UP])[0], *rest], PIECE_NS)


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
    late = [replace(one, start_ns=one.start_ns + 10**9, end_ns=one.end_ns + 10**9) for one in window([1e9] * 13)[2:]]
    of = level([*window([1e9] * 2), *late], PIECE_NS)
    assert of is not None and of.beginning == of.later


def test_too_few_pieces_tell_nothing() -> None:
    assert level([], PIECE_NS) is None
    assert level(window([WARM_UP]), PIECE_NS) is None
    assert level(window([WARM_UP, 4e9] + [1e9] * (FEWEST - 2)), PIECE_NS) is None
    assert level(window([WARM_UP, 4e9] + [1e9] * (FEWEST - 1)), PIECE_NS) is not None


@pytest.mark.parametrize("place", [0, 5, 11])
def test_a_piece_without_work_tells_nothing(place: int) -> None:
    rates = [1e9] * 12
    rates[place] = 0.0
    assert level(window([WARM_UP, *rates]), PIECE_NS) is None


@pytest.mark.parametrize(
    ("later", "changes"), [(1.0, False), (1.049, False), (1.051, True), (1 / 1.049, False), (1 / 1.051, True)]
)
def test_a_change_is_larger_than_the_margin_in_either_direction(later: float, changes: bool) -> None:
    assert WindowLevel(3.0, 3.0 * later, alone=True).changes(MARGIN) is changes
    assert not WindowLevel(3.0, 3.0 * later, alone=False).changes(MARGIN)


@pytest.mark.parametrize("beside", [0.5, 1.0, 1.2, 3.0])
@pytest.mark.parametrize(
    ("later", "changes"), [(1.0, False), (1.049, False), (1.051, True), (1 / 1.049, False), (1 / 1.051, True)]
)
def test_what_the_baseline_does_as_well_is_no_change(later: float, changes: bool, beside: float) -> None:
    baseline = WindowLevel(7.0, 7.0 * beside, alone=True)
    own = WindowLevel(3.0, 3.0 * beside * later, alone=False)
    assert own.changes(MARGIN, baseline) is changes
    assert own.change(baseline) == pytest.approx(math.log(later))
    few = WindowLevel(7.0, 7.0 * beside, alone=True, pieces=FEWEST)
    assert not own.changes(MARGIN, few)
    steady = WindowLevel(7.0, 7.0 * beside, alone=False)
    assert not own.changes(MARGIN, steady), "neither begins outside the range of its second half"


@pytest.mark.parametrize("pieces", [FEWEST, ENOUGH - 1])
@pytest.mark.parametrize(
    ("later", "margin", "changes"),
    [
        (1.49, MARGIN, False),
        (1.51, MARGIN, True),
        (1 / 1.49, MARGIN, False),
        (1 / 1.51, MARGIN, True),
        (1.69, 0.7, False),
        (1.71, 0.7, True),
    ],
)
def test_a_change_of_few_pieces_is_a_factor_of_1_5_at_least(
    pieces: int, later: float, margin: float, changes: bool
) -> None:
    assert WindowLevel(3.0, 3.0 * later, alone=True, pieces=pieces).changes(margin) is changes
    assert WindowLevel(3.0, 3.0 * later, alone=True, pieces=ENOUGH).changes(MARGIN)


@given(
    st.lists(st.tuples(st.integers(-(2**40), 2**40), st.integers(-(2**40), 2**40), st.integers(0, 2**53)), max_size=30)
)
def test_whatever_a_clock_says_it_is_a_number_or_nothing(pieces: list[tuple[int, int, int]]) -> None:
    of = level([Sample(start, start + took, work, "", slice=-1) for start, took, work in pieces], PIECE_NS)
    if of is not None:
        assert of.beginning > 0 and of.later > 0
        assert of.changes(MARGIN) in {True, False}


@given(st.lists(st.integers(100, 10**6), min_size=ENOUGH + 1, max_size=40), st.integers(1, 1000))
def test_the_scale_of_the_work_does_not_matter(work: list[int], scale: int) -> None:
    one, other = (
        level([Sample(at, at + PIECE_NS, done * by, "", slice=-1) for at, done in enumerate(work)], PIECE_NS)
        for by in (1, scale)
    )
    assert one is not None and other is not None
    assert one.alone == other.alone
    assert other.later / other.beginning == pytest.approx(one.later / one.beginning)


@given(
    st.lists(st.floats(0.5, 2.0), min_size=FEWEST // 2, max_size=20),
    st.lists(st.floats(0.1, 10.0), max_size=19),
    st.randoms(use_true_random=False),
)
@settings(max_examples=50)
def test_neither_the_order_of_the_second_half_nor_the_rest_of_the_first_matters(
    later: list[float], rest: list[float], random: object
) -> None:
    rates = [rate * 1e9 for rate in later]
    size = len(rates) - 1
    before = found([1e9, *[1e9] * size, *rates])
    random.shuffle(rates)  # type: ignore[attr-defined]
    others = ([rate * 1e9 for rate in rest] + [1e9] * size)[:size]
    assert found([1e9, *others, *rates]) == before


def all_five_change(sd: float, pieces: int) -> int:
    """How many of 2,000 treatments, whose rates are noise alone, change their speed in five windows in a row."""
    rng = np.random.default_rng(20)
    rates = 1e9 * np.exp(rng.normal(0, sd, (2000, 5, pieces)))
    return sum(all(found(list(one)).changes(MARGIN) for one in five) for five in rates)


@pytest.mark.parametrize(
    ("sd", "pieces"),
    [(sd, pieces) for sd in NOISE for pieces in PIECES if sd <= LARGEST_NOISE.get(pieces, math.inf)],
)
def test_noise_seldom_changes_five_windows_in_a_row(sd: float, pieces: int) -> None:
    """At most 2 % of 2,000: however large the noise is in 8 pieces or more, up to `LARGEST_NOISE` in fewer."""
    assert all_five_change(sd, pieces) <= 40


@pytest.mark.parametrize(
    "sd", [one if one in (0.05, 1.0) else pytest.param(one, marks=pytest.mark.slow) for one in NOISE]
)
def test_noise_seldom_differs_from_the_baselines_in_five_windows_in_one_direction(sd: float) -> None:
    """Less than one treatment of 2,000 is expected, in windows of 0.4 s: 32 pieces."""
    rng = np.random.default_rng(22)
    slow = np.where(np.arange(32) == 0, 0.95, 1.0)  # both begin with cold caches
    rates = 1e9 * slow * np.exp(rng.normal(0, sd, (2000, 5, 2, 32)))
    failed = 0
    for five in rates:
        both = [(found(list(own)), found(list(other))) for own, other in five]
        directions = {own.change(other) > 0 for own, other in both if own.changes(MARGIN, other)}
        failed += len(directions) == 1 and all(own.changes(MARGIN, other) for own, other in both)
    assert failed <= 3


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("sd", NOISE)
def test_noise_changes_five_windows_at_most_as_often_as_one_piece_is_outside_the_range_of_others(
    sd: float, pieces: int
) -> None:
    """The first is the lowest or the highest of itself and m others in 2 of m + 1 orders: 13 % where m is 2."""
    expected = 2000 * (2 / (pieces // 2 + 1)) ** 5
    assert all_five_change(sd, pieces) <= expected + 4 * expected**0.5 + 1


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("factor", [4.0, 0.25])
def test_a_change_by_a_factor_of_four_is_always_found(pieces: int, factor: float) -> None:
    rng = np.random.default_rng(21)
    rates = 1e9 * np.exp(rng.normal(0, 0.1, (6000, pieces)))
    rates[:, 0] *= factor
    assert all(found(list(one)).changes(MARGIN) for one in rates)


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [
        (2e9, 1e9, True),
        (0.5e9, 1e9, True),
        (2e9, 0.5e9, True),
        (1.51e9, 1e9, True),
        (1.49e9, 1e9, False),
        (1.3e9, 1e9, False),
        (1e9 / 1.3, 1e9, False),
        (2e9, 2e9, False),
        (2e9, 1.4e9, False),
        (1e9, 2e9, False),
    ],
)
def test_slices_are_unlike_long_windows_by_a_factor_that_the_baseline_does_not_have(
    own: float, other: float, found: bool
) -> None:
    """The second halves of all long windows reach 1e9/s."""
    assert unlike(turns(own), turns(other), PIECE_NS) is found


def test_a_guest_without_long_windows_or_without_slices_that_can_be_used_is_not_unlike() -> None:
    assert not unlike(turns(2e9, None), turns(1e9), PIECE_NS)
    assert not unlike(window([2e9] * 12), turns(1e9), PIECE_NS)
    assert not unlike(slices_apart(turns(2e9)), turns(1e9), PIECE_NS)
    assert not unlike([], [], PIECE_NS)
    idle = [replace(one, work=0) if (one.slice or 0) >= 0 else one for one in turns(2e9)]
    still = [replace(one, end_ns=one.start_ns) if (one.slice or 0) >= 0 else one for one in turns(2e9)]
    assert not unlike(idle, turns(1e9), PIECE_NS) and not unlike(still, turns(1e9), PIECE_NS)


@pytest.mark.parametrize("against", [turns(2e9, None), []])
def test_a_baseline_without_long_windows_has_no_difference_of_its_own(against: list[Sample]) -> None:
    assert unlike(turns(2e9), against, PIECE_NS)
    assert not unlike(turns(1.3e9), against, PIECE_NS)


def test_of_several_long_windows_the_median_is_compared() -> None:
    more = [one for number, rate in ((-2, 1e9), (-3, 9e9)) for one in window([rate] * 12, number=number)]
    assert unlike([*turns(2e9), *more], turns(1e9), PIECE_NS)
    assert not unlike([*turns(1.3e9), *more], turns(1e9), PIECE_NS)


def test_the_warm_up_of_a_guest_is_no_part_of_the_beginning() -> None:
    samples = window([WARM_UP, 1e9, 1e9] + [2e9] * 12, PIECE_NS // 2)
    slow = level(samples, PIECE_NS)
    assert slow is not None and slow.beginning == pytest.approx(1e9) and slow.changes(0.05)
    later = level(samples, PIECE_NS, 1.5 * PIECE_NS * 1e-9)
    assert later is not None and later.beginning == pytest.approx(2e9) and not later.changes(0.05)
