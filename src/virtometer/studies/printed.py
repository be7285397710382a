"""An item of a study as the study printed it: rows, columns, units and digits. PURE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from virtometer.studies.data import NOWHERE, Item, PublishedValue, items, values
from virtometer.studies.units import unit_and_factor, unit_words

_BEFORE = {"about": "about ", "<": "< ", ">": "> ", "<=": "<= ", ">=": ">= "}
_BETWEEN = {"range": " to ", "plus-minus": " ± "}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a printed table. unit: as printed; empty where its cells have none, or several."""

    label: str
    unit: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and columns in the printed order. cells: by row and column; None where nothing is printed.

    A row or column without any printed cell has an empty label.
    """

    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[PublishedValue | None, ...], ...]


@dataclass(frozen=True, slots=True)
class PrintedItem:
    """An item with what is printed in it.

    table: None where the values have no rows and columns. listed: the numbers of a text, and the lines of a listing.
    drawn: the items whose values a figure draws. A figure without all three has values that are printed nowhere.
    """

    item: Item
    table: Table | None
    listed: tuple[PublishedValue, ...]
    drawn: tuple[Item, ...]

    @property
    def values(self) -> tuple[PublishedValue, ...]:
        """All values, in the printed order."""
        if self.table is None:
            return self.listed
        return tuple(cell for row in self.table.cells for cell in row if cell is not None)


def printed(item: Item) -> PrintedItem:
    """The item as it was printed."""
    found = values(item.study, item.item)
    table = table_of(found) if item.kind == "table" else None
    known = items(item.study)
    return PrintedItem(
        item=item,
        table=table,
        listed=found if table is None else (),
        drawn=tuple(known[name] for name in item.draws if name != item.item),
    )


def parts(study: str, name: str) -> tuple[Item, ...]:
    """The item of that name, or the parts of it: F5.15 of zupka2008 is 13 tables. Empty for an unknown name.

    Raises KeyError for an unknown study.
    """
    known = items(study)
    if name in known:
        return (known[name],)
    return tuple(item for item in known.values() if item.whole == name)


def number(value: PublishedValue) -> str:
    """The printed digits. Those of a restored cell follow from its value. Empty where no number is known."""
    if value.status != "restored" or value.value is None:
        return value.printed
    _, factor = unit_and_factor(value.unit_printed, value.workload, value.metric)
    return format((Decimal(repr(value.value)) / factor).normalize(), "f")


def words(value: PublishedValue) -> str:
    """The cell in words, without its unit: `0.351`, `about 50`, `< 10`, `10 to 20`, `200 ± 3`, `unreadable`, `-`.

    A cell of a chart is `printed nowhere`.
    """
    if value.status == NOWHERE:
        return "printed nowhere"
    if value.status == "unreadable":
        return "unreadable"
    if value.status == "dash":
        return "-"
    between = _BETWEEN.get(value.relation)
    if between:
        return f"{number(value)}{between}{value.printed_high}"
    return f"{_BEFORE.get(value.relation, '')}{number(value)}"


def words_with_unit(value: PublishedValue) -> str:
    """As `words`, with the unit where a number stands."""
    unit = unit_words(value.unit_printed) if number(value) else ""
    return f"{words(value)} {unit}".rstrip()


def table_of(found: Sequence[PublishedValue]) -> Table | None:
    """Values as a table; None where they are none, or where a row or column has more than one label."""
    places = {one.place: one for one in found}
    rows = {at: _only(one.row for one in found if one.place[0] == at) for at in {row for row, _ in places}}
    columns = {at: _only(one.column for one in found if one.place[1] == at) for at in {column for _, column in places}}
    if not found or None in rows.values() or None in columns.values():
        return None
    down, across = range(1, max(rows) + 1), range(1, max(columns) + 1)
    units = {at: _only(unit_words(one.unit_printed) for one in found if one.place[1] == at) for at in across}
    return Table(
        rows=tuple(rows.get(at) or "" for at in down),
        columns=tuple(Column(columns.get(at) or "", units[at] or "") for at in across),
        cells=tuple(tuple(places.get((row, column)) for column in across) for row in down),
    )


def _only(texts: Iterable[str]) -> str | None:
    """The text that all are; None where they differ, or where there is none."""
    found = set(texts)
    return found.pop() if len(found) == 1 else None
