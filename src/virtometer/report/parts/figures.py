"""The two plots of a workload: efficiency with intervals, and every raw sample; `samples` says how many it left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import altair as alt

from virtometer.analysis import Analysis
from virtometer.model import Finding, Run, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.plot import FAINT, INK, NUMBERS, Figure, data, finish, scale

_ROW = 40  # pixels of one environment
_TALL_ROW = 54
_VERDICTS = {
    Verdict.SLOWER: "var(--slower)",
    Verdict.FASTER: "var(--faster)",
    Verdict.EQUIVALENT: "var(--equivalent)",
    Verdict.UNDECIDED: "var(--undecided)",
    Verdict.BASELINE: "var(--ink)",
}


_ALIGN: dict[str, Literal["left", "center", "right"]] = {"left": "left", "middle": "center", "right": "right"}


def efficiency(findings: Sequence[Finding], margin: float) -> Figure:
    """One row an environment: ratio, interval, and the band inside which a difference does not matter."""
    rows = [ratio_row(finding) for finding in findings if finding.decisive is not None]
    names = [finding.subject for finding in findings]
    against = findings[0].ratio.reference
    bounds = [value for row in rows for value in (row["ratio"], row["low"], row["high"]) if value is not None]
    low, high = min([1 / (1 + margin), *bounds]), max([1 + margin, *bounds])
    spread = high / low
    log = spread > 5
    pad = spread**0.06 if log else (high - low) * 0.06
    domain = [low / pad, high * pad] if log else [low - pad, high + pad]
    for row in rows:
        row["side"] = _side(row["ratio"], domain, log)
    x = alt.X(
        "ratio:Q",
        scale=alt.Scale(type="log" if log else "linear", domain=domain, nice=False, zero=False),
        axis=alt.Axis(title=f"efficiency against {against} (further right is better)", format=NUMBERS, tickCount=6),
    )
    y = alt.Y("environment:N", sort=names, scale=alt.Scale(domain=names), axis=alt.Axis(title=None))
    base = alt.Chart(data(rows), height=alt.Step(_ROW))
    gone = [
        {"environment": finding.subject, "text": words.verdict(finding)} for finding in findings if not finding.ratio.n
    ]
    layers = ratio_layers(base, x, y, margin, size=80)
    for side, align in _ALIGN.items():
        if any(row["side"] == side for row in rows):
            beside = base.transform_filter(f"datum.side == '{side}'")
            # The paper's colour behind the words keeps lines from running through them.
            halo = beside.mark_text(
                align=align, dy=-13, fontSize=11, stroke="var(--card)", strokeWidth=4, strokeJoin="round", aria=False
            )
            text = beside.mark_text(align=align, dy=-13, fontSize=11, color=INK, aria=False)
            layers += [shape.encode(x=x, y=y, text=alt.Text("what:N")) for shape in (halo, text)]
    return Figure(
        finish(alt.layer(*layers, *absent(gone, y))),
        f"Efficiency against {against}: {facts(findings)}",
        f"Efficiency against {against} with {words.interval_level(findings)} intervals"
        f"{', logarithmic' if log else ''}. Grey band: {band_words(margin)}, where a difference does not "
        "matter to this plan." + (" Hollow: not comparable." if any(row["unlike"] for row in rows) else ""),
    )


def ratio_layers(base: alt.Chart, x: alt.X, y: alt.Y, margin: float, *, size: int) -> list[Any]:
    """The band of the margin, the line at 1, intervals, and points of so many square pixels. base: of `ratio_row`s."""
    names, shades = [verdict.value for verdict in _VERDICTS], list(_VERDICTS.values())
    shade = alt.Color("verdict:N", scale=alt.Scale(domain=names, range=shades), legend=None)
    band = alt.Chart(data([{"from": 1 / (1 + margin), "to": 1 + margin}])).mark_rect(color="var(--band)", aria=False)
    one = alt.Chart(data([{"ratio": 1}])).mark_rule(color=FAINT, strokeDash=[3, 3], aria=False)
    return [
        band.encode(x=alt.X("from:Q"), x2=alt.X2("to:Q")),
        one.encode(x=alt.X("ratio:Q")),
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=2.5, aria=False)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, color=shade),
        base.mark_point(size=size, strokeWidth=2, opacity=1, aria=False).encode(
            x=x,
            y=y,
            color=shade,
            fill=alt.condition("datum.unlike", alt.value("var(--paper)"), shade),
            tooltip=[alt.Tooltip(one) for one in ("environment:N", "what:N", "said:N", "n:Q")],
        ),
    ]


def absent(rows: list[dict[str, Any]], y: alt.Y) -> list[Any]:
    """The words of environments without a ratio, as a layer where there are any."""
    if not rows:
        return []
    text = alt.Chart(data(rows)).mark_text(color=FAINT, fontStyle="italic", aria=False)
    return [text.encode(x=alt.value(alt.expr("width / 2")), y=y, text=alt.Text("text:N"))]


def facts(findings: Sequence[Finding]) -> str:
    """Ratio and verdict of each environment, for those who do not see the plot."""
    return "; ".join(
        f"{one.subject} {words.efficiency(one)} {words.verdict(one)}".replace("  ", " ") for one in findings
    )


def band_words(margin: float) -> str:
    """The ratios within the margin: 0.952 to 1.05."""
    return f"{words.significant(1 / (1 + margin))} to {words.significant(1 + margin)}"


def ratio_row(finding: Finding) -> dict[str, Any]:
    """A finding that has a ratio, as a row of a plot."""
    ratio = finding.decisive
    assert ratio is not None
    baseline = finding.verdict is Verdict.BASELINE
    return {
        "environment": finding.subject,
        "ratio": ratio.value,
        "low": ratio.low,
        "high": ratio.high,
        "n": ratio.n,
        "verdict": finding.verdict.value,
        "said": words.verdict(finding),
        "unlike": not finding.comparable,
        "what": "1" if baseline else words.efficiency(finding) + words.star(finding),
    }


def _side(value: float, domain: Sequence[float], log: bool) -> str:
    low, high = (math.log(domain[0]), math.log(domain[1])) if log else (domain[0], domain[1])
    share = ((math.log(value) if log else value) - low) / (high - low)
    return "left" if share < 0.2 else "right" if share > 0.8 else "middle"


def samples(analysis: Analysis, workload: str, most: int) -> Figure | None:
    """Every iteration of every trial, one row an environment, time running down the row. None without a sample.

    At most `most` points are drawn, every k-th of each environment, and the caption says so.
    """
    campaign = analysis.campaign
    runs = [
        (record.trial.block, run)
        for record in analysis.alone
        for run in record.scored
        if run.placement.workload == workload and run.samples
    ]
    if not runs:
        return None
    unit = runs[0][1].unit
    blocks = max(campaign.plan.blocks, 1 + max(block for block, _ in runs))
    points: dict[str, _Dots] = {}
    for block, run in runs:
        points.setdefault(run.placement.environment, _Dots()).add(analysis, block, run, blocks)
    total = sum(len(found.rates) for found in points.values())
    keep = {
        name: found.each(name, max(1, math.ceil(len(found.rates) * len(points) / most)))
        for name, found in points.items()
        if found.rates
    }
    drawn = [point for found in keep.values() for point in found]
    factor, shown = scale(sorted(point["v"] for point in drawn)[len(drawn) // 2], unit)
    for point in drawn:
        point["v"] = float(f"{point['v'] / factor:.5g}")
    trials = [
        {"e": run.placement.environment, "v": run.scored.value / factor, "t": (block + 0.5) / blocks}
        for block, run in runs
        if run.scored.value > 0
    ]
    names = [environment.name for environment in campaign.plan.environments if environment.name in points]
    values = [point["v"] for point in drawn]
    log = max(values) / min(values) > 8
    x = alt.X(
        "v:Q",
        scale=alt.Scale(type="log" if log else "linear", zero=False, nice=not log),
        axis=alt.Axis(title=f"{shown}{' per operation' if unit == 's' else ''}", format=NUMBERS, tickCount=6),
    )
    y = alt.Y("e:N", sort=names, axis=alt.Axis(title=None))
    time = alt.YOffset("t:Q", scale=alt.Scale(domain=[0, 1]))
    dots = (
        alt.Chart(data(drawn), height=alt.Step(_TALL_ROW))
        .mark_point(size=13, filled=True, opacity=0.55, strokeWidth=0, aria=False)
        .encode(
            x=x,
            y=y,
            yOffset=time,
            color=alt.condition("datum.u == 0", alt.value("var(--slower)"), alt.value("var(--accent)")),
            shape=alt.condition("datum.u == 0", alt.value("cross"), alt.value("circle")),
        )
    )
    ticks = (
        alt.Chart(data(trials))
        .mark_tick(orient="vertical", size=max(3, 0.8 * _TALL_ROW / blocks), thickness=1.5, color=INK, aria=False)
        .encode(
            x=x, y=y, yOffset=time, tooltip=[alt.Tooltip("e:N", title="environment"), alt.Tooltip("v:Q", title=shown)]
        )
    )
    thinned = f"{len(drawn):,} of {total:,} samples are drawn" if len(drawn) < total else f"{total:,} samples"
    spans = [
        f"{name} {words.significant(min(p['v'] for p in keep[name]))} to "
        f"{words.significant(max(p['v'] for p in keep[name]))} {shown}"
        for name in names
        if name in keep
    ]
    aside = any(point["u"] == 0 for point in drawn)
    return Figure(
        finish(alt.layer(dots, ticks)),
        f"Raw samples of {workload}: " + "; ".join(spans),
        f"Raw samples ({thinned}){', logarithmic' if log else ''}. Within a row time runs downwards, from the first "
        f"block to the last; strokes are the values of the trials.{' Red crosses were not used.' if aside else ''}",
    )


@dataclass(slots=True)
class _Dots:
    """The samples of one environment that have a rate: of each its rate, its time in the plot and whether it counts."""

    rates: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    used: list[bool] = field(default_factory=list)

    def add(self, analysis: Analysis, block: int, run: Run, blocks: int) -> None:
        """The samples of one run."""
        of = analysis.samples(run)
        which = (of.rate > 0).nonzero()[0]
        moments = (block + 0.1 + 0.8 * (which + 0.5) / len(of.rate)) / blocks
        self.rates += of.rate[which].tolist()
        self.times += moments.tolist()
        self.used += of.columns.used[which].tolist()

    def each(self, name: str, step: int) -> list[dict[str, Any]]:
        """Every so many of them as rows of the plot."""
        rows = zip(self.rates[::step], self.times[::step], self.used[::step], strict=True)
        return [{"e": name, "v": rate, "t": round(time, 4), "u": int(used)} for rate, time, used in rows]
