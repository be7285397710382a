"""Further measures of groups of guests and of matrices, as tables: a row for each guest or pair, a column a measure."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.analysis.groups import further
from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.further import Measures
from virtometer.analysis.groups.matrix import Matrix
from virtometer.model import Estimate, Quantity
from virtometer.report.groups import tables
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable


def of_groups(groups: Sequence[Group]) -> list[TextTable]:
    """A table for each workload of these groups that has any."""
    made = []
    for workload in dict.fromkeys(group.workload for group in groups):
        rows = [
            (f"{tables.name(group)}: {one.guest}", one.measures)
            for group in groups
            if group.workload == workload
            for one in group.members
            if one.measures
        ]
        made += _table(f"{workload}: further measures, mean over the blocks with its 95 % interval", "guest", rows)
    return made


def of_matrices(matrices: Sequence[Matrix]) -> list[TextTable]:
    """A table for each matrix that has any, with a row for each pair."""
    made = []
    for one in matrices:
        rows = [(f"{source} to {target}", some) for (source, target), some in one.measures.items() if some]
        what = "further measures of each pair, mean over the blocks with its 95 % interval"
        caption = f"{one.workload or one.scenario}: {what}"
        made += _table(caption, "pair", rows)
    return made


def _table(caption: str, who: str, rows: Sequence[tuple[str, Measures]]) -> list[TextTable]:
    """None without a row."""
    if not rows:
        return []
    names = further.names([some for _, some in rows])
    cells = [(name, *(_cell(some.get(one)) for one in names)) for name, some in rows]
    return [TextTable(caption, (who, *names), cells, frozenset(range(1, len(names) + 1)))]


def _cell(of: Quantity[Estimate | None] | None) -> str:
    """In the unit that suits it, with half of the interval in per cent; empty where there is none."""
    if of is None or of.estimate is None:
        return ""
    found, shown = of.estimate, words.measure(of.estimate.value, of.unit)
    if found.low is None or found.high is None or found.low >= found.high or found.value <= 0:
        return shown
    return f"{shown} ±{words.significant(100 * (found.high - found.low) / 2 / found.value, 2)} %"
