"""The tables of a study with what was printed, and what the campaigns measured beside it. PURE.

Absolute values of then and now stand side by side and are never compared: machines differ. Efficiencies are.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace

from virtometer.analysis.studies.matching import Found, Matcher, between_runs
from virtometer.analysis.studies.measured import Blocks
from virtometer.model import Better, Estimate, Quantity
from virtometer.studies.charts import Chart
from virtometer.studies.data import Item, PublishedValue
from virtometer.studies.printed import Column, PrintedItem, printed, table_of
from virtometer.studies.sections import chart_cells, chart_of, per_run, reference
from virtometer.studies.units import unit_and_factor

NO_VALUE = "its blocks have no value"

NOTHING = "(nothing printed)"
"""The label of a row without any printed cell."""


@dataclass(frozen=True, slots=True)
class StudyCell:
    """A printed cell, or one of a chart whose values are printed nowhere, and what stands for it here.

    value: in the printed unit; None where `reason` says why there is none. then, now: efficiencies of the study and of
    the campaign, above 1 where better than the system that they are against. ratio: now by then. by: the environment.
    campaign: counted from 0. cpus: of a guest alone, processors of the host that worked for it.
    """

    published: PublishedValue
    then: float | None
    value: Quantity[Estimate] | None = None
    now: Estimate | None = None
    ratio: Estimate | None = None
    by: str = ""
    campaign: int = 0
    reason: str = ""
    cpus: Estimate | None = None


@dataclass(frozen=True, slots=True)
class GroupMean:
    """The arithmetic mean of the cells of a group with the same quantity, in the printed unit.

    quantity: label of their column, or their metric where they have several. then, least, greatest: of the printed
    numbers of `cells_then` cells. now: of the new values of `cells_now` cells of one campaign, within each block.
    """

    quantity: str
    unit: str
    then: float | None
    least: float | None
    greatest: float | None
    cells_then: int
    now: Estimate | None
    cells_now: int


@dataclass(frozen=True, slots=True)
class CellGroup:
    """Cells of an item with a name. ids: of these cells."""

    name: str
    ids: frozenset[str]
    means: tuple[GroupMean, ...]


@dataclass(frozen=True, slots=True)
class StudySection:
    """An item of a study: rows and columns in the printed order, and its cells, None where nothing is printed.

    Values of a text are rows of one column. A figure has no rows: `drawn` are the items that it draws. chart: how a
    figure is described whose values are printed nowhere; its rows and columns are those of the description. groups: of
    cells, in the order of the description; empty where it names none.
    """

    item: Item
    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[StudyCell | None, ...], ...]
    drawn: tuple[str, ...]
    chart: Chart | None = None
    groups: tuple[CellGroup, ...] = ()

    @property
    def filled(self) -> int:
        """How many cells have a new value."""
        return sum(cell.value is not None for cell in self.all_cells)

    @property
    def all_cells(self) -> tuple[StudyCell, ...]:
        """The cells in the printed order."""
        return tuple(cell for row in self.cells for cell in row if cell is not None)

    @property
    def has_cpus(self) -> bool:
        """Whether the processors of the host that worked are known of a cell."""
        return any(cell.cpus is not None for cell in self.all_cells)

    @property
    def reasons(self) -> dict[str, int]:
        """Why cells have no new value, and how many, the most frequent first."""
        found: dict[str, int] = {}
        for cell in self.all_cells:
            if cell.reason:
                found[cell.reason] = found.get(cell.reason, 0) + 1
        return dict(sorted(found.items(), key=lambda one: -one[1]))


def section(item: Item, matcher: Matcher) -> StudySection:
    """An item filled from the campaigns of the matcher."""
    found, chart = printed(item), chart_of(item.study, item.item)
    rows, columns, cells = _layout(found)
    return StudySection(
        item=item,
        rows=tuple(row or NOTHING for row in rows),
        columns=columns,
        cells=tuple(tuple(None if one is None else cell_of(one, matcher) for one in row) for row in cells),
        drawn=tuple(one.item for one in found.drawn),
        chart=chart,
    )


def cell_of(value: PublishedValue, matcher: Matcher) -> StudyCell:
    """One cell filled."""
    then = efficiency_then(value, matcher)
    found = matcher.find(value)
    if not isinstance(found, Found):
        return StudyCell(value, then, reason=found.reason)
    of = estimate(found.values, value)
    if of is None:
        return StudyCell(value, then, reason=NO_VALUE)
    unit, factor = value.unit_printed, float(unit_and_factor(value.unit_printed, value.workload, value.metric)[1])
    now = efficiency_now(found, value)
    better: Better | None = "lower" if value.better == "lower" else "higher" if value.better else None
    return StudyCell(
        published=value,
        then=then,
        value=Quantity(found.by, value.metric, unit, better, "geometric mean", scaled(of, 1 / factor)),
        now=now,
        ratio=None if now is None or not then else scaled(now, 1 / then),
        by=found.by,
        campaign=found.campaign,
        cpus=_cpus(found, value),
    )


def _cpus(found: Found, value: PublishedValue) -> Estimate | None:
    """The geometric mean over the blocks; None where it is unknown, or where the cell is of no single value."""
    known = [one for one in found.cpus.values() if one > 0]
    if not known or value.metric == "count" or between_runs(value):
        return None
    from virtometer.analysis.statistics.interval import interval  # loads scipy, which printed values do not need

    return interval(map(math.log, known))


def efficiency_then(value: PublishedValue, matcher: Matcher) -> float | None:
    """The efficiency that the study's own cells give; None without a number, or a cell that it is against."""
    against = reference(value, matcher.of)
    mine, theirs = per_run(value), None if against is None else per_run(against)
    if not mine or not theirs:
        return None
    return theirs / mine if value.better == "lower" else mine / theirs


