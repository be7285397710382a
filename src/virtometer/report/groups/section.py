"""Groups of guests, as the page shows them: a part for each scenario, with tables and plots."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.analysis import Analysis
from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.matrix import Matrix
from virtometer.model import TrialRecord
from virtometer.report.groups import figures, measures, tables
from virtometer.report.parts.section import Folded, Section, some

_TYPES = {
    "together": "Guests with the same work at once",
    "loaded": "One guest measured while others load the host",
    "pair": "Network between two guests",
    "matrix": "Network between every two guests of a group",
    "mixed": "Several workloads at once in each guest",
    "instances": "Copies of one workload within one guest",
}
_LEGEND = (
    "Alone: one guest with no other beside it, in the same blocks.",
    "Against one: the sum of the group divided by the rate of one guest alone in the same block.",
    "Against ideal: the sum divided by what the processors allow when they are shared fairly.",
    "Against baseline: the sum divided by that of the same group of the baseline.",
    "Slowdown: the rate alone divided by the rate beside others.",
    "Against the others: the rate of a guest divided by the geometric mean of the others' in the same trial.",
    "Smallest rate in: the blocks in which this guest was the slowest.",
    "All intervals are 95 %. Those of the guests, shares and cells of one table hold jointly.",
)


def section(analysis: Analysis) -> Section | None:
    """A part for each scenario of groups, and one for the matrix of interference of all loaded guests."""
    results = analysis.group_results
    made: list[Section] = []
    for scenario in analysis.campaign.plan.scenarios:
        groups = [group for group in results.groups if group.scenario == scenario.name]
        matrices = [one for one in results.matrices if one.scenario == scenario.name]
        if groups or matrices:
            about = f"{_TYPES[scenario.type]}."
            made.append(_part(analysis, scenario.name, f"group-{len(made) + 1}", about, groups, matrices))
    for one in results.matrices:
        if ", " in one.scenario and all(one.scenario != part.title for part in made):
            identity = f"group-{len(made) + 1}"
            made.append(_part(analysis, "Interference", identity, "Every victim beside every load.", [], [one]))
    return Section(id="groups", title="Groups of guests", legend=_LEGEND, parts=made) if made else None


def _part(
    analysis: Analysis, name: str, identity: str, about: str, groups: Sequence[Group], matrices: Sequence[Matrix]
) -> Section:
    scalings = [one for one in analysis.group_results.scalings if one.scenario == name]
    workloads = dict.fromkeys(group.workload for group in groups)
    of_workloads = [[group for group in groups if group.workload == one] for one in workloads]
    environments = [one.name for one in analysis.campaign.plan.environments]
    example = _example(analysis, name)
    notes = [(tables.name(group), note) for group in groups for note in group.notes]
    notes += [(one.workload or one.scenario, note) for one in matrices for note in one.notes]
    return Section(
        id=identity,
        title=name,
        about=about,
        figures=some(
            *(figures.growth(of, environments) for of in of_workloads),
            *([figures.host_time(groups), figures.guests_time(groups)] if groups else []),
            *map(figures.heat, matrices),
        ),
        wide=some(None if example is None else figures.time_line(analysis, example)),
        tables=some(
            *(table for of in of_workloads for table in tables.tables(of)),
            tables.scaling(scalings) if any(one.law for one in scalings) else None,
            *map(tables.matrix, matrices),
        ),
        notes=tables.shared_notes(notes),
        folded=[
            Folded(title="Further measures", about=one.caption, table=one)
            for one in (*measures.of_groups(groups), *measures.of_matrices(matrices))
        ],
    )


def _example(analysis: Analysis, scenario: str) -> TrialRecord | None:
    """The first trial of a scenario with the most placements."""
    found = [one for one in analysis.campaign.trials if one.trial.scenario == scenario and one.failure is None]
    return max(found, key=lambda record: len(record.scored), default=None)
