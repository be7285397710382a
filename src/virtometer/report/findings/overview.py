"""The picture at the head of the result: a panel a workload, environments as rows, on one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from virtometer.model import Finding, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.figures import GONE, NUMBERS, Figure, colour, data, finish

_ROW = 21  # pixels of one environment
_MOST = 24  # panels; a reader does not compare more, and each takes time to draw
_BEYOND = 8.0  # an interval is drawn so many times beyond the outermost ratio at most
_PAD = 1.15
_CLAIMS = (Verdict.SLOWER, Verdict.FASTER)


@dataclass(frozen=True, slots=True)
class Overview:
    """The panels, with one caption for all of them."""

    panels: Sequence[Figure]
    caption: str


def overview(findings: Sequence[Finding], margin: float, swept: frozenset[str] = frozenset()) -> Overview | None:
    """A panel for each workload that has a ratio. swept: workloads of sweeps, which have curves of their own.

    Of more than 24 workloads, those with a `slower` or `faster` are drawn. None without a ratio.
    """
    of: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.verdict is not Verdict.BASELINE and finding.workload not in swept:
            of.setdefault(finding.workload, []).append(finding)
    all_of = {name: some for name, some in of.items() if any(one.decisive is not None for one in some)}
    if not all_of:
        return None
    ranked = sorted(all_of, key=lambda name: not any(one.verdict in _CLAIMS for one in all_of[name]))[:_MOST]
    drawn = {name: some for name, some in all_of.items() if name in ranked}
    domain = _domain([one for some in drawn.values() for one in some], margin)
    against, level = findings[0].ratio.reference, words.interval_level(findings)
    left_out = f" {len(drawn)} of {len(all_of)} workloads are drawn." if len(drawn) < len(all_of) else ""
    hollow = " Hollow: not comparable." if any(one.unlike for some in drawn.values() for one in some) else ""
    band = f"{words.significant(1 / (1 + margin))} to {words.significant(1 + margin)}"
    return Overview(
        [_panel(name, some, margin, domain) for name, some in drawn.items()],
        f"Efficiency against {against} with {level} intervals, on one logarithmic axis; further right is better. "
        f"Grey band: within the plan's margin, {band}.{hollow}{left_out}",
    )


def _domain(findings: Sequence[Finding], margin: float) -> tuple[float, float]:
    """What all panels show. Very wide intervals do not take the whole axis."""
    ratios = [of for one in findings if (of := one.decisive) is not None]
    values = [of.value for of in ratios] + [1 / (1 + margin), 1 + margin]
    low = max(min(values) / _BEYOND, min([*values, *(of.low for of in ratios if of.low)]))
    high = min(max(values) * _BEYOND, max([*values, *(of.high for of in ratios if of.high)]))
    return low / _PAD, high * _PAD


def _ticks(domain: tuple[float, float]) -> list[float]:
    """Powers of ten; where there are fewer than three, also their doubles and halves; at least 1."""
    decades = range(math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1])) + 1)
    for steps in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9.5)):
        found = [step * 10.0**power for power in decades for step in steps]
        inside = [tick for tick in found if domain[0] <= tick <= domain[1]]
        if len(inside) >= 3:
            break
    return inside[:: math.ceil(len(inside) / 6)] if len(inside) > 8 else inside


def _panel(workload: str, findings: Sequence[Finding], margin: float, domain: tuple[float, float]) -> Figure:
    low, high = domain
    rows = [
        {
            "environment": one.subject,
            "ratio": of.value,
            "low": None if of.low is None else min(max(of.low, low), high),
            "high": None if of.high is None else min(max(of.high, low), high),
            "verdict": one.verdict.value,
            "said": words.verdict(one),
            "what": words.efficiency(one) + words.star(one),
            "unlike": bool(one.unlike),
        }
        for one in findings
        if (of := one.decisive) is not None
    ]
    names = [one.subject for one in findings]
    gone = [{"environment": one.subject, "text": words.verdict(one)} for one in findings if one.decisive is None]
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    x = alt.X("ratio:Q", scale=scale, axis=alt.Axis(title=None, format=NUMBERS, values=_ticks(domain), grid=True))
    y = alt.Y("environment:N", sort=names, scale=alt.Scale(domain=names), axis=alt.Axis(title=None))
    base = alt.Chart(data(rows), height=alt.Step(_ROW))
    band = [{"from": 1 / (1 + margin), "to": 1 + margin}]
    layers: list[Any] = [
        alt.Chart(data(band)).mark_rect(color="var(--band)", aria=False).encode(x=alt.X("from:Q"), x2=alt.X2("to:Q")),
        alt.Chart(data([{"ratio": 1}])).mark_rule(color="var(--soft)", aria=False).encode(x=alt.X("ratio:Q")),
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=2, aria=False)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, color=colour()),
        base.mark_point(size=52, strokeWidth=2, opacity=1, aria=False).encode(
            x=x,
            y=y,
            color=colour(),
            fill=alt.condition("datum.unlike", alt.value("var(--card)"), colour()),
            tooltip=[alt.Tooltip(one) for one in ("environment:N", "what:N", "said:N")],
        ),
    ]
    if gone:
        text = alt.Chart(data(gone)).mark_text(**GONE)
        layers.append(text.encode(x=alt.value(alt.expr("width / 2")), y=y, text=alt.Text("text:N")))
    facts = (f"{one.subject} {words.efficiency(one)} {words.verdict(one)}".replace("  ", " ") for one in findings)
    return Figure(finish(alt.layer(*layers)), f"{workload}: {'; '.join(facts)}", workload)
