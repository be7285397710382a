"""Relations that labels name."""

from __future__ import annotations

import pytest

from virtometer.analysis.plausible.reading import read
from virtometer.analysis.plausible.relations import misnamed, named


@pytest.mark.parametrize(
    ("label", "values", "rule"),
    [
        ("sum", ("6.0", "9.0"), "sum"), ("mean", ("2.0", "3.0"), "mean"), ("sd", ("1.0", "2.0"), "deviation"),
        ("min", ("1.0", "1.0"), "extreme"), ("max", ("3.0", "5.0"), "extreme"), ("median", ("2.0", "3.0"), "extreme"),
    ],
)  # fmt: skip
def test_derived_columns_follow(label: str, values: tuple[str, str], rule: str) -> None:
    text = f"x,a,b,c,{label}\nr,1.0,2.0,3.0,{values[0]}\ns,1.0,3.0,5.0,{values[1]}\n"
    (one,) = named(read(text.encode(), "t")[0])
    assert (one.rule, one.holds.tolist(), one.breaks.tolist()) == (rule, [0, 1], [])


def test_what_a_member_should_be() -> None:
    (one,) = named(read(b"x,a,b,sum\nr,1.0,2.0,3.0\ns,2.0,2.0,9.0\nt,3.0,4.0,7.0\n", "t")[0])
    assert one.breaks.tolist() == [1]
    assert one.solve(1, 0) == pytest.approx(7)


def test_a_mean_of_the_nearest_columns() -> None:
    text = b"x,single,VM 1,VM 2,VM 3,mean\nr,90.0,10.0,20.0,30.0,20.0\ns,99.0,20.0,30.0,10.0,20.0\n"
    (one,) = named(read(text, "t")[0])
    assert one.members == (1, 2, 3)


def test_a_total_is_wrong_only_where_others_of_its_kind_follow() -> None:
    rates = read(b"x,time [s],rate [MB/s]\nr,20,10.5\ns,50,32.4\ntotal,70,17.2\n", "t")[0]
    assert not list(named(rates.turned())), "the rate of all is not the sum of the rates"
    (of,) = named(read(b"x,a,b,sum of both\nr,1.0,2.0,3.0\ns,2.0,2.0,4.0\nt,3.0,4.0,9.0\n", "t")[0])
    assert (of.holds.tolist(), of.breaks.tolist()) == ([0, 1], [2])


def test_a_sum_of_which_a_cell_lacks_is_not_judged() -> None:
    (of,) = named(read(b"x,a,b,sum\nr,1.0,2.0,3.0\ns,2.0,-,4.0\nt,3.0,4.0,9.0\nu,3.0,1.0,4.0\n", "t")[0])
    assert (of.holds.tolist(), of.breaks.tolist()) == ([0, 3], [2])


def test_a_definition_that_most_rows_do_not_follow_is_none() -> None:
    assert not list(named(read(b"x,a,b,sum\nr,1.0,2.0,9.0\ns,2.0,2.0,9.5\nt,3.0,4.0,7.0\n", "t")[0]))


def _named_mean(follow: int) -> str:
    """Nine rows with a column called mean, of which the first rows follow."""
    cells = [(12.31, 47.92, 80.17), (33.58, 61.04, 20.45), (71.26, 15.83, 44.9), (9.47, 88.36, 52.11)] * 2
    cells.append((64.2, 31.77, 18.59))
    made = [sum(some) / 3 * (1 if row < follow else 1.1 + row / 40) for row, some in enumerate(cells)]
    lines = [f"r{row},{a:.2f},{b:.2f},{c:.2f},{made[row]:.2f}" for row, (a, b, c) in enumerate(cells)]
    return "\n".join(["x,a,b,c,mean", *lines])


def test_a_mean_that_most_rows_contradict_is_named_as_a_whole() -> None:
    grid = read(_named_mean(follow=2).encode(), "t")[0]
    (one,) = misnamed(grid, "column")
    assert (one.place, one.rule) == ((-1, 3), "mean")
    assert "7 of 9" in one.reason and "a, b and c" in one.reason
    (turned,) = (one.turned() for one in misnamed(grid, "column"))
    assert turned.place == (3, -1)


@pytest.mark.parametrize("follow", [0, 1, 6])
def test_a_mean_of_other_cells_and_one_with_single_wrong_rows_are_not(follow: int) -> None:
    assert not [*misnamed(read(_named_mean(follow).encode(), "t")[0], "column")]


def test_a_row_of_another_kind_is_wrong_where_one_decimal_point_mends_it() -> None:
    text = "x,sum of VMs,VM 1,VM 2\nr [s],6.25,4.12,2.13\nt [s],7.36,3.14,4.22\nu [ms],%s\n"
    for line, wrong in (("48.46,27.55,20910", [2]), ("48.46,27.55,31000", []), ("48.46,27.55,20.91", [])):
        (of,) = named(read((text % line).encode(), "t")[0])
        assert of.breaks.tolist() == wrong
