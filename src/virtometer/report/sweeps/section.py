"""Sweeps on the page: of each, first its figures, then a table with levels down and environments across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.curves.knees import Knee
from virtometer.analysis.curves.sweeps import Series, Sweep
from virtometer.model import Finding, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.figures import Figure
from virtometer.report.parts.html_tables import HtmlTable
from virtometer.report.sweeps import curves, knee_figures, knees


@dataclass(frozen=True, slots=True)
class SweepShown:
    """One sweep: sentences, figures, then tables."""

    name: str
    figures: tuple[Figure, ...]
    tables: tuple[HtmlTable, ...]
    sentences: tuple[str, ...] = ()


def shown(sweep: Sweep, findings: Sequence[Finding], found: Sequence[Knee] = ()) -> SweepShown:
    """What the page shows of a sweep. found: the knees of its series, whose plots and tables come first."""
    figures: list[Figure] = []
    tables: list[HtmlTable] = []
    sentences: list[str] = []
    for series in sweep.series:
        for group in knees.groups([one for one in found if one.series == series]):
            drawn = knee_figures.latency_curve(group)
            figures += [drawn] if drawn is not None else []
            tables.append(knees.table(group, curves.title(series)))
            sentences += [knees.sentence(group), *knees.notes(group)]
        if len(series.axes) == 1:
            made = (curves.curve(series, findings), curves.efficiency_curve(series, findings))
            figures += [figure for figure in made if figure is not None]
            tables.append(_over_one(series, findings))
        else:
            figures += curves.surface(series, findings)
            tables += _over_two(series, findings)
    if sweep.categories:
        if bars := curves.bars(sweep.name, sweep.categories, findings):
            figures.append(bars)
        rows = [(curves.category(one), one.name) for one in sweep.categories]
        tables.append(_table(sweep.name, ", ".join(sweep.categories[0].levels), rows, findings))
    return SweepShown(sweep.name, tuple(figures), tuple(tables), tuple(sentences))


def _over_one(of: Series, findings: Sequence[Finding]) -> HtmlTable:
    (axis,) = of.axes
    rows = [(curves.place(of, axis, at[0]), name) for at, name in of.points.items()]
    return _table(f"{curves.title(of)} over {axis}", axis, rows, findings)


def _over_two(of: Series, findings: Sequence[Finding]) -> list[HtmlTable]:
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
        made.append(HtmlTable(caption, columns, rows, frozenset(range(1, len(columns)))))
    return made


def _table(caption: str, heading: str, rows: Sequence[tuple[str, str]], findings: Sequence[Finding]) -> HtmlTable:
    """Levels down, environments across; `rows`: label and workload. A cell has the value and the efficiency."""
    by_cell = {(finding.workload, finding.subject): finding for finding in findings}
    names = {name for _, name in rows}
    environments = list(dict.fromkeys(f.subject for f in findings if f.workload in names))
    table = [(label, *(_cell(by_cell.get((name, place))) for place in environments)) for label, name in rows]
    return HtmlTable(
        f"{caption}: value, and efficiency with its {words.interval_level(findings)} interval",
        (heading, *environments),
        table,
    )


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    value = words.quantity(finding.value.value, finding.unit) if finding.value is not None else ""
    if finding.verdict is Verdict.BASELINE or finding.ratio is None:
        return value or words.verdict(finding)
    return f"{value} ({_efficiency(finding)})"


def _efficiency(finding: Finding | None) -> str:
    if finding is None or finding.ratio is None:
        return "" if finding is None else words.verdict(finding)
    return f"{words.efficiency(finding)} {words.verdict(finding)}{words.star(finding)}"
