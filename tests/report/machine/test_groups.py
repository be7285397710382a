"""Groups of guests as rows. The figures are tested beside the page, in `tests/report/groups`."""

from __future__ import annotations

from dataclasses import replace

from tests.report.group_campaigns import group_campaign
from virtometer.analysis import analyse
from virtometer.report.machine.groups import GROUP, MATRIX, MEMBER, RANK


def test_a_group_without_fairness_and_a_matrix_without_a_value_have_null_there() -> None:
    results = analyse(group_campaign(blocks=2)).group_results
    several = next(one for one in results.groups if one.fairness is not None)
    single = GROUP.row(replace(several, fairness=None))
    names = ("ideal_share", "worst_share", "worst_share_low", "jain_high")
    assert [single[name] for name in names] == [None] * 4
    assert GROUP.row(several)["ideal_share"] == 1 / len([one for one in several.members if one.role == "measured"])
    for matrix in results.matrices:
        row = MATRIX.row(matrix)
        holes = [(r, c) for r, cells in enumerate(matrix.cells) for c, cell in enumerate(cells) if cell is None]
        assert all(row["values"][r][c] is None and row["n"][r][c] == 0 for r, c in holes)


def test_a_member_and_its_rank_stand_in_one_row_of_csv() -> None:
    names = [*MEMBER.columns("guest"), *RANK.columns("guest")]
    assert {name for name in names if names.count(name) > 1} == {"guest"}
    assert not set(names) & set(GROUP.columns())
