"""What `virtometer study show --check` adds: numbers of a printed table that do not follow from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from virtometer.cli.study.layout import filled, listed
from virtometer.counted import counted
from virtometer.report.parts.implausible import expected_words, implausible_object, reason_words
from virtometer.studies.data import lines
from virtometer.studies.printed import printed

if TYPE_CHECKING:
    from virtometer.analysis.plausible.check import Implausible
    from virtometer.analysis.plausible.grid import Grid
    from virtometer.studies.data import Item

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
                f"{one.table.partition(' ')[2]}: {one.row}" if several else one.row or "all",
                one.column or "all",
                one.printed,
                expected_words(one),
                f"{one.rule}: {reason_words(one)}",
            )
            for one in self.found
        ]
        header = ("row", "column", "printed", "expected", "rule")
        shown = listed(header, rows, width - len(_INDENT), (20, 18, 12, 12, None))
        return ["does not follow:", *(_INDENT + line for line in shown), ""]

    @property
    def objects(self) -> list[Object]:
        """The findings as JSON, with the fields of `virtometer check-table --json`."""
        return [implausible_object(one) for one in self.found]


def checked(some: Sequence[Item], *, drawn: bool) -> dict[str, Checked]:
    """The findings of each item, by its name, among all tables of its study: tables may contradict each other.

    drawn: the tables that a figure draws are checked with it.
    """
    from virtometer.analysis.plausible.check import check

    grids = {grid.name: grid for study in dict.fromkeys(one.study for one in some) for grid in grids_of_study(study)}
    found = check(grids.values())
    made = {}
    for one in some:
        names = [_name(of) for of in (one, *(printed(one).drawn if drawn else ()))]
        of_item = tuple(name for name in names if name in grids)
        made[one.item] = Checked(of_item, tuple(finding for finding in found if finding.table in of_item))
    return made


def summary(checks: Iterable[Checked], width: int) -> list[str]:
    """How much was found in all tables, as lines."""
    tables: set[str] = set()
    found = 0
    for one in checks:
        tables.update(name for name in one.tables if not name.partition(" ")[2].startswith("text "))
        found += len(one.found)
    text = f"Checked {counted(len(tables), 'table')}: {counted(found, 'finding') if found else 'nothing was found'}."
    return filled(text, width)


def grids_of_study(study: str) -> list[Grid]:
    """All that a study prints, as `virtometer check-table` reads it: tables, and numbers of texts."""
    from virtometer.analysis.plausible.reading import grids_of

    return grids_of(enumerate(lines(study), 2), "values.csv")


def _name(item: Item) -> str:
    return f"{item.study} {item.item}"
