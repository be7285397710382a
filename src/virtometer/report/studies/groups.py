"""The groups of the cells of a table, such as the pairs of a matrix within one system, as a table of texts."""

from __future__ import annotations

from virtometer.analysis.studies.cells import GroupMean, StudySection
from virtometer.counted import counted
from virtometer.report.parts.words import significant
from virtometer.report.studies.answers import AnswerTable
from virtometer.report.studies.words import estimate_words, letter


def groups_table(section: StudySection, *, campaigns: bool) -> AnswerTable | None:
    """A row for each quantity of each group; None for a section without groups. campaigns: whether there are any."""
    rows = tuple(
        (f"{letter(at)} {group.name}, {_quantity(mean)}", _then(mean), *((_now(mean),) if campaigns else ()))
        for at, group in enumerate(section.groups)
        for mean in group.means
    )
    if not rows:
        return None
    caption = (
        "Groups of the cells above, which have the letter of their group: mean of the cells, smallest and largest one."
    )
    return AnswerTable(caption, ("group", "mean, printed", *(("mean, here",) if campaigns else ())), rows)


def _quantity(of: GroupMean) -> str:
    return f"{of.quantity} [{of.unit}]" if of.unit else of.quantity


def _then(of: GroupMean) -> str:
    if of.then is None or of.least is None or of.greatest is None:
        return "no cells"
    if of.cells_then == 1:
        return f"{significant(of.then)} (1 cell)"
    ends = f"{significant(of.least)} to {significant(of.greatest)}"
    return f"{significant(of.then)}, {ends} ({of.cells_then} cells)"


def _now(of: GroupMean) -> str:
    return "no cells" if of.now is None else f"{estimate_words(of.now)} ({counted(of.cells_now, 'cell')})"
