"""Groups of the cells of a matrix, with means by hand."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import pytest

from tests.analysis.studies.hand_made import HALF
from tests.analysis.studies.test_network_cells import ENDS, HOSTS, LOCAL, REMOTE, both, throughput
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.studies.cells import CellGroup, StudySection, section
from virtometer.analysis.studies.grouped import grouped
from virtometer.analysis.studies.matching import Matcher
from virtometer.studies.data import items, values
from virtometer.studies.questions import Group
from virtometer.studies.sections import description

__all__ = ["both"]  # the fixture

WITHIN, BESIDE, BETWEEN = "within one system", "between systems of one server", "between servers"


def groups_of(item: str, *analyses: Analysis, study: str = "klein2008") -> tuple[StudySection, dict[str, CellGroup]]:
    matcher = Matcher(description(study), analyses)
    found = grouped(section(items(study)[item], matcher), matcher)
    return found, {one.name: one for one in found.groups}


def test_every_pair_of_a_matrix_is_in_one_group_with_the_mean_of_its_printed_cells() -> None:
    found, groups = groups_of("3.2")
    assert list(groups) == [WITHIN, BESIDE, BETWEEN] and [len(one.ids) for one in found.groups] == [5, 8, 12]
    assert sorted(name for one in found.groups for name in one.ids) == sorted(
        one.id for one in values("klein2008", "3.2")
    )
    (within,), (beside,) = groups[WITHIN].means, groups[BESIDE].means
    assert (within.quantity, within.unit, within.cells_then) == ("throughput", "MB/s", 5)
    assert within.then == pytest.approx((323 + 337 + 322 + 338 + 294) / 5)
    assert beside.then == pytest.approx((35 + 161 + 32 + 32 + 28 + 2 + 293 + 3) / 8)
    assert (beside.least, beside.greatest) == pytest.approx((2, 293))
    assert (beside.now, beside.cells_now) == (None, 0)


def test_each_column_of_a_table_of_pairs_has_its_mean_but_what_the_plan_sets() -> None:
    _, groups = groups_of("A.1")
    assert [(one.quantity, one.unit, one.cells_then) for one in groups[BESIDE].means] == [
        ("throughput", "MB/s", 4),
        ("CPU use, sender, local", "%", 4),
        ("CPU use, receiver, remote", "%", 4),
        ("service demand, sender, local", "us/KB", 4),
        ("service demand, receiver, remote", "us/KB", 4),
    ]
    assert groups[BESIDE].means[1].then == pytest.approx((1.90 + 0.71 + 0.03 + 9.33) / 4)


def test_the_mean_of_a_campaign_is_that_within_its_blocks(both: Analysis) -> None:
    _, groups = groups_of("3.2", both)
    pairs = [(source, target) for source in ENDS for target in ENDS if HOSTS[source] == HOSTS[target]]
    for name, some in (
        (WITHIN, [(source, target) for source, target in pairs if source == target]),
        (BESIDE, [(source, target) for source, target in pairs if source != target]),
    ):
        (mean,) = groups[name].means
        expected = statistics.fmean(throughput(source, target, 2) for source, target in some)
        assert mean.now is not None and mean.now.low is not None and mean.cells_now == len(some)
        assert mean.now.value == pytest.approx(expected)
        assert mean.now.low == pytest.approx(expected * math.exp(-HALF), rel=1e-5)
    assert groups[BETWEEN].means[0].now is None
    demands = {one.quantity: one.now for one in groups_of("A.2", both)[1][WITHIN].means}
    local, remote = demands["service demand, sender, local"], demands["service demand, receiver, remote"]
    assert local is not None and remote is not None
    assert (local.value, remote.value) == pytest.approx((LOCAL, REMOTE))


def test_cells_of_the_campaign_that_fills_most_make_the_mean(both: Analysis) -> None:
    """The first campaign lacks the paths to dom0, which the second one has."""
    some = tuple(one for one in both.campaign.trials if "native" not in one.trial.placements[-1].environment)
    few = analyse(replace(both.campaign, trials=some))
    found, groups = groups_of("3.2", few, both)
    filled = [cell for cell in found.all_cells if cell.published.id in groups[BESIDE].ids and cell.value is not None]
    assert [cell.campaign for cell in filled].count(1) == 3 and len(filled) == 8
    (mean,) = groups[BESIDE].means
    others = [("node6", "vm2"), ("node7", "vm3"), ("node7", "vm4"), ("vm3", "vm4"), ("vm4", "vm3")]
    assert mean.now is not None and mean.cells_now == 5
    assert mean.now.value == pytest.approx(statistics.fmean(throughput(*pair, 2) for pair in others))


def test_other_tables_have_no_groups() -> None:
    assert groups_of("3.3")[0].groups == () and groups_of("6.9", study="tsiouprou2010")[0].groups == ()


def test_a_group_without_cells_in_a_table_is_left_out() -> None:
    of = description("klein2008")
    none = Group(name="none", cells={"item": ["3.1"], "source": ["nobody"]})
    matcher = Matcher(of.model_copy(update={"groups": [none, *of.groups[:1]]}), [])
    assert [one.name for one in grouped(section(items("klein2008")["3.1"], matcher), matcher).groups] == [WITHIN]
