"""The plots of effects: sorted by size with intervals, interactions, half-normal, residuals over the run order."""

from __future__ import annotations

from typing import Any

import altair as alt

from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Corner, Effect, MetricEffects
from virtometer.report.effects import words as effect_words
from virtometer.report.parts import words
from virtometer.report.parts.plot import NUMBERS, Figure, by_environment, data, finish
from virtometer.report.parts.section import some

_COLOURS = {
    Influence.INFLUENCE: "var(--accent)",
    Influence.NONE: "var(--equivalent)",
    Influence.UNDECIDED: "var(--undecided)",
}
_ROW = 26
_HEIGHT = 260
_MOST = 20  # rows of the plot of effects
_MOST_POINTS = 1_500
_MOST_INTERACTIONS = 6
_FAINT = "var(--soft)"


def details(of: MetricEffects) -> list[Figure]:
    """The plots of one metric beside that of its effects; those without anything to show are left out."""
    return some(*interactions(of), half_normal(of), residuals(of))


def pareto(of: MetricEffects, margin: float) -> Figure | None:
    """Effects with their intervals, the largest first, and the band in which a change does not matter."""
    rows: list[dict[str, Any]] = []
    every = [(effect, one) for effect in of.effects for one in effect.contrasts]
    for effect, one in every[:_MOST]:
        rows.append(
            {
                "t": _label(effect, one.level),
                "v": _short(one.change.estimate.value),
                "low": _maybe(one.change.estimate.low),
                "high": _maybe(one.change.estimate.high),
                "verdict": one.verdict.value,
                "told": effect_words.shown(one.change.estimate),
            }
        )
    if not rows:
        return None
    names = [row["t"] for row in rows]
    x = alt.X("v:Q", axis=alt.Axis(title="change in per cent", format=NUMBERS, tickCount=6))
    y = alt.Y("t:N", sort=names, scale=alt.Scale(domain=names), axis=alt.Axis(title=None, labelLimit=260))
    colour = _colour()
    base = alt.Chart(data(rows), height=alt.Step(_ROW))
    band = {"from": 100 * (1 / (1 + margin) - 1), "to": 100 * margin}
    layers = [
        alt.Chart(data([band])).mark_rect(color="var(--band)", aria=False).encode(x=alt.X("from:Q"), x2="to:Q"),
        alt.Chart(data([{"v": 0}])).mark_rule(color=_FAINT, strokeDash=[3, 3], aria=False).encode(x="v:Q"),
        base.mark_bar(size=7, opacity=0.25, aria=False).encode(x=x, x2=alt.datum(0), y=y, color=colour),
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=2.2, aria=False)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=colour),
        base.mark_point(filled=True, size=55, opacity=1, aria=False).encode(
            x=x, y=y, color=colour, tooltip=["t:N", "told:N", "verdict:N"]
        ),
    ]
    said = "; ".join(f"{row['t']} {row['told']} {row['verdict']}" for row in rows)
    more = f" The {_MOST} largest of {len(every)} are drawn." if len(every) > _MOST else ""
    return Figure(
        finish(alt.layer(*layers)),
        f"Effects on {of.metric}: {said}",
        f"Effects on {of.metric} with {words.level_words(of.interval_level)} intervals, sorted by size. Blue: "
        "influence; turquoise: no influence; brown: undecided. "
        f"Grey band: {words.percent(margin)}, where a change does not matter.{more}",
    )


def interactions(of: MetricEffects) -> list[Figure]:
    """One plot for each interaction with a claimed influence, the largest first."""
    corners = dict(of.corners)
    claimed = [one for one in of.effects if len(one.factors) == 2 and one.verdict is Influence.INFLUENCE]
    return [_interaction(of, one, corners[one.term]) for one in claimed[:_MOST_INTERACTIONS] if one.term in corners]


def _interaction(of: MetricEffects, effect: Effect, corners: tuple[Corner, ...]) -> Figure:
    first, second = effect.factors
    rows: list[dict[str, Any]] = [
        {
            "x": one.first,
            "e": one.second,
            "v": _short(one.change.estimate.value),
            "low": _maybe(one.change.estimate.low),
            "high": _maybe(one.change.estimate.high),
            "told": effect_words.shown(one.change.estimate),
        }
        for one in corners
    ]
    order: list[str] = list(dict.fromkeys(row["x"] for row in rows))
    names = list(dict.fromkeys(one.second for one in corners))
    colour, shape = by_environment(names)
    x = alt.X("x:N", sort=order, axis=alt.Axis(title=first, labelAngle=0))
    y = alt.Y("v:Q", axis=alt.Axis(title="change in per cent", format=NUMBERS, tickCount=6, grid=True))
    # Lines of several levels begin at the same places: each is moved a little.
    offset = alt.XOffset("e:N", sort=names, scale=alt.Scale(domain=names))
    base = alt.Chart(data(rows), height=_HEIGHT)
    layers = [
        base.mark_line(strokeWidth=1.8, aria=False).encode(x=x, y=y, color=colour, xOffset=offset),
        base.transform_filter("datum.low != null && datum.low != datum.high")
        .mark_rule(strokeWidth=1.5, aria=False)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour, xOffset=offset),
        base.mark_point(filled=True, size=50, opacity=1, aria=False).encode(
            x=x, y=y, color=colour, shape=shape, xOffset=offset, tooltip=["x:N", "e:N", "told:N"]
        ),
    ]
    said = "; ".join(f"{first}={row['x']} {second}={row['e']} {row['told']}" for row in rows)
    return Figure(
        finish(alt.layer(*layers)),
        f"Interaction of {first} and {second} in {of.metric}: {said}",
        f"{of.metric} over {first}, a line for each {second}, against both references, averaged over the other "
        "factors. Lines that are not parallel are the interaction. Bars: "
        f"{words.level_words(of.interval_level)} intervals.",
    )


