"""How many tables and figures of the published studies do campaigns fill?

    python -m bench.study_items DIR...

DIR: results directories of campaigns, or folders of such, as `virtometer study run` makes them. Each item is one of:

    full        each of its cells has a new value with its interval, and an efficiency where the study's cells give
                one, or the reason why nothing today can have one
    partly      some of its cells have a new value
    empty       no cell has one, and no reason says that nothing can
    not here    every cell has a reason why nothing today can have a value

Rows, columns and units are the printed ones. A reason counts where it is about a system or a condition that
published/unavailable.csv names for the item, or says that the cell has no quantity. A figure that draws tables is what
these are. Items that are full and "not here" count as rebuilt. A count of runs and a bar of a single run need no
interval. Charts that a study calls tables count as tables.

Printed: the numbers of tables and of figures in each state by study, the items that are not rebuilt with the reasons
why their cells are empty, and the totals beside what is aimed at.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from virtometer.analysis import Analysis
from virtometer.analysis.studies.cells import StudyCell, StudySection
from virtometer.analysis.studies.results import results
from virtometer.cli.study.experiments import campaigns_in
from virtometer.cli.study.report import analysis_of
from virtometer.errors import VirtometerError
from virtometer.studies.data import Item, items, studies

STATES = ("full", "not here", "partly", "empty")
REBUILT = ("full", "not here")
GOALS = {"table": (80, 110), "figure": (48, 57)}
"""How many tables and figures are to be rebuilt, of how many."""

_NAMES = ("Windows Server 2003", "VMware ESXi", "VMware Server", "VirtualBox", "Xen", "a second server")
"""Systems and conditions in the words that reasons and published/unavailable.csv share."""

_NO_QUANTITY = ("no random order", "and not measured")
"""Reasons of cells that have no quantity: random rows of a network over TCP, and settings that a study prints."""


def state(cells: Iterable[StudyCell]) -> str:
    """What campaigns made of some cells."""
    kinds = Counter(_kind(cell) for cell in cells)
    if not kinds or kinds.keys() <= {"reason"}:
        return "not here" if kinds else "empty"
    if kinds.keys() <= {"value", "reason"}:
        return "full"
    return "partly" if kinds["value"] else "empty"


def named(reason: str, item: Item) -> bool:
    """Whether a reason is about something that is not available today for the item, or that is no quantity."""
    return reason.endswith(_NO_QUANTITY) or any(name in reason and name in item.not_available for name in _NAMES)


def _kind(cell: StudyCell) -> str:
    published = cell.published
    if cell.value is None:
        return "reason" if named(cell.reason, items(published.study)[published.item]) else "nothing"
    if published.metric == "count" or "run" in published.options:
        return "value"
    derived = cell.then is None or (cell.now is not None and cell.now.low is not None)
    return "value" if cell.value.estimate.low is not None and derived else "nothing"


def cells_of(section: StudySection, by_name: dict[str, StudySection]) -> list[StudyCell]:
    """Those of an item, or of the items that a figure draws."""
    return [cell for one in [by_name[name] for name in section.drawn] or [section] for cell in one.all_cells]


def kind_of(section: StudySection) -> str:
    """table or figure; charts that a study numbers as tables are tables."""
    name = section.item.item
    return "figure" if section.item.kind == "figure" and not name.startswith("chart ") else "table"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.study_items", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("directories", metavar="DIR", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    try:
        analyses = [analysis_of(one) for directory in options.directories for one in campaigns_in(directory)]
    except VirtometerError as error:
        print(error.sentence, file=sys.stderr)
        return error.exit_status
    say(analyses)
    return 0


def say(analyses: Sequence[Analysis]) -> None:
    """Print the states of all items by campaigns of any studies."""
    total: Counter[tuple[str, str]] = Counter()
    for study in studies().values():
        of = [one for one in analyses if one.campaign.plan.name.startswith(f"{study.study} ")]
        found = results(study, of).sections
        by_name = {one.item.item: one for one in found}
        counts: Counter[tuple[str, str]] = Counter()
        lines = []
        for one in found:
            if one.item.kind == "text":
                continue
            is_now = state(cells_of(one, by_name))
            if one.chart is not None and named(one.chart.unavailable, one.item):
                is_now = "not here"
            counts[kind_of(one), is_now] += 1
            if is_now not in REBUILT:
                reasons = "; ".join(f"{count} {reason}" for reason, count in one.reasons.items())
                lines.append(f"  {one.item.item}: {is_now}{f' ({reasons})' if reasons else ''}")
        print(f"{study.study}, {len(of)} campaigns: {_said(counts)}")
        print("\n".join(lines) or "  every item is rebuilt")
        total += counts
    print(f"all: {_said(total)}")
    for kind in ("table", "figure"):
        rebuilt = sum(total[kind, one] for one in REBUILT)
        goal, there = GOALS[kind]
        print(f"{kind}s rebuilt: {rebuilt} of {sum(total[kind, one] for one in STATES)} (aimed at: {goal} of {there})")


def _said(counts: Counter[tuple[str, str]]) -> str:
    return "; ".join(
        f"{kind}s: " + ", ".join(f"{counts[kind, one]} {one}" for one in STATES if counts[kind, one])
        for kind in ("table", "figure")
        if any(counts[kind, one] for one in STATES)
    )


if __name__ == "__main__":
    sys.exit(main())
