"""Groups of the cells of a table, such as the pairs of a matrix within one system, with a mean of each. PURE."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from virtometer.analysis.studies.cells import CellGroup, GroupMean, StudyCell, StudySection, estimate, scaled
from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.model import Estimate
from virtometer.studies.selectors import selects
from virtometer.studies.units import unit_and_factor, unit_words


def grouped(of: StudySection, matcher: Matcher) -> StudySection:
    """The section with the groups that the description of its study names, as far as they have cells in it."""
    columns: dict[_Quantity, set[str]] = {}
    for cell in of.all_cells:
        columns.setdefault(_quantity(cell), set()).add(cell.published.column)
    found = []
    for group in matcher.of.groups:
        cells = [cell for cell in of.all_cells if selects(group.cells, cell.published)]
        if cells:
            ids = frozenset(cell.published.id for cell in cells)
            found.append(CellGroup(group.name, ids, tuple(_means(cells, columns, matcher))))
    return replace(of, groups=tuple(found))


_Quantity = tuple[str, str, str]
"""Metric, end of a path, printed unit."""


def _quantity(cell: StudyCell) -> _Quantity:
    value = cell.published
    return value.metric, str(value.options.get("end", "")), value.unit_printed


def _means(cells: Sequence[StudyCell], columns: Mapping[_Quantity, Set[str]], matcher: Matcher) -> Iterator[GroupMean]:
    """One for each quantity, in the order in which these occur. columns: the labels of all columns that have it."""
    by_quantity: dict[_Quantity, list[StudyCell]] = {}
    for cell in cells:
        by_quantity.setdefault(_quantity(cell), []).append(cell)
    for quantity, some in by_quantity.items():
        labels = columns[quantity]
        yield _mean(next(iter(labels)) if len(labels) == 1 else quantity[0], some, matcher)


def _mean(quantity: str, cells: Sequence[StudyCell], matcher: Matcher) -> GroupMean:
    first = cells[0].published
    factor = float(unit_and_factor(first.unit_printed, first.workload, first.metric)[1])
    printed = [cell.published.value / factor for cell in cells if cell.published.value is not None]
    now, count = _here(cells, matcher)
    return GroupMean(
        quantity=quantity,
        unit=unit_words(first.unit_printed),
        then=statistics.fmean(printed) if printed else None,
        least=min(printed, default=None),
        greatest=max(printed, default=None),
        cells_then=len(printed),
        now=None if now is None else scaled(now, 1 / factor),
        cells_now=count,
    )


def _here(cells: Sequence[StudyCell], matcher: Matcher) -> tuple[Estimate | None, int]:
    """The mean of the new values of the campaign that fills most of the cells, and how many these are."""
    by_campaign = Counter(cell.campaign for cell in cells if cell.value is not None)
    if not by_campaign:
        return None, 0
    campaign = max(by_campaign, key=lambda one: (by_campaign[one], -one))
    some = [cell for cell in cells if cell.value is not None and cell.campaign == campaign]
    found = [one.values for cell in some if isinstance(one := matcher.find(cell.published), Found)]
    shared = sorted(set[int].intersection(*(set(one) for one in found)))
    means = {block: statistics.fmean(one[block] for one in found) for block in shared}
    return estimate(means, some[0].published), len(found)