def efficiency_now(found: Found, value: PublishedValue) -> Estimate | None:
    """The efficiency within blocks; None where nothing is compared."""
    if value.better not in ("higher", "lower") or value.statistic == "expected" or not found.against:
        return None
    from virtometer.analysis.compare.blocks import logs_by_block  # loads scipy, which printed values do not need
    from virtometer.analysis.statistics.interval import interval

    mine = {block: one for block, one in found.values.items() if one > 0}
    theirs = {block: one for block, one in found.against.items() if one > 0}
    return interval(logs_by_block(mine, theirs, "lower" if value.better == "lower" else "higher").values())


def scaled(of: Estimate, factor: float) -> Estimate:
    """An estimate times a positive factor."""
    low, high = (None if one is None else one * factor for one in (of.low, of.high))
    return replace(of, value=of.value * factor, low=low, high=high)


def estimate(values: Blocks, of: PublishedValue) -> Estimate | None:
    """The geometric mean over the blocks; of counts, and of what may be zero, the arithmetic one without an interval.

    Where the cell is about how runs differ, their spread by their mean. None without a block.
    """
    from virtometer.analysis.statistics.interval import interval  # loads scipy, which printed values do not need

    if between_runs(of):
        from virtometer.analysis.statistics.variation import variation

        return variation(values.values())
    if values and (of.metric == "count" or min(values.values()) <= 0):
        return Estimate(statistics.fmean(values.values()), None, None, len(values))
    return interval(map(math.log, values.values()))


def _layout(
    found: PrintedItem,
) -> tuple[tuple[str, ...], tuple[Column, ...], tuple[tuple[PublishedValue | None, ...], ...]]:
    table = found.table or table_of(chart_cells(found.item.study, found.item.item))
    if table is not None:
        return table.rows, table.columns, table.cells
    labels = tuple(f"{one.row}: {one.column}" for one in found.listed)
    return labels, (Column("value", ""),) if labels else (), tuple((one,) for one in found.listed)
