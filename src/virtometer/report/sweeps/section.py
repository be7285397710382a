"""Sweeps on the page: of each, first its figures, then a table with levels down and environments across."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.analysis import Analysis
from virtometer.analysis.curves.knees import Knee
from virtometer.analysis.curves.sweeps import Series, Sweep
from virtometer.model import Finding, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.html_tables import levels
from virtometer.report.parts.plot import Figure
from virtometer.report.parts.section import Section, some
from virtometer.report.parts.table import TextTable
from virtometer.report.sweeps import curves, knee_figures, knees


def section(analysis: Analysis) -> Section | None:
    """A part for each sweep, where single guests were measured over its levels, and averages over caches."""
    measured = {one.workload for one in analysis.findings}
    of_guests = [one for one in analysis.sweeps if measured & {workload.name for workload in one.workloads}]
    if not of_guests:
        return None
    return Section(
        id="sweeps",
        title="Sweeps",
        sentences=["Workloads with factors: each environment over the levels."],
        parts=[part(f"sweep-{n}", one, analysis.findings, analysis.knees) for n, one in enumerate(of_guests, 1)],
        tables=[levels(curves.title(one.series), one.averages) for one in analysis.level_averages],
    )


def part(identity: str, sweep: Sweep, findings: Sequence[Finding], found: Sequence[Knee] = ()) -> Section:
    """What the page shows of a sweep. found: the knees of its series, whose plots and tables come first."""
    figures: list[Figure] = []
    tables: list[TextTable] = []
    sentences: list[str] = []
    for series in sweep.series:
        for group in knees.groups([one for one in found if one.series == series]):
            figures += some(knee_figures.latency_curve(group))
            tables.append(knees.table(group, curves.title(series)))
            said = knees.sentence(group)
            # Names of environments and scenarios stay as the plan has them.
            sentences += [f"K{said[1:]}" if said.startswith("knee ") else said, *knees.notes(group)]
        if len(series.axes) == 1:
            figures += some(curves.curve(series, findings), curves.efficiency_curve(series, findings))
            tables.append(_over_one(series, findings))
        else:
            figures += curves.surface(series, findings)
            tables += _over_two(series, findings)
    if sweep.categories:
        figures += some(curves.bars(sweep.name, sweep.categories, findings))
        rows = [(curves.category(one), one.name) for one in sweep.categories]
        tables.append(_table(sweep.name, ", ".join(sweep.categories[0].levels), rows, findings))
    return Section(id=identity, title=sweep.name, sentences=sentences, figures=figures, tables=tables)


def _over_one(of: Series, findings: Sequence[Finding]) -> TextTable:
    (axis,) = of.axes
    rows = [(curves.place(of, axis, at[0]), name) for at, name in of.points.items()]
    return _table(f"{curves.title(of)} over {axis}", axis, rows, findings)


def _over_two(of: Series, findings: Sequence[Finding]) -> list[TextTable]:
    """Efficiency of each environment but the baseline over two sizes."""
    first, second = of.axes
    downs, acrosses = (sorted({at[number] for at in of.points}) for number in (0, 1))
    by_cell = {(finding.subject, finding.workload): finding for finding in findings}
    made = []
    for environment in dict.fromkeys(f.subject for f in findings if f.verdict is not Verdict.BASELINE):
        rows = [
            (
                curves.place(of, first, down),
                *(_efficiency(by_cell.get((environment, of.points.get((down, across), "")))) for across in acrosses),
            )
            for down in downs
        ]
        columns = (f"{first} / {second}", *(curves.place(of, second, across) for across in acrosses))
        caption = f"{environment}: efficiency of {curves.title(of)} over {first} and {second}"
        made.append(TextTable(caption, columns, rows, frozenset(range(1, len(columns)))))
    return made


def _table(caption: str, heading: str, rows: Sequence[tuple[str, str]], findings: Sequence[Finding]) -> TextTable:
    """Levels down, environments across; `rows`: label and workload. A cell has the value and the efficiency."""
    by_cell = {(finding.workload, finding.subject): finding for finding in findings}
    names = {name for _, name in rows}
    environments = list(dict.fromkeys(f.subject for f in findings if f.workload in names))
    table = [(label, *(_cell(by_cell.get((name, place))) for place in environments)) for label, name in rows]
    return TextTable(
        f"{caption}: value, and efficiency with its {words.interval_level(findings)} interval",
        (heading, *environments),
        table,
    )


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    value = words.value(finding.value)
    if finding.verdict is Verdict.BASELINE or not finding.ratio.n:
        return value or words.verdict(finding)
    return f"{value} ({_efficiency(finding)})"


def _efficiency(finding: Finding | None) -> str:
    if finding is None or not finding.ratio.n:
        return "" if finding is None else words.verdict(finding)
    return f"{words.efficiency(finding)} {words.verdict(finding)}{words.star(finding)}"