def half_normal(of: MetricEffects) -> Figure | None:
    """Sizes of all contrasts over the quantiles that noise alone would give them."""
    if len(of.half_normal) < 4:
        return None
    rows: list[dict[str, Any]] = [
        {
            "x": _short(one.quantile),
            "v": _short(one.size),
            "verdict": one.verdict.value,
            "t": one.term,
            "label": one.term if one.verdict is Influence.INFLUENCE else "",
        }
        for one in of.half_normal
    ]
    top = max(row["x"] for row in rows)
    x = alt.X(
        "x:Q", scale=alt.Scale(domain=[0, top * 1.3]), axis=alt.Axis(title="half-normal quantile", format=NUMBERS)
    )
    y = alt.Y("v:Q", axis=alt.Axis(title="size by its noise", format=NUMBERS, tickCount=6, grid=True))
    base = alt.Chart(data(rows), height=_HEIGHT)
    layers = [
        alt.Chart(data([{"x": 0, "v": 0}, {"x": top, "v": top}]))
        .mark_line(color=_FAINT, strokeDash=[4, 4], strokeWidth=1.2, aria=False)
        .encode(x=x, y=y),
        base.mark_point(filled=True, size=45, opacity=0.9, aria=False).encode(
            x=x, y=y, color=_colour(), tooltip=["t:N", "verdict:N"]
        ),
        base.transform_filter("datum.label != ''")
        .mark_text(align="left", dx=8, fontSize=11, color="var(--ink)", aria=False)
        .encode(x=x, y=y, text="label:N"),
    ]
    above = [one.term for one in of.half_normal if one.verdict is Influence.INFLUENCE]
    return Figure(
        finish(alt.layer(*layers)),
        f"Half-normal plot of {of.metric}: {len(rows)} contrasts; with influence: {', '.join(above) or 'none'}",
        f"{of.metric}: sizes of all contrasts, in units of their noise. Noise alone follows the dashed line; what lies "
        "far above it is an effect.",
    )


def residuals(of: MetricEffects) -> Figure | None:
    """What the model leaves over of each trial, in run order. At most so many points, every k-th of them."""
    if len(of.residuals) < 4:
        return None
    step = -(-len(of.residuals) // _MOST_POINTS)
    rows = [
        {"x": one.order + 1, "v": _short(one.percent), "b": f"block {one.block + 1}", "odd": one.block % 2}
        for one in of.residuals[::step]
    ]
    x = alt.X("x:Q", scale=alt.Scale(nice=False), axis=alt.Axis(title="trial in run order", format="d", grid=False))
    y = alt.Y("v:Q", axis=alt.Axis(title="left over, per cent", format=NUMBERS, tickCount=6, grid=True))
    shade = alt.condition("datum.odd == 1", alt.value("var(--accent)"), alt.value("var(--ink)"))
    layers = [
        alt.Chart(data([{"v": 0}])).mark_rule(color=_FAINT, strokeDash=[3, 3], aria=False).encode(y="v:Q"),
        alt.Chart(data(rows), height=200)
        .mark_point(filled=True, size=18, opacity=0.75, aria=False)
        .encode(x=x, y=y, color=shade, tooltip=["x:Q", "v:Q", "b:N"]),
    ]
    low, high = min(one.percent for one in of.residuals), max(one.percent for one in of.residuals)
    thinned = f" {len(rows):,} of {len(of.residuals):,} are drawn." if step > 1 else ""
    return Figure(
        finish(alt.layer(*layers)),
        f"Residuals of {of.metric} over the run order: {effect_words.percent(low)} to {effect_words.percent(high)}",
        f"{of.metric}: what blocks, effects and interactions leave over, in run order; the colour changes with the "
        f"block. A pattern would be drift.{thinned}",
    )


def _colour() -> alt.Color:
    return alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=[one.value for one in _COLOURS], range=list(_COLOURS.values())),
        legend=None,
    )


def _label(effect: Effect, level: tuple[str, ...]) -> str:
    """The term; its level as well where it has several contrasts."""
    several = len(effect.contrasts) > 1
    mark = "*" if effect.aliases else ""
    return f"{effect.term}{mark}" + (f" {', '.join(level)}" if several else "")


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _maybe(value: float | None) -> float | None:
    return None if value is None else _short(value)
