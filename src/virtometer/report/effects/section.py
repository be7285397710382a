"""Effects of factors, as the page shows them: what to change, and a part for each metric."""

from __future__ import annotations

from virtometer.analysis.effects.effect import Effects, MetricEffects
from virtometer.report.effects import figures, first_stage, nuisance, tables, words
from virtometer.report.parts.section import Section, some


def change(of: Effects) -> Section | None:
    """What to change, for a reader who reads nothing else. None without factors."""
    if not of.factors:
        return None
    headline, *others = words.changes(of)
    return Section(
        id="change",
        title="What to change",
        headline=headline,
        sentences=others,
        terms=words.sentences(of),
        tables=some(tables.settings(of)),
        about=words.about(of),
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
        parts=[_metric(f"effects-{number}", one, of.margin) for number, one in enumerate(of.metrics, 1)],
    )


def _metric(identity: str, of: MetricEffects, margin: float) -> Section:
    table = tables.effects(of)
    return Section(
        id=identity,
        title=of.metric,
        figures=figures.figures(of, margin),
        notes=[("", note) for note in tables.notes(of)],
        tables=[table] if table.rows else [],
    )
