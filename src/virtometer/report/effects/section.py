"""Effects of factors, as the page shows them: first what to change with the effects, then a part for each metric."""

from __future__ import annotations

from virtometer.analysis.effects.effect import Effects, MetricEffects
from virtometer.report.effects import figures, first_stage, nuisance, tables, words
from virtometer.report.parts.section import Section, some

_AT_HEAD = 6  # metrics whose plots of effects open the page


def change(of: Effects) -> Section | None:
    """What to change, for a reader who reads nothing else. None without factors."""
    if not of.factors:
        return None
    headline, *others = words.changes(of)
    return Section(
        id="change",
        title="What to change",
        headline=headline,
        figures=some(*(figures.pareto(one, of.margin) for one in of.metrics[:_AT_HEAD])),
        sentences=others,
        terms=words.sentences(of),
        tables=some(tables.settings(of)),
        legend=[words.about(of)],
    )


def section(of: Effects) -> Section | None:
    """The first stage of a sequential design, then every metric. None without factors."""
    if not of.factors:
        return None
    stage = [] if of.first is None else [first_stage.headline(of.first), first_stage.ABOUT]
    return Section(
        id="effects",
        title="Effects",
        about=" ".join(nuisance.sentences(of.nuisance)),
        sentences=stage,
        tables=some(first_stage.table(of)),
        parts=[_metric(number, one, of.margin) for number, one in enumerate(of.metrics)],
    )


def _metric(number: int, of: MetricEffects, margin: float) -> Section:
    table = tables.effects(of)
    effects = [] if number < _AT_HEAD else [figures.pareto(of, margin)]
    return Section(
        id=f"effects-{number + 1}",
        title=of.metric,
        figures=some(*effects, *figures.details(of)),
        notes=[("", note) for note in tables.notes(of)],
        tables=[table] if table.rows else [],
    )
