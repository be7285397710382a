"""Orders, ranks, ranges and limits."""

from __future__ import annotations

from collections.abc import Iterable

from virtometer.analysis.plausible.grid import Accused, Grid
from virtometer.analysis.plausible.order import above_limits, broken_orders, wrong_ranges, wrong_ranks
from virtometer.analysis.plausible.reading import read


def grid(text: str) -> Grid:
    return read(text.encode(), "t")[0]


def places(found: Iterable[Accused]) -> list[tuple[int, int]]:
    return [one.place for one in found]


def test_an_order_that_is_broken_once() -> None:
    table = "x,a,b\n1,10,20\n2,20,40\n4,{},80\n8,80,160\n16,160,320\n"
    assert places(broken_orders(grid(table.format(9)))) == [(2, 0)]
    assert places(broken_orders(grid(table.format(40)))) == []
    assert places(broken_orders(grid(table.format(19.9)))) == []  # noise


def test_a_rank_that_contradicts_its_values() -> None:
    found = list(wrong_ranks(grid("x,score,rank\na,9,1\nb,7,2\nc,5,4\nd,3,4\n")))
    assert [(one.place, one.expected) for one in found] == [((2, 1), 3)]


def test_ranges() -> None:
    assert places(wrong_ranges(grid("x,value,low,high\na,2,3,1\nb,2,1,3\nc,2,1,3\n"))) == [(0, 1), (0, 2)]
    assert places(wrong_ranges(grid("x,value,low,high\na,9,1,3\nb,2,1,3\nc,2,1,3\n"))) == [(0, 0)]
    assert places(wrong_ranges(grid("x,value\na,9-3\nb,3-9\n"))) == [(0, 0)]


def test_a_single_efficiency_above_its_limit() -> None:
    assert places(above_limits(grid("x,efficiency\na,140\nb,90\nc,80\n"))) == [(0, 0)]
    assert places(above_limits(grid("x,efficiency\na,1.4\nb,0.9\nc,0.8\n"))) == [(0, 0)]
    assert places(above_limits(grid("x,efficiency\na,140\nb,190\nc,80\n"))) == []
    assert places(above_limits(grid("x,overhead (%)\na,140\nb,90\nc,80\n"))) == []


def test_equal_values_may_be_ranked_in_the_usual_ways() -> None:
    for ranks in ("1,2,2,4", "1,3,3,4", "1,2.5,2.5,4", "1,2,2,3"):
        rows = zip("abcd", (90, 85, 85, 80), ranks.split(","), strict=True)
        text = "x,score,rank\n" + "".join(f"{name},{score},{rank}\n" for name, score, rank in rows)
        assert not list(wrong_ranks(grid(text))), ranks


def test_several_processors_use_more_than_100_percent() -> None:
    assert not list(above_limits(grid("x,CPU use [%]\na,40\nb,60\nc,156\n")))


def test_ends_of_a_path_are_no_range() -> None:
    assert not list(wrong_ranges(grid("x,from,to\na,7,6\nb,6,7\n")))
