"""Plots over more than one workload, and of single operations: curves, surfaces, and how long the slowest took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt

from virtometer.analysis.curves.sweeps import Series
from virtometer.analysis.describe.measures import Times
from virtometer.model import Finding, PlanWorkload, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.heat_map import Colours, heat_map
from virtometer.report.parts.plot import NUMBERS, Figure, by_environment, data, finish, scale

_HEIGHT = 260
_CELL = 34
_BAR = 14  # pixels of one environment in a group of bars


def curve(of: Series, findings: Sequence[Finding]) -> Figure | None:
    """One line an environment over one number, with the 95 % interval of each value. None without two values."""
    rows = _values(of, findings)
    if len(rows) < 2:
        return None
    unit = rows[0]["unit"]
    factor, shown = scale(sorted(row["v"] for row in rows)[len(rows) // 2], unit)
    for row in rows:
        for key in ("v", "low", "high"):
            row[key] = None if row[key] is None else float(f"{row[key] / factor:.5g}")
    shown += " per operation" if unit == "s" else ""
    return lines(of, rows, shown, "geometric means over the blocks", among=_environments(findings))


def efficiency_curve(of: Series, findings: Sequence[Finding]) -> Figure | None:
    """One line an environment other than the baseline: efficiency over one number, with its interval."""
    rows: list[dict[str, Any]] = [
        {"x": at[0], **row} for row in _ratios(findings) if (at := _place_of(of, row["workload"])) is not None
    ]
    if len(rows) < 2:
        return None
    return lines(
        of,
        rows,
        f"efficiency against {findings[0].ratio.reference}",
        "efficiency",
        level=1.0,
        intervals=words.interval_level(findings),
        among=_environments(findings),
    )


def _environments(findings: Sequence[Finding]) -> list[str]:
    """All of them in the plan's order, the baseline too, also those without a value."""
    return list(dict.fromkeys(finding.subject for finding in findings))


