"""The cells of a study in words, the same in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from virtometer.analysis.studies.answers import RatiosFound
from virtometer.analysis.studies.cells import StudyCell, StudySection
from virtometer.analysis.studies.matching import NOT_HERE
from virtometer.analysis.studies.ratios import Ratios
from virtometer.analysis.studies.results import StudyResults
from virtometer.counted import counted
from virtometer.model import Estimate
from virtometer.report.parts.words import significant
from virtometer.studies.agreement import SHORT_FORM
from virtometer.studies.printed import words, words_with_unit
from virtometer.studies.rules import MARGIN

PRINTED, HERE, THEN, NOW, RATIO = "printed", "here", "efficiency then", "efficiency here", "here by then"
HOST_CPU = "host CPU"
LINES = (PRINTED, HERE, THEN, NOW, RATIO, HOST_CPU)
"""What is said of a cell, in this order."""

LEGEND = (
    ("printed", "the value of the study, with its digits"),
    ("here", "the value that stands for it in a campaign, with its 95 % interval. It is never compared with the "
     "printed one: the machines differ"),
    ("efficiency then", "the printed value by that of the study's bare machine, above 1 where the guest is better"),
    ("efficiency here", "the same of the campaign, from pairs within blocks, with its 95 % interval"),
    ("here by then", "the efficiency here by that of the study, with its interval. Below 1 the cost is larger today"),
    (HOST_CPU, "processors of the host that worked for a guest alone while the value here was measured, with their "
     "95 % interval. 1.00 is one whole processor"),
)  # fmt: skip


def lines_of(cell: StudyCell | None, *, unit: bool) -> dict[str, str]:
    """What is said of a cell, by LINES; nothing where nothing is known. unit: whether it stands in the cell."""
    if cell is None:
        return {}
    value = cell.value
    named = f" {value.unit}" if value is not None and unit and value.unit not in _PLAIN else ""
    said = {
        PRINTED: words_with_unit(cell.published) if unit else words(cell.published),
        HERE: "" if value is None else estimate_words(value.estimate, 4) + named,
        THEN: "" if cell.then is None else significant(cell.then),
        NOW: "" if cell.now is None else estimate_words(cell.now),
        RATIO: "" if cell.ratio is None else estimate_words(cell.ratio),
        HOST_CPU: "" if cell.cpus is None else estimate_words(cell.cpus),
    }
    return {name: text for name, text in said.items() if text}


_PLAIN = ("count", "factor", "rank", "word")


def estimate_words(of: Estimate, digits: int = 3) -> str:
    """A value with its interval, where it has one."""
    if of.low is None or of.high is None:
        return significant(of.value, digits)
    return f"{significant(of.value, digits)} [{significant(of.low, digits)}, {significant(of.high, digits)}]"


def ratios_words(of: Ratios | None) -> str:
    """Ratios of cells: their median, and where they lie."""
    if of is None:
        return "no cells"
    if of.cells == 1:
        return f"{significant(of.median)} (1 cell)"
    return f"{significant(of.median)}, from {significant(of.low)} to {significant(of.high)} ({of.cells} cells)"


def change_words(ratio: float) -> str:
    """A ratio of speeds as a change: `+12 %`, `-3.4 %`."""
    percent = 100 * (ratio - 1)
    return f"{percent:+,.{1 if abs(percent) < 9.95 else 0}f} %"


def plain_words(ratio: float) -> str:
    """A ratio of speeds in plain words: what is lost, what is gained, or that both are alike."""
    if abs(ratio - 1) <= MARGIN:
        return f"alike within {100 * MARGIN:g} %"
    if ratio < 1:
        return f"{100 * (1 - ratio):.0f} % lost"
    return f"{100 * (ratio - 1):.0f} % gained" if ratio < 2 else f"{significant(ratio)} times as much"


def cells_words(of: Ratios | None) -> str:
    """The plain words of ratios, and their numbers."""
    return "no cells" if of is None else f"{plain_words(of.median)}: {ratios_words(of)}"


def here_words(of: RatiosFound) -> str:
    """The ratios here and the environments that have them, beside what the study has in the same cells."""
    if of.now is None:
        return "no cells"
    there = "" if of.then_there is None else f"; the study there: {significant(of.then_there.median)}"
    where = f", in {', '.join(of.by)}" if of.by else ""
    return f"{cells_words(of.now)}{where}{there}"


def header(section: StudySection) -> tuple[str, tuple[str, ...]]:
    """The unit that all columns share, and the labels of the columns, with their units where these differ."""
    units = {column.unit for column in section.columns}
    shared = units.pop() if len(units) == 1 else ""
    labels = (f"{one.label} [{one.unit}]" if one.unit and not shared else one.label for one in section.columns)
    return shared, tuple(labels)


def marks(section: StudySection) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The letters of the groups, `(a)`: of the rows, if each has cells of one group alone, else of the cells."""
    letters = {identity: letter(at) for at, group in enumerate(section.groups) for identity in group.ids}
    of_cells = tuple(
        tuple("" if cell is None else letters.get(cell.published.id, "") for cell in row) for row in section.cells
    )
    of_rows = [{one for one in row if one} for row in of_cells]
    if section.groups and all(len(some) <= 1 for some in of_rows) and len(section.columns) > 1:
        return tuple("".join(some) for some in of_rows), tuple(("",) * len(row) for row in of_cells)
    return ("",) * len(section.rows), of_cells


