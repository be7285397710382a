"""The tables of groups of guests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.group_campaigns import group_campaign
from virtometer.analysis import Analysis, analyse
from virtometer.report.groups import tables as group_tables
from virtometer.report.groups.figures import guests_time


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(group_campaign(blocks=6))


def test_what_was_reached_has_a_column_for_each_guest(analysis: Analysis) -> None:
    growing = [group for group in analysis.group_results.groups if group.scenario == "growing"]
    tables = group_tables.tables(growing)
    reached = tables[0]
    assert reached.columns == (
        "environment", "guests", "guest 1", "guest 2", "guest 3", "guest 4", "sum", "mean", "ideal",
    )  # fmt: skip
    assert [row[1] for row in reached.rows if row[0] == "runc"] == ["1", "2", "3", "4"]
    for row in reached.rows:
        guests = int(row[1])
        assert all(row[2 : 2 + guests]) and not any(row[2 + guests : 6])
    assert all(len(row) == len(of.columns) for of in tables for row in of.rows)


def test_one_guest_is_once_as_fast_as_itself(analysis: Analysis) -> None:
    alone = next(group for group in analysis.group_results.groups if group.scenario == "growing" and group.guests == 1)
    assert group_tables.ratio(alone, alone.sum.estimate) == "1"
    more = next(group for group in analysis.group_results.groups if group.scenario == "growing" and group.guests == 2)
    assert group_tables.ratio(more, more.against_ideal) not in ("", "1")


def test_the_slowest_guest_is_the_one_that_is_reported(analysis: Analysis) -> None:
    group = next(
        one
        for one in analysis.group_results.groups
        if (one.scenario, one.environment, one.guests) == ("growing", "runc", 3)
    )
    slowest = group_tables.slowest(group)
    assert slowest is not None
    assert slowest.value == max(one.slowdown.value for one in group.members if one.slowdown is not None)


def test_what_the_watcher_took(analysis: Analysis) -> None:
    groups = [group for group in analysis.group_results.groups if group.scenario == "growing"]
    compared = group_tables.tables(groups)[1]
    assert compared.columns[-1] == "watcher, of a processor"
    assert {row[-1] for row in compared.rows} == {"0.20 %"}
    low, none, unknown = (replace(groups[0], watch_share=share) for share in (0.0005, 0.0, None))
    assert group_tables.watcher([low, *groups]) == "the watcher took 0.050 to 0.20 % of a processor"
    assert group_tables.watcher([none]) == "the watcher took 0 % of a processor"
    assert group_tables.watcher([unknown]) == ""
    old = group_tables.tables([replace(unknown, overlap_s=None)])[1]
    assert old.rows[0][-2:] == ("", ""), "ledgers of older versions do not have it"


def test_each_guest_is_compared_with_the_others(analysis: Analysis) -> None:
    growing = [group for group in analysis.group_results.groups if group.scenario == "growing"]
    table = next(one for one in group_tables.tables(growing) if "guest by guest" in one.caption)
    assert table.columns[4:6] == ("against the others", "smallest rate in")
    row = next(row for row in table.rows if row[:2] == ("runc × 3, linpack", "runc #3"))
    assert row[4].startswith("0.8") and "±" in row[4] and row[5] == "6 of 6 blocks"
    three = next(group for group in growing if (group.environment, group.guests) == ("runc", 3))
    assert "runc #3 0.8" in group_tables.who_gets_less(three) and "(6 of 6)" in group_tables.who_gets_less(three)
    assert group_tables.who_gets_less(growing[0]) == ""


def test_the_cost_of_a_unit_of_work_is_absolute_too(analysis: Analysis) -> None:
    group = next(one for one in analysis.group_results.groups if one.scenario == "growing")
    table = group_tables.tables([group])[1]
    assert table.columns[6] == "host CPU by work" and table.rows[0][6].startswith("0.2")
    assert " ns/FLOP ±" in table.rows[0][6]
    switching = next(one for one in analysis.group_results.groups if one.scenario == "switching")
    assert "µs/operation" in group_tables.cost(switching)
    assert group_tables.cost(replace(group, cost=None)) == ""


def test_the_law_and_where_the_sum_stops_rising(analysis: Analysis) -> None:
    table = group_tables.scaling([one for one in analysis.group_results.scalings if one.scenario == "growing"])
    rows = {row[0]: row for row in table.rows}
    assert rows["runc"][-1].startswith("2") and rows["runc"][2]


def test_a_matrix_has_its_rows_and_columns(analysis: Analysis) -> None:
    for one in analysis.group_results.matrices:
        table = group_tables.matrix(one)
        assert table.columns[0] == ("victim" if one.of.metric == "slowdown" else "source")
        assert table.columns[1:] == tuple(one.columns)
        assert [row[0] for row in table.rows] == list(one.rows)


def test_what_the_cpu_time_of_guests_was_spent_for(analysis: Analysis) -> None:
    growing = [group for group in analysis.group_results.groups if group.scenario == "growing"]
    table = group_tables.tables(growing)[-1]
    assert "CPU of the guests" in table.caption
    assert table.columns[2:6] == ("CPU", "guest code", "VMM", "kernel threads")
    gvisor = next(row for row in table.rows if row[1] == "gVisor")
    assert gvisor[2:8] == ("990 ms", "742 ms", "248 ms", "0 s", "742 ms", "248 ms")
    runc = next(row for row in table.rows if row[1] == "runc")
    assert runc[8:] == ("2.00 MB/s", "1.00 MB/s", "18"), "packets are those of all blocks"
    assert gvisor[8:] == ("", "", ""), "unknown, and not zero"


def test_copies_in_one_guest_have_one_row_of_its_cpu_time(analysis: Analysis) -> None:
    group = next(one for one in analysis.group_results.groups if one.scenario == "growing" and one.guests == 2)
    first, second = group.members
    blank = replace(second, of=first.of, host_cpu_s=None, processors=None, cpu_s={}, cpu_unknown="", received=None)
    copies = replace(group, members=(first, blank))
    assert [row[1] for row in group_tables.tables([copies])[-1].rows] == [f"{first.of}, 2 copies"]
    figure = guests_time([copies])
    assert figure is not None and f"{first.of}, 2 copies guest code" in figure.alternative


def test_a_part_that_cannot_be_told_is_empty_with_the_reason(analysis: Analysis) -> None:
    group = next(group for group in analysis.group_results.groups if group.scenario == "growing")
    hidden = replace(group.members[0], cpu_s={**group.members[0].cpu_s, "kernel": None}, cpu_unknown="they are hidden")
    table = group_tables.tables([replace(group, members=(hidden,))])[-1]
    (row,) = table.rows
    assert (table.columns[-1], row[-1], row[5]) == ("unknown, because", "they are hidden", "")


def test_each_note_is_there_once_with_the_names_of_all_that_it_is_about() -> None:
    notes = [("a", "few"), ("b", "few"), ("b", "slow"), ("b", "few")]
    assert group_tables.shared_notes(notes) == [("a; b", "few"), ("b", "slow")]
    assert group_tables.shared_notes(zip("abcde", ["x"] * 5, strict=True)) == [("a; b; c; d; e", "x")]
    assert group_tables.shared_notes(zip("abcdef", ["x"] * 6, strict=True)) == [("a; b; c; d and 2 more", "x")]
    assert group_tables.shared_notes([]) == []