def _ratios(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Efficiency with its interval of every comparison that has one."""
    return [
        {
            "e": finding.subject,
            "workload": finding.workload,
            "v": ratio.value,
            "low": ratio.low,
            "high": ratio.high,
            "told": words.efficiency(finding) + words.star(finding),
        }
        for finding in findings
        if (ratio := finding.decisive) is not None and finding.verdict is not Verdict.BASELINE
    ]


def lines(
    of: Series,
    rows: list[dict[str, Any]],
    title_of_values: str,
    what: str,
    level: float | None = None,
    marks: Sequence[dict[str, Any]] = (),
    intervals: str = "95 %",
    among: Sequence[str] = (),
) -> Figure:
    """Lines over the axis of a series. `level`: a value to draw a line at. marks: places on the axis, as `_marks`.

    among: as of `by_environment`.
    """
    names = list(dict.fromkeys(row["e"] for row in rows))
    values = [row["v"] for row in rows]
    log = max(values) / min(values) > 8
    (axis,) = of.axes
    places = sorted({row["x"] for row in rows})
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", base=2, nice=False)
        if places[-1] / max(places[0], 1e-9) >= 8
        else alt.Scale(zero=False),
        axis=alt.Axis(
            title=_axis_title(of, axis),
            values=_ticks(places),
            labelExpr=_LABEL if words.in_bytes(of.workload, of.op, axis) else "datum.label",
            labelFlush=False,
            grid=True,
        ),
    )
    y = alt.Y(
        "v:Q",
        scale=alt.Scale(type="log" if log else "linear", zero=not log, nice=True),
        axis=alt.Axis(title=title_of_values, format=NUMBERS, tickCount=6, grid=True),
    )
    colour, shape = by_environment(names, among)
    base = alt.Chart(data(rows), height=_HEIGHT)
    layers = alt.layer(
        *([alt.Chart(data([{"v": level}])).mark_rule(strokeDash=[3, 3], aria=False).encode(y="v:Q")] if level else []),
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=1.5, aria=False)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=1.8, aria=False).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, size=45, opacity=1, aria=False).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=["e:N", "workload:N", "told:N"]
        ),
        *(_marks(marks, x, y, colour) if marks else []),
    )
    told = "; ".join(
        f"{name} " + ", ".join(f"{place(of, axis, row['x'])}: {row['told']}" for row in rows if row["e"] == name)
        for name in names
    )
    label = title(of) if level is None else f"{what} of {title(of)}"
    shown = f"{what} with {intervals} intervals" if any(row["low"] is not None for row in rows) else what
    return Figure(
        finish(layers),
        f"{label} over {axis}: {told}",
        f"{title(of)} over {axis}, {shown}{', logarithmic' if log else ''}.",
    )


def _marks(marks: Sequence[dict[str, Any]], x: alt.X, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
    """A dashed line at each place (`x`), and a band over its interval (`from`, `to`) where its line (`v`) is."""
    base = alt.Chart(data(list(marks)), height=_HEIGHT)
    return [
        base.transform_filter("datum.from != null")
        .mark_rule(strokeWidth=9, opacity=0.3, aria=False)
        .encode(x=alt.X("from:Q"), x2="to:Q", y=y, color=colour, tooltip=["e:N", "told:N"]),
        base.mark_rule(strokeWidth=1.5, strokeDash=[5, 3], aria=False).encode(
            x=x, color=colour, tooltip=["e:N", "told:N"]
        ),
    ]


def bars(name: str, workloads: Sequence[PlanWorkload], findings: Sequence[Finding]) -> Figure | None:
    """Efficiency at each category of a sweep as grouped bars with intervals; None without two of them."""
    label = {workload.name: category(workload) for workload in workloads}
    rows: list[dict[str, Any]] = [
        {"c": label[row["workload"]], "one": 1.0, **row} for row in _ratios(findings) if row["workload"] in label
    ]
    if len(rows) < 2:
        return None
    against = findings[0].ratio.reference
    names = list(dict.fromkeys(row["e"] for row in rows))
    bounds = [value for row in rows for value in (row["v"], row["low"], row["high"], 1.0) if value is not None]
    log = max(bounds) / min(bounds) > 5
    kind: Literal["log", "linear"] = "log" if log else "linear"
    domain = [min(bounds) / 1.1, max(bounds) * 1.1] if log else [0, max(bounds) * 1.05]
    x = alt.X(
        "v:Q",
        scale=alt.Scale(type=kind, domain=domain, nice=False, zero=not log),
        axis=alt.Axis(title=f"efficiency against {against} (further right is better)", format=NUMBERS, tickCount=6),
    )
    y = alt.Y("c:N", sort=list(label.values()), axis=alt.Axis(title=None))
    beside = alt.YOffset("e:N", sort=names)
    colour, _ = by_environment(names, _environments(findings))
    base = alt.Chart(data(rows), height=alt.Step(_BAR))
    bar = base.mark_bar(aria=False).encode(
        x=x,
        x2=alt.X2("one:Q") if log else alt.X2(datum=0),
        y=y,
        yOffset=beside,
        color=colour,
        tooltip=["e:N", "c:N", "told:N"],
    )
    interval = (
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=1.5, color="var(--ink)", aria=False)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=beside)
    )
    level = alt.Chart(data([{"one": 1.0}])).mark_rule(strokeDash=[3, 3], color="var(--soft)", aria=False)
    told = "; ".join(
        f"{environment} " + ", ".join(f"{row['c']}: {row['told']}" for row in rows if row["e"] == environment)
        for environment in names
    )
    return Figure(
        finish(alt.layer(bar, level.encode(x="one:Q"), interval)),
        f"Efficiency of {name} against {against}: {told}",
        f"{name}: efficiency against {against}"
        f"{f' with {words.interval_level(findings)} intervals' if any(row['low'] is not None for row in rows) else ''}"
        f"{', logarithmic' if log else ''}.",
    )


def category(workload: PlanWorkload) -> str:
    """The levels of a combination in words, such as `read, threads 2`; of one factor the level alone."""
    parts = []
    for name in workload.levels:
        named = len(workload.levels) > 1 and name not in ("op", "size")
        parts.append(f"{name} {words.level(workload, name)}" if named else words.level(workload, name))
    return ", ".join(parts)


def surface(of: Series, findings: Sequence[Finding]) -> list[Figure]:
    """A picture an environment: colour over two numbers, the same scale in all, the value written into each place."""
    rows = _values(of, findings)
    if len(rows) < 4:
        return []
    unit = rows[0]["unit"]
    factor, shown = scale(sorted(row["v"] for row in rows)[len(rows) // 2], unit)
    low, high = min(row["v"] for row in rows) / factor, max(row["v"] for row in rows) / factor
    colours = Colours(low, high)
    first, second = of.axes
    made = []
    for name in dict.fromkeys(row["e"] for row in rows):
        cells = [
            {
                "x": place(of, second, row["y"]),
                "y": place(of, first, row["x"]),
                "v": float(f"{row['v'] / factor:.5g}"),
                "t": words.significant(row["v"] / factor, 3),
                "dark": colours.dark(row["v"] / factor),
                "workload": row["workload"],
            }
            for row in rows
            if row["e"] == name
        ]
        xs = [place(of, second, at) for at in sorted({row["y"] for row in rows})]
        ys = [place(of, first, at) for at in sorted({row["x"] for row in rows}, reverse=True)]
        across, down = _axis_title(of, second), _axis_title(of, first)
        x = alt.X("x:O", sort=xs, scale=alt.Scale(domain=xs), axis=alt.Axis(title=across, labelAngle=0))
        y = alt.Y("y:O", sort=ys, scale=alt.Scale(domain=ys), axis=alt.Axis(title=down))
        layers = heat_map(cells, x, y, shown, colours, ["workload:N", "t:N"], step=_CELL)
        told = "; ".join(f"{cell['y']} by {cell['x']}: {cell['t']}" for cell in cells)
        what = title(of)
        made.append(
            Figure(
                finish(layers),
                f"{what} in {name} over {first} and {second}, {shown}: {told}",
                f"{name}: {what} in {shown} over {first} and {second}"
                f"{', logarithmic colours' if colours.log else ''}; all environments have one scale.",
            )
        )
    return made


def slowest(name: str, times: Mapping[str, Times], among: Sequence[str] = ()) -> Figure | None:
    """How long the slowest share of the operations took, one line an environment. None without any.

    among: as of `by_environment`.
    """
    rows: list[dict[str, Any]] = []
    for environment, of in times.items():
        rows += _quantiles(environment, of)
    if not rows:
        return None
    unit_s, shown = scale(sorted(row["v"] for row in rows)[len(rows) // 2], "s")
    for row in rows:
        row["v"] = float(f"{row['v'] / unit_s:.4g}")
    colour, _ = by_environment(list(times), among)
    x = alt.X(
        "n:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            title="share of the operations that were quicker",
            values=[2, 10, 100, 1_000, 10_000, 100_000],
            labelExpr="datum.value == 2 ? '50 %' : datum.value == 10 ? '90 %' : datum.value == 100 ? '99 %' : "
            "datum.value == 1000 ? '99.9 %' : datum.value == 10000 ? '99.99 %' : '99.999 %'",
            grid=True,
        ),
    )
    y = alt.Y(
        "v:Q",
        scale=alt.Scale(type="log", nice=True),
        axis=alt.Axis(title=f"{name}, {shown}", format=NUMBERS, grid=True),
    )
    line = (
        alt.Chart(data(rows), height=_HEIGHT)
        .mark_line(strokeWidth=1.8, interpolate="step-after", aria=False)
        .encode(x=x, y=y, color=colour)
    )
    told = "; ".join(
        f"{environment} median {words.quantity(max(of.quantile(0.5), 1e-9), 's')}, 99 % "
        f"{words.quantity(max(of.quantile(0.99), 1e-9), 's')}, longest {words.quantity(max(of.quantile(1), 1e-9), 's')}"
        for environment, of in times.items()
    )
    return Figure(
        finish(alt.layer(line)),
        f"{name} of single operations: {told}",
        f"{name} of single operations, over all trials: read off how long the slowest 10 %, 1 %, 0.1 % took. "
        "Logarithmic.",
    )


def _quantiles(environment: str, times: Times) -> list[dict[str, Any]]:
    """Points of the line: one for each step of the histogram in its tail, as many as can be seen."""
    shares = [1 - 10 ** (-step / 12) for step in range(1, 73)]
    enough = [share for share in shares if times.total * (1 - share) >= 1]
    return [
        {"e": environment, "n": round(1 / (1 - share), 4), "v": max(times.quantile(share), 1e-9)}
        for share in (enough or shares[:4])
    ]


def _place_of(of: Series, workload: str) -> tuple[float, ...] | None:
    """Where a workload lies in a series."""
    return next((at for at, name in of.points.items() if name == workload), None)


def _values(of: Series, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    rows = []
    for finding in findings:
        at = _place_of(of, finding.workload)
        if at is not None and (value := finding.value.estimate) is not None and value.value > 0:
            rows.append(
                {
                    "e": finding.subject,
                    "workload": finding.workload,
                    "unit": finding.value.unit,
                    "x": at[0],
                    "y": at[1] if len(at) > 1 else None,
                    "v": value.value,
                    "low": value.low,
                    "high": value.high,
                    "told": words.value(finding.value),
                }
            )
    return rows


def title(of: Series) -> str:
    """What a series is of: the name in the plan, and what it measures."""
    fixed = ", ".join(
        f"{name} {_told(of, name, value)}" for name, value in of.fixed.items() if (name, value) != ("threads", 1)
    )
    what = f"{of.workload} {of.op}{f' ({fixed})' if fixed else ''}"
    return f"{of.name}: {what}" if not what.startswith(of.name) else what


def _told(of: Series, name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return place(of, name, value) if isinstance(value, int | float) else str(value)


def _axis_title(of: Series, axis: str) -> str:
    return f"{axis}, bytes" if words.in_bytes(of.workload, of.op, axis) else axis


def place(of: Series, axis: str, value: float) -> str:
    """A place on an axis in words: sizes with a binary prefix."""
    return words.size(value) if words.in_bytes(of.workload, of.op, axis) else f"{value:g}"


_LABEL = (
    "datum.value >= 1073741824 ? (datum.value / 1073741824) + ' G' : datum.value >= 1048576 ? "
    "(datum.value / 1048576) + ' M' : datum.value >= 1024 ? (datum.value / 1024) + ' K' : datum.value + ''"
)


def _ticks(places: Sequence[float]) -> list[float]:
    """At most nine of the places."""
    step = math.ceil(len(places) / 9)
    return list(places[::step])
