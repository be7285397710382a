"""The cells of figures whose values are printed nowhere, so that campaigns can fill them: `charts` of a description.

PURE. docs/methods/studies.md explains the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, model_validator

from virtometer.model.plain import Frozen, Level, parse_size
from virtometer.studies.data import NOWHERE, PublishedValue, items, studies, values
from virtometer.studies.units import unit_and_factor

Set = dict[str, Level]
"""Fields that cells have, by the names of columns of values.csv, or `options.NAME`."""

_OPTION = "options."
_NUMBERS = frozenset({"bits", "guests", "array_order", "threads_or_processes", "n"})
_SETTABLE = frozenset({
    "virtualizer", "role", "devices", "system", "bits", "assistance", "tools", "guests", "member", "source", "target",
    "load", "beside", "workload", "operation", "block_bytes", "array_order", "threads_or_processes", "level", "metric",
    "statistic", "n", "better", "unit_printed",
})  # fmt: skip
_WITHOUT_BETTER = frozenset({"cpu use", "ratio"})
_LOWER = frozenset({"time", "elapsed", "latency"})

Drawn = Literal["bars", "best first", "lines"]


class Part(Frozen):
    """Rows or columns with a label and what their cells have.

    of: one field and its levels, one row for each; `{}` of the label is the level as it is written.
    """

    label: str
    sets: Set = Field(default_factory=dict, alias="set")
    of: dict[str, list[Level]] = Field(default_factory=dict, max_length=1)

    def entries(self) -> Iterator[tuple[str, Set]]:
        """Labels, each with the fields that its cells have."""
        for name, levels in self.of.items():
            yield from ((self.label.replace("{}", str(level)), {**self.sets, name: level}) for level in levels)
        if not self.of:
            yield self.label, self.sets


class Chart(Frozen):
    """A figure whose values are printed nowhere, or why no campaign fills it.

    cells: what all of its cells have; a row changes what its column has. drawn: bars, in the order of the rows or with
    the best first, or lines. along: the field whose levels are the axis of the lines.
    """

    item: str
    cells: Set = Field(default_factory=dict)
    rows: list[Part] = Field(default_factory=list)
    columns: list[Part] = Field(default_factory=list)
    drawn: Drawn = "bars"
    along: str = ""
    unavailable: str = ""

    @model_validator(mode="after")
    def _right(self) -> Chart:
        if bool(self.unavailable) == bool(self.rows and self.columns):
            raise ValueError("a chart has rows and columns, or says why it has none")
        if bool(self.along) != (self.drawn == "lines"):
            raise ValueError("lines need along, and nothing else has it")
        for sets in (self.cells, *(one.sets | dict.fromkeys(one.of, "") for one in (*self.rows, *self.columns))):
            for name in sets:
                if name not in _SETTABLE and not name.startswith(_OPTION):
                    raise ValueError(f"{name} is no field that a cell can have")
        for value in self.values(""):
            if not value.metric or not value.workload:
                raise ValueError(f"the cell {value.row}, {value.column} has no workload or no metric")
        return self

    def values(self, study: str) -> tuple[PublishedValue, ...]:
        """The cells, by row and column, without a printed value. Raises ValueError for what no cell can have."""
        rows = [entry for part in self.rows for entry in part.entries()]
        columns = [entry for part in self.columns for entry in part.entries()]
        return tuple(
            _value(study, self.item, (at, across), (row, column), {**self.cells, **theirs, **ours})
            for at, (row, ours) in enumerate(rows, 1)
            for across, (column, theirs) in enumerate(columns, 1)
        )


def misplaced(study: str, chart: Chart) -> str:
    """Why a chart is none of this study, in a sentence without its end; empty for a right one."""
    known = items(study) if study in studies() else {}
    item = known.get(chart.item)
    if item is None:
        return f"{study} has no item {chart.item}"
    if item.kind != "figure":
        return f"{chart.item} is no figure"
    if item.draws or values(study, chart.item):
        return f"the values of {chart.item} are printed"
    return ""


def _value(study: str, item: str, place: tuple[int, int], labels: tuple[str, str], sets: Set) -> PublishedValue:
    """A cell of a chart with the fields that are set; all others are empty."""
    given: dict[str, Any] = dict.fromkeys(_SETTABLE, "") | dict.fromkeys(_NUMBERS) | {"system": "linux"}
    given |= {"statistic": "one", "block_bytes": (), "better": None}
    options: dict[str, int | str] = {}
    for name, level in sets.items():
        if name.startswith(_OPTION):
            options[name.removeprefix(_OPTION)] = _sized(level)
        elif name == "block_bytes":
            given[name] = (_number(name, level),)
        else:
            given[name] = _number(name, level) if name in _NUMBERS else str(level)
    if given["better"] is None:
        given["better"] = _better(given["metric"])
    try:
        unit, _ = unit_and_factor(given["unit_printed"], given["workload"], given["metric"])
    except KeyError:
        raise ValueError(f"'{given['unit_printed']}' is no unit in which a study prints") from None
    name = re.sub(r"[^\w.+/]+", "-", item).strip("-")
    return PublishedValue(
        id=f"{study}/{name}/r{place[0]}c{place[1]}", study=study, item=item, row=labels[0], column=labels[1],
        source=given.pop("source"), target=given.pop("target"), options=options, unit=unit, value=None, printed="",
        relation="=", high=None, printed_high="", status=NOWHERE, restored_from="", inferred=(), conditions={}, **given,
    )  # fmt: skip


def _better(metric: str) -> str:
    """Times are better where lower, all else where higher; uses and spreads have no direction."""
    if metric in _WITHOUT_BETTER:
        return ""
    return "lower" if metric in _LOWER else "higher"


def _number(name: str, level: Level) -> int:
    found = _sized(level)
    if not isinstance(found, int):
        raise ValueError(f"{name} is a number, and {level} is none")
    return found


def _sized(level: Level) -> int | str:
    """A number where the text is one, or a size such as 32K."""
    try:
        found = parse_size(level)
    except ValueError:
        return str(level)
    return found if isinstance(found, int) else str(found)
