"""The plot of latency under rising load, with the knee of each environment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from virtometer.analysis.curves.knees import Knee
from virtometer.analysis.statistics.knee import Middle
from virtometer.model import MIN_BLOCKS, Estimate
from virtometer.report.parts import words
from virtometer.report.parts.plot import Figure, scale
from virtometer.report.sweeps import curves, knees


def latency_curve(of: Sequence[Knee]) -> Figure | None:
    """The percentile over the offered rate, a line an environment, with its knee. `of`: knees of one series.

    None without two values.
    """
    series = of[0].series
    rows: list[dict[str, Any]] = [
        {
            "e": one.environment,
            "workload": series.points.get((rate,), ""),
            "x": rate,
            "v": latency.value,
            "low": latency.low,
            "high": latency.high,
            "told": words.quantity(latency.value, "s"),
        }
        for one in of
        for rate, latency in _estimates(one).items()
    ]
    if len(rows) < 2:
        return None
    factor, shown = scale(sorted(row["v"] for row in rows)[len(rows) // 2], "s")
    marks = [
        {
            "e": one.environment,
            "x": one.at.value,
            "v": _between(_estimates(one), one.at.value),
            "from": _end(one.at, one.at.low, one.smallest),
            "to": _end(one.at, one.at.high, one.largest),
            "told": knees.place(one),
        }
        for one in of
        if one.at is not None and one.at.value is not None
    ]
    for row in [*rows, *marks]:
        for key in ("v", "low", "high"):
            if row.get(key) is not None:
                row[key] = float(f"{row[key] / factor:.5g}")
    made = curves.lines(
        series,
        rows,
        f"{knees.PERCENT} of the requests took no longer, {shown}",
        knees.PERCENT,
        marks=marks,
        among=[one.environment for one in of],
    )
    where = knees.group(of[0])
    told = "; ".join(f"{one.environment} {knees.place(one)}" for one in of)
    intervals = any(row["low"] is not None for row in rows)
    bands = any(mark["from"] is not None for mark in marks)
    return Figure(
        made.spec,
        f"{where}latency ({knees.PERCENT}) of {made.alternative}; knees: {told}",
        f"{where}{curves.title(series)}: the time that {knees.PERCENT} of the requests took at most, from when they "
        "were due, over the offered rate. Geometric means over the blocks"
        f"{' with 95 % intervals' if intervals else ''}, logarithmic. Dashed: the knee."
        f"{' Band: its interval.' if bands else ''}",
    )


def _end(of: Middle, end: float | None, outermost: float) -> float | None:
    """An end of the interval: the outermost rate where nothing bounds it; None with too few blocks for an interval."""
    if of.n < MIN_BLOCKS:
        return None
    return outermost if end is None else end


def _estimates(of: Knee) -> dict[float, Estimate]:
    """The latencies by rate, s."""
    return {rate: one.estimate for rate, one in of.latencies.items()}


def _between(of: Mapping[float, Estimate], rate: float) -> float:
    """The latency on the line between two rates, both logarithmic."""
    below, above = max(one for one in of if one <= rate), min(one for one in of if one >= rate)
    if below == above:
        return of[below].value
    share = math.log(rate / below) / math.log(above / below)
    return math.exp((1 - share) * math.log(of[below].value) + share * math.log(of[above].value))
