"""Groups of guests, as the terminal shows them. No plot is drawn, and nothing that draws is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from virtometer.analysis import Analysis
from virtometer.analysis.groups.estimates import Group
from virtometer.report.groups import measures, tables
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable
from virtometer.report.parts.terminal_text import notes, plain_table
from virtometer.report.sweeps import knees


def terminal(analysis: Analysis, more: str | None = None) -> list[Table | Text]:
    """What the terminal shows: a table for each scenario, one for each matrix, and the sentences that matter most.

    more: the command that prints all notes; None: they are shown, and further measures.
    """
    results = analysis.group_results
    shown: list[Table | Text] = []
    for scenario in dict.fromkeys(group.scenario for group in results.groups):
        groups = [group for group in results.groups if group.scenario == scenario]
        headings = dict.fromkeys(map(_heading, groups))
        for heading in headings:
            of = [group for group in groups if _heading(group) == heading]
            shown.append(_terminal_table(f"{scenario}: {heading}", of))
            shares = [one for one in of if one.guests > 1 and one.type not in ("loaded", "pair")]
            ranked = [(one, tables.worst_share(one)) for one in shares]
            ranked += [(one, tables.who_gets_less(one)) for one in of]
            shown += [Text(f" {tables.name(one)}: {told}") for one, told in ranked if told]
        shared = tables.shared_notes((tables.name(one), note) for one in groups for note in one.notes)
        shown += notes([f"{name}: {note}" for name, note in shared], more)
        if said := tables.watcher(groups):
            shown.append(Text(f" {said}", style="dim"))
        shown += _further(measures.of_groups(groups)) if more is None else []
    for one in results.matrices:
        matrix = tables.matrix(one)
        made = plain_table(f"{one.scenario}: {matrix.caption}")
        for number, column in enumerate(matrix.columns):
            made.add_column(Text(column), justify="right" if number else "left", overflow="fold")
        for row in matrix.rows:
            made.add_row(*map(Text, row))
        shown += [made, *notes(one.notes, more)]
        shown += _further(measures.of_matrices([one])) if more is None else []
    for found in knees.groups([one for one in analysis.knees if one.scenario]):
        shown += [Text(knees.sentence(found)), *(Text(f" {note}", style="dim") for note in knees.notes(found))]
    return shown


def _further(of: Sequence[TextTable]) -> list[Table | Text]:
    """A line for each measure: the tables of the page are wider than a terminal."""
    shown: list[Table | Text] = []
    for one in of:
        made = plain_table(one.caption)
        for name in ("guest", "measure", "value"):
            made.add_column(name, overflow="fold")
        for row in one.rows:
            who = row[0]
            for column, value in zip(one.columns[1:], row[1:], strict=True):
                if value:
                    made.add_row(Text(who), Text(column), Text(value))
                    who = ""
        shown.append(made)
    return shown


def _heading(group: Group) -> str:
    return f"{group.workload} {tables.place(group) if group.type == 'pair' else f'in {group.environment}'}"


def _terminal_table(title: str, groups: Sequence[Group]) -> Table:
    made = plain_table(title)
    for name in ("guests", "sum", "of ideal", "slowdown", "worst share", "max/min", "skew p99"):
        made.add_column(name, justify="right", overflow="fold")
    for group in groups:
        if group.follows_alone:
            made.add_row("alone", Text(tables.quantity(group.alone_rate.estimate, group.sum.unit)))
        fair = group.fairness if group.guests > 1 and group.type not in ("loaded", "pair") else None
        cells = (
            str(group.guests),
            tables.quantity(group.sum.estimate, group.sum.unit),
            tables.ratio(group, group.against_ideal),
            tables.ratio(group, tables.slowest(group)),
            f"{words.significant(fair.worst_share.estimate.value)} of {fair.ideal_share:.3g}" if fair else "",
            words.significant(fair.max_over_min.estimate.value) if fair and fair.max_over_min else "",
            tables.skew(group, bound=False),  # a row stays one line of 80 columns
        )
        made.add_row(*map(Text, cells))
    return made
