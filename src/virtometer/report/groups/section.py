"""Several guests at once, as the page shows them: a part for each scenario, with tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis import Analysis
from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.matrix import Matrix
from virtometer.model import TrialRecord
from virtometer.report.groups import figures as crowd_figures
from virtometer.report.groups import tables as crowd_tables
from virtometer.report.parts.figures import Figure
from virtometer.report.parts.html_tables import HtmlTable

_TYPES = {
    "together": "Guests with the same work at once",
    "loaded": "One guest measured while others load the host",
    "pair": "Network between two guests",
    "matrix": "Network between every two of several guests",
    "mixed": "Several workloads at once in each guest",
    "instances": "Copies of one workload within one guest",
}
ABOUT = (
    "Against one, ideal and baseline: the sum of the guests by the rate of one guest alone in the same block, by what "
    "the processors allow when they are shared fairly, and by the baseline. Slowdown: the rate alone by that beside "
    "others. Against the others: the rate of a guest by the geometric mean of the others' in the same trial, with the "
    "blocks in which it was the smallest. Alone: one guest with nobody beside it, in the same blocks. "
    "All intervals are 95 %; those of guests, shares and cells of one table hold together."
)


@dataclass(frozen=True, slots=True)
class Part:
    """One scenario: what it is, figures, wide figures, tables, sentences."""

    name: str
    about: str
    figures: tuple[Figure, ...]
    lines: tuple[Figure, ...]
    tables: tuple[HtmlTable, ...]
    notes: tuple[tuple[str, str], ...]


def parts(analysis: Analysis) -> list[Part]:
    """One for each scenario of several guests, and one for the matrix of interference of all loaded ones."""
    together = analysis.together
    made = []
    for scenario in analysis.campaign.plan.scenarios:
        groups = [group for group in together.groups if group.scenario == scenario.name]
        matrices = [one for one in together.matrices if one.scenario == scenario.name]
        if groups or matrices:
            made.append(_part(analysis, scenario.name, scenario.type, groups, matrices))
    for one in together.matrices:
        if ", " in one.scenario and all(one.scenario != part.name for part in made):
            made.append(_of_matrices("Interference", "Every victim beside every load", [one]))
    return made


def _part(analysis: Analysis, name: str, kind: str, groups: Sequence[Group], matrices: Sequence[Matrix]) -> Part:
    scalings = [one for one in analysis.together.scalings if one.scenario == name]
    workloads = list(dict.fromkeys(group.workload for group in groups))
    drawn = [crowd_figures.growth([group for group in groups if group.workload == one]) for one in workloads]
    drawn += [crowd_figures.host_time(groups), crowd_figures.guests_time(groups), *map(crowd_figures.heat, matrices)]
    example = _example(analysis, name)
    line = None if example is None else crowd_figures.time_line(analysis, example)
    tables = [
        table
        for one in workloads
        for table in crowd_tables.tables([group for group in groups if group.workload == one])
    ]
    tables += [crowd_tables.scaling(scalings)] if any(one.law for one in scalings) else []
    tables += [crowd_tables.matrix(one) for one in matrices]
    notes = [(crowd_tables.name(group), note) for group in groups for note in group.notes]
    notes += [(one.workload or one.scenario, note) for one in matrices for note in one.notes]
    return Part(
        name,
        _TYPES[kind],
        tuple(one for one in drawn if one is not None),
        () if line is None else (line,),
        tuple(tables),
        tuple(crowd_tables.shared_notes(notes)),
    )


def _of_matrices(name: str, about: str, matrices: Sequence[Matrix]) -> Part:
    drawn = tuple(one for one in map(crowd_figures.heat, matrices) if one is not None)
    notes = tuple((one.scenario, note) for one in matrices for note in one.notes)
    return Part(name, about, drawn, (), tuple(map(crowd_tables.matrix, matrices)), notes)


def _example(analysis: Analysis, scenario: str) -> TrialRecord | None:
    """The first trial of a scenario with the most placements."""
    found = [one for one in analysis.campaign.trials if one.trial.scenario == scenario and one.failure is None]
    return max(found, key=lambda record: len(record.scored), default=None)
