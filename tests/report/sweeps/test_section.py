"""Sweeps on the page: figures, then tables with levels down and environments across."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, Work, simulate
from tests.report.showcase import ODD, curves
from virtometer.analysis import analyse
from virtometer.analysis.curves.sweeps import sweeps
from virtometer.model import Failure, FailureKind
from virtometer.report.parts import words
from virtometer.report.sweeps.section import part


def test_the_tables_of_a_sweep_follow_its_figures() -> None:
    campaign = curves()
    found = analyse(campaign).findings
    by_name = {sweep.name: part("sweep-1", sweep, found) for sweep in sweeps(campaign.plan.workloads)}
    assert list(by_name) == ["read", "write", "system"]
    (table,) = by_name["read"].tables
    assert table.columns == ("size", "native", ODD)
    assert [row[0] for row in table.rows] == [words.size(1024 << k) for k in range(0, 17, 2)]
    assert all(" GB/s (0." in row[2] and "(" not in row[1] for row in table.rows)
    (table,) = by_name["write"].tables
    assert (len(table.rows), len(table.columns)) == (3, 5)
    assert all(cell.startswith("0.") for row in table.rows for cell in row[1:])
    (table,) = by_name["system"].tables
    assert [row[0] for row in table.rows] == ["null", "read", "open"]


def sized(count: int) -> list[Work]:
    return [
        Work(f"read {n}", "memory", "read", "B/s", 3e9 * n, parameters={"size": n}, of="read", levels={"size": n})
        for n in range(1, count + 1)
    ]


def test_a_curve_has_the_values_and_one_with_two_environments_their_efficiency_too() -> None:
    for places, figures in (([Place("native")], 1), ([Place("native"), Place("box")], 2)):
        campaign = simulate(places, sized(3))
        (sweep,) = sweeps(campaign.plan.workloads)
        found = part("sweep-1", sweep, analyse(campaign).findings)
        assert (found.title, len(found.figures), len(found.tables)) == ("read", figures, 1)


def test_a_place_without_a_value_says_so_in_its_cell() -> None:
    failure = Failure(FailureKind.UNAVAILABLE, "no memory", 0)
    campaign = simulate([Place("native"), Place("box", fails={"read 2": failure})], sized(3))
    (sweep,) = sweeps(campaign.plan.workloads)
    (table,) = part("sweep-1", sweep, analyse(campaign).findings).tables
    assert table.columns == ("size", "native", "box")
    assert [row[0] for row in table.rows] == ["1 B", "2 B", "3 B"]
    assert table.rows[1] == ("2 B", "6.00 GB/s", "not available here")
    assert table.rows[0][1] == "3.00 GB/s" and table.rows[0][2].startswith("3.00 GB/s (1.0")


def test_without_a_finding_the_tables_are_empty_of_environments() -> None:
    campaign = simulate([Place("native")], sized(3))
    (sweep,) = sweeps(campaign.plan.workloads)
    found = part("sweep-1", sweep, ())
    assert found.figures == []
    assert [(table.columns, list(table.rows)) for table in found.tables] == [
        (("size",), [("1 B",), ("2 B",), ("3 B",)])
    ]


def test_categories_have_bars_and_a_row_each() -> None:
    calls = [Work(f"call {one}", "os", "system-call", "s", 1e-7, of="call", levels={"call": one}) for one in "ab"]
    campaign = simulate([Place("native"), Place("box", efficiency={"": 0.5})], calls)
    (sweep,) = sweeps(campaign.plan.workloads)
    found = part("sweep-1", sweep, analyse(campaign).findings)
    assert len(found.figures) == 1
    (table,) = found.tables
    assert table.columns == ("call", "native", "box")
    assert [row[:2] for row in table.rows] == [("a", "100 ns"), ("b", "100 ns")]
    assert all(row[2].startswith("200 ns (0.50 ") and row[2].endswith(" slower)") for row in table.rows)
