"""What `virtometer study show --check` adds: numbers of a printed table that do not follow from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from virtometer.cli.study.layout import filled, listed
from virtometer.counted import counted
from virtometer.studies.printed import number, printed
from virtometer.studies.units import printed_number

if TYPE_CHECKING:
    from virtometer.analysis.plausible.check import Implausible
    from virtometer.analysis.plausible.grid import Grid, Printed
    from virtometer.studies.data import Item, PublishedValue

Object = dict[str, Any]

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Checked:
    """The tables of an item that were checked, and what does not follow in them, in the order of the cells."""

    tables: tuple[str, ...]
    found: tuple[Implausible, ...]

    def lines(self, width: int) -> list[str]:
        """The findings as a table, then an empty line; nothing where all follows."""
        if not self.found:
            return []
        several = len({one.table for one in self.found}) > 1
        rows = [
            (
                f"{one.table.partition(' ')[2]}: {one.row}" if several else one.row,
                one.column or "all",
                one.printed,
                one.expected_text,
                f"{one.rule}: {one.reason}",
            )
            for one in self.found
        ]
        header = ("row", "column", "printed", "expected", "rule")
        lines = listed(header, rows, width - len(_INDENT), (20, 18, 12, 12, None))
        return ["does not follow:", *(_INDENT + line for line in lines), ""]

    @property
    def objects(self) -> list[Object]:
        """The findings as JSON. expected is null where arithmetic does not say; column is empty for a whole row."""
        return [
            {
                "table": one.table,
                "row": one.row,
                "column": one.column,
                "rule": one.rule,
                "reason": one.reason,
                "value": one.value,
                "expected": one.expected,
                "printed": one.printed,
            }
            for one in self.found
        ]


def checked(some: Sequence[Item], *, drawn: bool) -> dict[str, Checked]:
    """The findings of each item, by its name. drawn: the tables that a figure draws are checked with it."""
    from virtometer.analysis.plausible.check import check

    tables = {one.item: (one, *(printed(one).drawn if drawn else ())) for one in some}
    grids = {item.item: grid for of in tables.values() for item in of if (grid := grid_of(item))}
    found = check(grids.values())
    names = {name: tuple(grids[item.item].name for item in of if item.item in grids) for name, of in tables.items()}
    return {
        name: Checked(of, tuple(one for one in found if one.table in of))
        for name, of in names.items()
    }  # fmt: skip


def summary(checks: Iterable[Checked], width: int) -> list[str]:
    """How much was found in all tables, as lines."""
    tables: set[str] = set()
    found = 0
    for one in checks:
        tables.update(one.tables)
        found += len(one.found)
    text = f"Checked {counted(len(tables), 'table')}: {counted(found, 'finding') if found else 'nothing was found'}."
    return filled(text, width)


def grid_of(item: Item) -> Grid | None:
    """The table of an item with its printed digits, as `check-table` reads one. None for what is not a table."""
    from virtometer.analysis.plausible.grid import Grid

    table = printed(item).table
    if table is None:
        return None
    columns = tuple(f"{one.label} [{one.unit}]" if one.unit else one.label for one in table.columns)
    cells = tuple(tuple(None if cell is None else _printed(cell) for cell in row) for row in table.cells)
    return Grid(f"{item.study} {item.item}", table.rows, columns, cells)


def _printed(cell: PublishedValue) -> Printed | None:
    """A number in its printed unit; None for what is unreadable or a dash."""
    from virtometer.analysis.plausible.grid import Printed

    digits = number(cell)
    if cell.value is None or not digits:
        return None
    exact = printed_number(digits)
    exponent = exact.as_tuple().exponent
    step = 10.0**exponent if isinstance(exponent, int) else 0.0
    high = float(printed_number(cell.printed_high)) if cell.printed_high and cell.relation == "range" else None
    return Printed(digits, float(exact), step, high)
