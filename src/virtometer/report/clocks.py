"""How far each guest's clock can be believed: a table and a plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from virtometer.analysis.clocks import Belief
from virtometer.report import words
from virtometer.report.curves import by_environment
from virtometer.report.figures import Figure, data, finish
from virtometer.report.grids import Grid

_LONGEST_S = 3600.0
_SHORTEST_S = 1e-6
_HEIGHT = 280


def grid(beliefs: Sequence[Belief]) -> Grid:
    """A column an environment, a row a property. What was not measured is empty."""
    rows: list[tuple[str, ...]] = [(name, *(tell(belief) for belief in beliefs)) for name, tell in _ROWS.items()]
    rows = [row for row in rows if any(row[1:])]
    return Grid(
        "Compared with the host's clock in every run; what the clock itself shows is from the workload clock",
        ("property", *(belief.environment for belief in beliefs)),
        rows,
        frozenset(range(1, len(beliefs) + 1)),
    )


def figure(beliefs: Sequence[Belief], limit: float) -> Figure | None:
    """Relative error of believing the clock, over the length of what is timed. None without a run."""
    seen = [belief for belief in beliefs if belief.runs]
    if not seen:
        return None
    steps = 48
    span = math.log(_LONGEST_S / _SHORTEST_S)
    rows: list[dict[str, Any]] = [
        {"e": belief.environment, "t": float(f"{t:.4g}"), "v": max(float(f"{belief.error(t):.4g}"), 1e-10)}
        for belief in seen
        for t in (_SHORTEST_S * math.exp(span * step / steps) for step in range(steps + 1))
    ]
    colour, _ = by_environment([belief.environment for belief in seen])
    label = (
        "datum.value >= 3600 ? '1 h' : datum.value >= 1 ? datum.value + ' s' : datum.value >= 0.001 ? "
        "round(datum.value * 1e3) + ' ms' : round(datum.value * 1e6) + ' µs'"
    )
    relative = (
        "datum.value >= 0.0001 ? format(datum.value * 100, '~g') + ' %' : format(datum.value * 1e6, '~g') + ' ppm'"
    )
    x = alt.X(
        "t:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            title="length of what is timed by the guest's own clock",
            values=[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 3600],
            labelExpr=label,
            grid=True,
        ),
    )
    lowest = min(row["v"] for row in rows)
    ticks = [10.0**power for power in range(math.floor(math.log10(lowest)), 3)]
    y = alt.Y(
        "v:Q",
        scale=alt.Scale(type="log", nice=False, domain=[ticks[0], max(max(row["v"] for row in rows), 1.0)]),
        axis=alt.Axis(title="relative error", values=ticks, labelExpr=relative, grid=True),
    )
    rule = alt.Chart(data([{"v": limit}])).mark_rule(color="var(--soft)", strokeDash=[4, 4], aria=False)
    lines = alt.Chart(data(rows), height=_HEIGHT).mark_line(strokeWidth=1.8, aria=False).encode(x=x, y=y, color=colour)
    told = "; ".join(f"{belief.environment} {_believed(belief, limit)}" for belief in seen)
    return Figure(
        finish(alt.layer(rule.encode(y=alt.Y("v:Q")), lines)),
        f"How far each guest's clock can be believed: {told}",
        "What timing by the guest's own clock would be wrong by: its rate, plus its steps, its resolution and the cost "
        f"of a reading divided by the length. Dashed: {words.percent(limit)}, this plan's limit. Below it: {told}. "
        "The results above are put right.",
    )


def _believed(belief: Belief, limit: float) -> str:
    """From which length on the clock is right within the limit."""
    rate = belief.error(math.inf)
    if rate >= limit:
        return "never"
    fixed = belief.error(1.0) - rate
    length = fixed / (limit - rate)
    return f"from {words.quantity(max(length, 1e-9), 's')} on"


def _ppm(value: float) -> str:
    return f"{value:+,.0f}" if abs(value) >= 1000 else f"{value:+.2g}" if value else "0"


def _seconds(value: float) -> str:
    return words.quantity(value, "s") if value > 0 else "0"


def _of_measure(name: str) -> Callable[[Belief], str]:
    def tell(belief: Belief) -> str:
        found = belief.measures.get(name)
        return "" if found is None else words.measure(found.median, found.unit)

    return tell


def _quantile(share: float) -> Callable[[Belief], str]:
    def tell(belief: Belief) -> str:
        return "" if belief.lateness is None else _seconds(belief.lateness.quantile(share))

    return tell


def _of_runs(tell: Callable[[Belief], str]) -> Callable[[Belief], str]:
    return lambda belief: tell(belief) if belief.runs else ""


_ROWS: dict[str, Callable[[Belief], str]] = {
    "clock source": lambda belief: belief.source,
    "runs compared": lambda belief: f"{belief.runs:,}",
    "faster than the host's, ppm": _of_runs(lambda belief: f"{_ppm(belief.rate_ppm)} ±{belief.bound_ppm:.2g}"),
    "over all runs, ppm": _of_runs(lambda belief: f"{_ppm(belief.rate_low_ppm)} to {_ppm(belief.rate_high_ppm)}"),
    "gains in an hour": _of_runs(
        lambda belief: ("-" if belief.drift_s_per_hour < 0 else "") + _seconds(abs(belief.drift_s_per_hour))
    ),
    "worst jump that rate and offset do not explain": _of_runs(lambda belief: _seconds(belief.residual_s)),
    "runs that failed by a step": lambda belief: (
        str(belief.steps) + (f" (up to {_seconds(belief.step_s)})" if belief.steps else "")
    ),
    "samples set aside for the clock's sake": _of_runs(lambda belief: f"{belief.set_aside:,}"),
    "smallest advance, monotonic": _of_measure("resolution-monotonic"),
    "a reading, monotonic": _of_measure("cost-monotonic"),
    "a reading, monotonic raw": _of_measure("cost-monotonic-raw"),
    "a reading, real time": _of_measure("cost-realtime"),
    "a reading, processor's counter": _of_measure("cost-counter"),
    "counter's rate": _of_measure("counter-rate"),
    "readings that went back, monotonic": _of_measure("backward-monotonic"),
    "readings that went back, monotonic raw": _of_measure("backward-monotonic-raw"),
    "readings that went back, real time": _of_measure("backward-realtime"),
    "readings that went back, counter": _of_measure("backward-counter"),
    "largest jump of real time": _of_measure("realtime-jump"),
    "steal by the guest's account": _of_measure("steal"),
    "a timer is late, median": _quantile(0.5),
    "a timer is late, 99 %": _quantile(0.99),
    "a timer is late, worst": _quantile(1.0),
}