def letter(at: int) -> str:
    """What stands beside the cells of the group with this number, counted from 0."""
    return f"({chr(ord('a') + at)})"


def marked(text: str, mark: str) -> str:
    """A text with the letter of its group, where it has one."""
    return f"{text} {mark}" if mark else text


def shown(section: StudySection) -> StudySection:
    """The section with what is shown of it: of a chart, the rows and columns that have a new value."""
    if section.chart is None:
        return section
    rows = [at for at, row in enumerate(section.cells) if any(cell and cell.value for cell in row)]
    of = range(len(section.columns))
    columns = [at for at in of if any((cell := section.cells[row][at]) and cell.value for row in rows)]
    return replace(
        section,
        rows=tuple(section.rows[at] for at in rows),
        columns=tuple(section.columns[at] for at in columns),
        cells=tuple(tuple(section.cells[row][at] for at in columns) for row in rows),
    )


def nowhere_words(section: StudySection, *, campaigns: bool) -> str:
    """That the values of a figure are printed nowhere, and what campaigns fill; empty for all other items."""
    if section.item.kind != "figure" or section.drawn or (section.rows and section.chart is None):
        return ""
    said = "The study prints the values of this figure nowhere."
    if section.chart is None:
        return said
    if section.chart.unavailable:
        return f"{said} No campaign fills it: {section.chart.unavailable}."
    count = len(section.all_cells)
    what = f"{section.item.rows} by {section.item.columns}"
    if not campaigns:
        return f"{said} Campaigns can fill its {counted(count, 'cell')}: {what}."
    left = " Rows and columns without a new value are left out." if 0 < section.filled < count else ""
    return f"{said} Campaigns fill {section.filled} of its {counted(count, 'cell')}: {what}.{left}"


def filled_words(found: StudyResults) -> str:
    """How many cells have a new value."""
    charts = f"{found.chart_cells:,} cells of charts, whose values are printed nowhere"
    if not found.campaigns:
        said = f"{found.cells:,} printed cells. No campaign was named, so that nothing stands beside them."
        return f"{said} Campaigns can also fill {charts}." if found.chart_cells else said
    said = (
        f"{found.filled:,} of {found.cells:,} printed cells have a new value from "
        f"{counted(len(found.campaigns), 'campaign')}: {', '.join(found.campaigns)}."
    )
    return f"{said} So have {found.chart_filled:,} of {charts}." if found.chart_cells else said


def environments_words(section: StudySection) -> str:
    """Which environments stand for which printed systems."""
    pairs: dict[str, dict[str, None]] = {}
    for cell in section.all_cells:
        if cell.value is not None:
            pairs.setdefault(cell.by, {})[_system(cell)] = None
    said = "; ".join(f"{by} for {', '.join(systems)}" for by, systems in pairs.items())
    return f"Here stand: {said}." if said else ""


def short_words(section: StudySection, found: StudyResults) -> str:
    """How many new values a short form measured, and of which campaigns; empty where none did."""
    counts: dict[int, int] = {}
    for cell in section.all_cells:
        if cell.value is not None and found.shortened[cell.campaign]:
            counts[cell.campaign] = counts.get(cell.campaign, 0) + 1
    if not counts:
        return ""
    count = sum(counts.values())
    share = f"{count} of {counted(section.filled, 'new value')}" if count < section.filled else "all new values"
    return f"{SHORT_FORM.capitalize()}: {share}, from {', '.join(found.campaigns[one] for one in sorted(counts))}."


def campaigns_words(numbers: Sequence[int], found: StudyResults) -> str:
    """Which campaigns answer a question, and which of these in short form; empty without any."""
    short = {one for one in numbers if found.shortened[one]}
    whole = len(short) == len(numbers)
    names = dict.fromkeys(
        f"{found.campaigns[one]} ({SHORT_FORM})" if one in short and not whole else found.campaigns[one]
        for one in numbers
    )
    form = f", {SHORT_FORM}" if whole else ""
    return f"Here {counted(len(numbers), 'campaign')} took part{form}: {', '.join(names)}." if names else ""


def _system(cell: StudyCell) -> str:
    value = cell.published
    bare = value.virtualizer == "none"
    name, role = ("", value.role) if bare else (value.virtualizer, value.role if value.role == "dom0" else "")
    parts = (name, role, value.devices, value.bits and f"{value.bits} bit")
    return " ".join(str(one) for one in parts if one) or "both systems"


def reasons_words(section: StudySection, *, campaigns: bool) -> Sequence[str]:
    """Why cells have no new value, with their numbers. campaigns: whether there are any."""
    some = {reason: count for reason, count in section.reasons.items() if campaigns or reason != NOT_HERE}
    return [f"{counted(count, 'cell')}: {reason}." for reason, count in some.items()]
