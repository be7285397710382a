"""How long guests take to be entered from the host, as the page shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from virtometer.analysis import Analysis
from virtometer.analysis.describe.entries import Entered
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable

if TYPE_CHECKING:
    from virtometer.report.parts.section import Section

COLUMNS = ("where", "entry", "time", "interval")


def section(analysis: Analysis) -> Section | None:
    """A table with a row for each environment. None where no guest was entered."""
    from virtometer.report.parts.section import Section  # loads plots, which the terminal does not need

    if not analysis.entries:
        return None
    table = TextTable(caption(analysis.entries), COLUMNS, list(rows(analysis.entries)), frozenset({2, 3}))
    return Section(id="entries", title="Entering a guest", short="Entries", tables=[table])


def caption(of: Mapping[str, Entered]) -> str:
    """What the table shows, as a sentence without its end."""
    first = next((one.time for one in of.values() if one.time is not None), None)
    level = "" if first is None else f", with its {words.level_words(first.estimate.level)} interval"
    return f"Start of an empty program from the host, in a guest that lives{level}"


def rows(of: Mapping[str, Entered]) -> Iterator[tuple[str, ...]]:
    """A row for each environment, as `COLUMNS`. Where a guest was not entered: why not."""
    for name, one in of.items():
        if one.time is None:
            yield name, one.reason, "", ""
            continue
        at = one.time.estimate
        ends = (at.low, at.high)
        shown = "" if None in ends else " to ".join(words.quantity(end, "s") for end in ends if end is not None)
        way = f"{one.way} (not always: {one.reason})" if one.reason else one.way
        yield name, way, words.quantity(at.value, "s"), shown
