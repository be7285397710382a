"""Groups of guests as printed, and in campaigns."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import ALONE, NATIVE, linpack, made, named
from virtometer.analysis import Analysis
from virtometer.analysis.studies.guests import measured_rows, places_of, printed_rows, sizes
from virtometer.analysis.studies.matching import Matcher
from virtometer.model import Placement, Trial
from virtometer.studies.data import PublishedValue, items, values
from virtometer.studies.questions import Work as Asked
from virtometer.studies.sections import description


def cells(study: str) -> list[PublishedValue]:
    return [one for item in items(study) for one in values(study, item)]


def test_rows_join_the_tables_of_two_and_of_three_guests() -> None:
    rows = printed_rows(Asked(name="disk", cells={"item": ["6.3", "6.4"]}), cells("tsiouprou2010"))
    assert len(rows) == 4 and [group.guests for group in rows[0].groups] == [2, 3] and sizes(rows, []) == [2, 3]
    mega = 2**20
    assert rows[0].alone == pytest.approx(16.36 * mega)
    assert rows[0].groups[1].speeds == pytest.approx((5.278 * mega, 5.274 * mega, 5.313 * mega))
    assert rows[0].groups[1].total == pytest.approx(15.866 * mega)


def test_means_of_times_become_the_speed_of_all_and_expected_times_do_not_count() -> None:
    rows = printed_rows(
        Asked(name="linpack", cells={"item": ["appendix: CPU - Linpack parallel", "appendix: CPU angepasst"]}),
        cells("lemberger2010"),
    )
    assert len(rows) == 1 and rows[0].alone == pytest.approx(1 / 21.321)
    assert [one.total for one in rows[0].groups] == pytest.approx([2 / 33.219, 3 / 52.107])
    assert all(one.speeds == () for one in rows[0].groups)


def test_a_standard_deviation_stands_for_speeds_that_are_not_printed() -> None:
    rows = printed_rows(Asked(name="cpu", cells={"item": ["slide: Fair CPU*"]}), cells("appel2008"))
    assert [one.guests for one in rows[0].groups] == [4, 5, 6, 7]
    assert rows[0].groups[0].spread == pytest.approx(0.121 / 14.06)


def test_an_unreadable_guest_leaves_the_sum() -> None:
    rows = printed_rows(Asked(name="net", cells={"item": ["appendix: 3-net"]}), cells("lemberger2010"))
    assert [len(row.groups[0].speeds) for row in rows] == [0, 3]


BOX = Place("box", "lxc")
GROUPS = {"name": "growing", "type": "together", "environment": "box", "guests": [1, 2]}
ASKED = Asked(name="memory", measured={"workload": ["memory"], "op": ["copy", "scale"]})


def rate(placement: Placement, trial: Trial) -> float:
    return 100.0 / len(trial.placements) / placement.guest


def test_series_of_a_campaign_stand_where_no_cell_is_printed() -> None:
    works = [Work(op, "memory", op, "B/s", 100.0) for op in ("copy", "scale", "add")]
    matcher = Matcher(description("appel2008"), [made([NATIVE, BOX], works, rate, [GROUPS, ALONE])])
    rows = measured_rows(ASKED, [], matcher)
    assert [(row.by, [one.guests for one in row.groups]) for row in rows] == [("box", [2]), ("box", [2])]
    first = rows[0]
    for block, alone in first.alone.items():
        assert [one[block] / alone for one in first.groups[0].speeds] == pytest.approx([0.5, 0.25])
        assert first.groups[0].total[block] / alone == pytest.approx(0.75)
    assert printed_rows(ASKED, cells("appel2008")) == []
    assert measured_rows(Asked(name="disk", measured={"workload": ["disk"]}), [], matcher) == []


def test_cells_are_filled_by_the_guests_of_a_campaign() -> None:
    works = [linpack(4000, 100.0)]
    matcher = Matcher(description("tsiouprou2010"), [made([NATIVE, BOX], works, rate, [GROUPS, ALONE])])
    rows = measured_rows(Asked(name="linpack", cells={"item": ["6.1", "6.2"]}), cells("tsiouprou2010"), matcher)
    assert len(rows) == 1 and [one.guests for one in rows[0].groups] == [2]
    assert rows[0].groups[0].total[0] / rows[0].alone[0] == pytest.approx(0.75)
    assert (rows[0].by, rows[0].campaign) == ("box", 0)


def test_each_row_of_cells_is_from_the_first_campaign_that_has_its_groups() -> None:
    """Linpack of one order alone in the first campaign, at once in the second, and of another order in the third."""
    works = [linpack(2000, 100.0)], [linpack(2000, 100.0)], [linpack(4000, 100.0)]
    scenarios = [ALONE], [GROUPS, ALONE], [GROUPS, ALONE]
    some = [made([NATIVE, BOX], of, rate, how) for of, how in zip(works, scenarios, strict=True)]
    asked = Asked(name="linpack", cells={"item": ["6.1", "6.2"]})
    rows = measured_rows(asked, cells("tsiouprou2010"), Matcher(description("tsiouprou2010"), some))
    assert [(row.campaign, [one.guests for one in row.groups]) for row in rows] == [(1, [2]), (2, [2])]
    assert places_of(rows) == "box" and places_of([]) == ""


def test_series_are_those_of_all_campaigns_of_the_study_and_each_once() -> None:
    def of(name: str, *ops: str) -> Analysis:
        works = [Work(op, "memory", op, "B/s", 100.0) for op in ops]
        return named(made([NATIVE, BOX], works, rate, [GROUPS, ALONE]), name)

    other, one, two = of("zupka2008 smp", "copy"), of("appel2008 a", "copy"), of("appel2008 b", "copy", "scale")

    def campaigns(*some: Analysis) -> list[int]:
        return [row.campaign for row in measured_rows(ASKED, [], Matcher(description("appel2008"), some))]

    assert sorted(campaigns(other, one, two)) == [1, 2]
    assert campaigns(other, of("appel2008 c", "add")) == [0]  # another study's, where this study has none
    assert campaigns(other, other) == [0]
