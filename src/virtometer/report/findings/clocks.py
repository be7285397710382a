"""How well each guest's clock keeps time: a table and a plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from virtometer.analysis import Analysis
from virtometer.analysis.describe.clocks import LONGEST_S, ClockQuality
from virtometer.model import ClockFault, FaultKind
from virtometer.report.parts import words
from virtometer.report.parts.plot import Figure, by_environment, data, finish
from virtometer.report.parts.section import Section, some
from virtometer.report.parts.table import TextTable

_CORRECTED = (
    "Every duration above is in host time. Guests' clocks were compared with the host's before, during and after each "
    "run. Here stands the error that timing by the guest's own clock would have had."
)
_RAW = (
    "Every duration above is by the guests' own clocks. They were compared with the host's before, during and after "
    "each run. Here stands how wrong the values above may be."
)
_SHORTEST_S = 1e-6
_HEIGHT = 280
_TICKS = 7
# Millions of percent and more as a power of ten, with its exponent raised.
_RELATIVE = (
    "datum.value >= 1e4 ? '10' + split(' ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹ ¹⁰ ¹¹ ¹² ¹³ ¹⁴ ¹⁵ ¹⁶ ¹⁷ ¹⁸', ' ')"
    "[round(log(datum.value) / LN10) + 2] + ' %' : "
    "datum.value >= 0.0001 ? format(datum.value * 100, ',~g') + ' %' : format(datum.value * 1e6, '~g') + ' ppm'"
)


def section(analysis: Analysis) -> Section:
    """The plot of all clocks, and what was found of each."""
    campaign = analysis.campaign
    raw = campaign.clock == "guest"
    names = [one.name for one in campaign.plan.environments]
    return Section(
        id="clocks",
        title="How well does each guest's clock keep time?",
        short="Clocks",
        closed=True,
        sentences=[_RAW if raw else _CORRECTED],
        wide=some(figure(analysis.clocks, campaign.plan.limits.clock_error, raw=raw, among=names)),
        tables=[grid(analysis.clocks)],
    )


def grid(qualities: Sequence[ClockQuality]) -> TextTable:
    """A column an environment, a row a property. What was not measured is empty."""
    counters = {quality.counter for quality in qualities if "cost-counter" in quality.measures}
    counter = "TSC" if counters == {"TSC"} else "processor's counter"
    rows: list[tuple[str, ...]] = [
        (name.format(counter=counter), *(tell(quality) for quality in qualities)) for name, tell in _ROWS.items()
    ]
    rows = [row for row in rows if any(row[1:])]
    return TextTable(
        "Compared with the host's clock in every run; what the clock itself shows is from the workload clock",
        ("property", *(quality.environment for quality in qualities)),
        rows,
        frozenset(range(1, len(qualities) + 1)),
    )


def figure(
    qualities: Sequence[ClockQuality], limit: float, *, raw: bool = False, among: Sequence[str] = ()
) -> Figure | None:
    """Relative error of timing by the clock, over the length of what is timed; at the top where it is unusable.

    `raw`: the results of the report are by these clocks. among: as of `by_environment`. None without a clock.
    """
    if not qualities:
        return None
    rows = _points(qualities)
    lowest, highest = (math.log10(end(row["v"] for row in rows)) for end in (min, max))
    decades = (math.floor(lowest), max(math.ceil(highest), 0))
    colour, _ = by_environment([quality.environment for quality in qualities], among)
    label = (
        "datum.value >= 3600 ? '1 h' : datum.value >= 1 ? datum.value + ' s' : datum.value >= 0.001 ? "
        "round(datum.value * 1e3) + ' ms' : round(datum.value * 1e6) + ' µs'"
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
    y = alt.Y(
        "v:Q",
        scale=alt.Scale(type="log", nice=False, domain=[10.0**power for power in decades]),
        axis=alt.Axis(title="relative error", values=_ticks(*decades), labelExpr=_RELATIVE, grid=True),
    )
    rule = alt.Chart(data([{"v": limit}])).mark_rule(color="var(--soft)", strokeDash=[4, 4], aria=False)
    lines = (
        alt.Chart(data(rows), height=_HEIGHT)
        .mark_line(strokeWidth=1.8, aria=False)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.StrokeDash("k:Q", scale=alt.Scale(domain=[0, 1], range=[[2, 3], [1, 0]]), legend=None),
        )
    )
    verdicts: dict[str, list[str]] = {}
    for quality in qualities:
        verdicts.setdefault(_verdict(quality, limit), []).append(quality.environment)
    told = "; ".join(f"{', '.join(names)} {verdict}" for verdict, names in verdicts.items())
    return Figure(
        finish(alt.layer(rule.encode(y=alt.Y("v:Q")), lines)),
        f"Within the limit, by guest's clock: {told}",
        "The largest error of timing by the guest's own clock. It is the error of its rate, plus its steps, resolution "
        f"and the cost of a reading divided by the length. {_missing(qualities)}"
        f"Dashed: {words.percent(limit)}, this plan's limit. Below it: {told}. "
        f"The results above are {'not ' if raw else ''}corrected.",
    )


def _points(qualities: Sequence[ClockQuality]) -> list[dict[str, Any]]:
    """The lines of the plot. A clock that may be wrong by anything is nowhere below one that is merely bad."""
    steps = 48
    span = math.log(LONGEST_S / _SHORTEST_S)
    times = [_SHORTEST_S * math.exp(span * step / steps) for step in range(steps + 1)]
    top = 10.0 ** math.ceil(math.log10(max(1.0, *(quality.error(_SHORTEST_S) for quality in qualities))))
    return [
        {
            "e": quality.environment,
            "t": float(f"{t:.4g}"),
            "v": top if quality.unusable else max(float(f"{quality.error(t):.4g}"), 1e-10),
            "k": int(quality.unusable or quality.fixed_s is not None),
        }
        for quality in qualities
        for t in times
    ]


def _ticks(first: int, last: int) -> list[float]:
    """Powers of ten, at most eight: every second or third where there are many, 100 % among them."""
    step = -(-(last - first) // _TICKS) or 1
    return [10.0**power for power in range(first, last + 1) if power % step == 0]


def _missing(qualities: Sequence[ClockQuality]) -> str:
    """What is not known of some of these clocks, and how it would be."""
    names = [quality.environment for quality in qualities if quality.fixed_s is None and not quality.unusable]
    if not names:
        return ""
    which = "All dotted" if len(names) == len(qualities) else f"Dotted ({', '.join(names)})"
    return (
        f"{which}: of rate and steps alone, so the error of short lengths is larger. The workload clock measures the "
        "resolution and the cost of a reading. "
    )


def _verdict(quality: ClockQuality, limit: float) -> str:
    """From which length on the clock is right within the limit."""
    if quality.unusable:
        return f"never ({_faults(quality)})"
    if quality.within_limit(limit):
        from_s = quality.within_limit_from_s(limit)
        if from_s is None:
            return "by rate, from which length on is not known"
        return f"from {words.quantity(from_s, 's')} on"
    if quality.min_abs_ppm * 1e-6 < limit <= quality.error(math.inf):
        return "perhaps: the rate is not known so well"
    return "never" if quality.error(math.inf) >= limit else f"never within {words.duration(LONGEST_S)}"


def _faults(quality: ClockQuality) -> str:
    """How many runs failed by this clock, by what was wrong with it; empty without one."""
    return ", ".join(f"{len(found)} {_FAULTS[kind]}{_extent(found)}" for kind, found in quality.faults.items())


def _extent(faults: Sequence[ClockFault]) -> str:
    sizes = [abs(fault.size_s) for fault in faults if fault.size_s is not None]
    bounds = [fault.bound for fault in faults if fault.bound is not None]
    if sizes:
        return f" (up to {_seconds(max(sizes))})"
    return f" (±{words.percent(max(bounds))})" if bounds else ""


def _ppm(value: float) -> str:
    shown = f"{value:,.0f}" if abs(value) >= 1000 else words.significant(value, 2)
    return f"+{shown}" if value > 0 else shown


def _seconds(value: float) -> str:
    return words.quantity(value, "s") if value > 0 else "0"


def _gain(seconds: float) -> str:
    return ("+" if seconds > 0 else "-" if seconds < 0 else "") + _seconds(abs(seconds))


def _drift(quality: ClockQuality) -> str:
    found = quality.drift
    if found is None:
        return ""
    return f"{_gain(found.gained_s)} ±{_seconds(found.bound_s)} in {words.duration(found.over_s)}"


def _drift_rate(quality: ClockQuality) -> str:
    found = quality.drift
    return "" if found is None else f"{_ppm(found.ppm)} ±{words.significant(found.bound_s / found.over_s * 1e6, 2)}"


def _counter_rate(quality: ClockQuality) -> str:
    """In MHz with as many digits as comparing clocks gives, which knows rates to about a ppm."""
    found = quality.measures.get("counter-rate")
    return "" if found is None else f"{words.significant(found.estimate.value * 1e-6, 7)} MHz"


def _steal(quality: ClockQuality) -> str:
    found = quality.measures.get("steal")
    return "" if found is None else words.percent(found.estimate.value)


def _of_measure(name: str) -> Callable[[ClockQuality], str]:
    def tell(quality: ClockQuality) -> str:
        found = quality.measures.get(name)
        return "" if found is None else words.measure(found.estimate.value, found.unit)

    return tell


def _quantile(share: float) -> Callable[[ClockQuality], str]:
    def tell(quality: ClockQuality) -> str:
        return "" if quality.lateness is None else _seconds(quality.lateness.quantile(share))

    return tell


def _of_runs(tell: Callable[[ClockQuality], str]) -> Callable[[ClockQuality], str]:
    return lambda quality: tell(quality) if quality.runs else ""


_FAULTS: dict[FaultKind, str] = {
    "stepped": "stepped",
    "went-back": "went back",
    "stood-still": "stood still",
    "uncertain": "not known within the limit",
    "contradicts": "contradicted itself",
}
_ROWS: dict[str, Callable[[ClockQuality], str]] = {
    "clock source": lambda quality: quality.source,
    "runs compared": lambda quality: f"{quality.runs:,}",
    "faster than the host's, ppm": _of_runs(
        lambda quality: f"{_ppm(quality.rate_ppm)} ±{words.significant(quality.bound_ppm, 2)}"
    ),
    "over all runs, ppm": _of_runs(lambda quality: f"{_ppm(quality.rate_low_ppm)} to {_ppm(quality.rate_high_ppm)}"),
    "offset drift between the runs of one guest": _drift,
    "the same as a rate, ppm": _drift_rate,
    "worst jump that rate and offset do not explain": _of_runs(lambda quality: _seconds(quality.residual_s)),
    "runs that failed by it": lambda quality: _faults(quality) or "0",
    "samples excluded because of the clock": lambda quality: f"{quality.rejected:,}",
    "smallest advance, monotonic": _of_measure("resolution-monotonic"),
    "smallest advance, monotonic raw": _of_measure("resolution-monotonic-raw"),
    "smallest advance, real time": _of_measure("resolution-realtime"),
    "smallest advance, {counter}": _of_measure("resolution-counter"),
    "a reading, monotonic": _of_measure("cost-monotonic"),
    "a reading, monotonic raw": _of_measure("cost-monotonic-raw"),
    "a reading, real time": _of_measure("cost-realtime"),
    "a reading, {counter}": _of_measure("cost-counter"),
    "{counter}'s rate": _counter_rate,
    "readings that went back, monotonic": _of_measure("backward-monotonic"),
    "readings that went back, monotonic raw": _of_measure("backward-monotonic-raw"),
    "readings that went back, real time": _of_measure("backward-realtime"),
    "readings that went back, {counter}": _of_measure("backward-counter"),
    "largest jump of real time": _of_measure("realtime-jump"),
    "steal by the guest's account": _steal,
    "a timer is late, median": _quantile(0.5),
    "a timer is late, 99 %": _quantile(0.99),
    "a timer is late, worst": _quantile(1.0),
}
