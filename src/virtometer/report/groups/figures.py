"""Plots of groups of guests: sums over their number, the host's time, matrices, and the time line of a trial."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from virtometer.analysis import Analysis
from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.member_estimates import CPU_PARTS, MemberEstimate
from virtometer.analysis.groups.reference import STATES
from virtometer.model import Run, TrialRecord
from virtometer.report.groups.tables import used_by
from virtometer.report.parts import words
from virtometer.report.parts.heat_map import Colours, heat_map
from virtometer.report.parts.plot import NUMBERS, Figure, by_environment, data, finish, scale

_HEIGHT = 280
_CELL = 40
_ROW = 30
_STATES = {
    "user": "#0072B2", "nice": "#56B4E9", "system": "#D55E00", "irq": "#E69F00", "softirq": "#CC79A7",
    "iowait": "#A6761D", "steal": "#8A8A8A", "idle": "#DDDDDD",
}  # fmt: skip
_PARTS = {"guest code": "#0072B2", "VMM": "#D55E00", "kernel threads": "#E69F00"}
_PART_NAMES = dict(zip(CPU_PARTS, _PARTS, strict=True))
_MOST_BARS = 24  # of single guests
_BAR = 15  # height of a bar that lies
_LONG_LABEL = 26  # characters of all labels below a plot, three times; with more the bars lie


def growth(of: Sequence[Group], among: Sequence[str]) -> Figure | None:
    """Sum, ideal and single guests over the number of guests, one colour an environment. None with one number.

    of: groups of one scenario and workload. among: as of `by_environment`.
    """
    known = [group for group in of if group.sum.estimate is not None]
    if len({group.guests for group in known}) < 2:
        return None
    sums = sorted(group.sum.estimate.value for group in known if group.sum.estimate is not None)
    factor, unit = scale(sums[len(sums) // 2], known[0].sum.unit)
    rows: list[dict[str, Any]] = []
    ideals: list[dict[str, Any]] = []
    guests: list[dict[str, Any]] = []
    for group in known:
        total = group.sum.estimate
        assert total is not None
        at = {"e": group.environment, "x": group.guests}
        bounds = {name: bound and _short(bound / factor) for name, bound in (("low", total.low), ("high", total.high))}
        rows.append({**at, "v": _short(total.value / factor), **bounds})
        if group.ideal is not None:
            ideals.append({**at, "v": _short(group.ideal.value / factor)})
        for one in group.members:
            if one.role == "measured" and one.share is not None:
                guests.append({**at, "v": _short(one.share.value * total.value / factor), "g": one.guest})
    names = list(dict.fromkeys(group.environment for group in known))
    counts = sorted({group.guests for group in known})
    colour, shape = by_environment(names, among)
    most = max(row["v"] for row in [*rows, *ideals])
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[counts[0] - 0.25, counts[-1] + 0.25], nice=False),
        axis=alt.Axis(title="guests at once", values=counts, format="d", grid=False),
    )
    y = alt.Y(
        "v:Q",
        scale=alt.Scale(domain=[0, most * 1.08], nice=False),
        axis=alt.Axis(title=unit, format=NUMBERS, grid=True, tickCount=6),
    )
    base = alt.Chart(data(rows), height=_HEIGHT)
    layers = [
        alt.Chart(data(ideals))
        .mark_line(strokeDash=[5, 4], strokeWidth=1.3, aria=False)
        .encode(x=x, y=y, color=colour),
        base.transform_filter("datum.low != null")
        .mark_rule(strokeWidth=1.5, aria=False)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=2, aria=False).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, size=50, opacity=1, aria=False).encode(x=x, y=y, color=colour, shape=shape),
        alt.Chart(data(guests))
        .mark_tick(orient="horizontal", size=14, thickness=1.6, aria=False)
        .encode(x=x, y=y, color=colour, tooltip=["g:N", "v:Q"]),
    ]
    told = "; ".join(
        f"{name} " + ", ".join(f"{row['x']}: {words.significant(row['v'])}" for row in rows if row["e"] == name)
        for name in names
    )
    return Figure(
        finish(alt.layer(*layers)),
        f"Sum of {known[0].workload} over the number of guests, {unit}: {told}",
        f"{known[0].workload}: sum of the guests with its 95 % interval (lines), what the processors allow (dashed), "
        "and each guest (short strokes).",
    )


def host_time(of: Sequence[Group]) -> Figure | None:
    """What the host's processors did, stacked, one bar for each group of a scenario. None where it is not known."""
    known = [group for group in of if group.host]
    several = len({group.workload for group in known}) > 1
    stacks: dict[str, dict[str, float]] = {}
    for group in known:
        if group.follows_alone and group.alone_host:
            label = f"{group.environment} alone" + (f", {group.workload}" if several else "")
            stacks[label] = dict(group.alone_host)
        label = f"{group.environment} × {group.guests}" + (f", {group.workload}" if several else "")
        stacks.setdefault(label, {state: group.host.get(state, 0.0) for state in STATES})
    return _stacked(
        stacks,
        _STATES,
        "Host processors over the scored stretch",
        "What the host's processors did over the scored stretch, mean of the trials.",
    )


def guests_time(of: Sequence[Group]) -> Figure | None:
    """What the CPU time of guests was spent for, stacked, one bar for each guest. None where nothing is known of it."""
    known = [group for group in of if any(_has_parts(one) for one in group.members)]
    if not known or sum(len(group.members) for group in known) > _MOST_BARS:
        return None
    several = len({group.workload for group in known}) > 1
    stacks: dict[str, dict[str, float]] = {}
    for group in known:
        for one in filter(_has_parts, group.members):
            whose = used_by(group, one)
            label = f"{whose} of {group.guests}" if whose == one.guest else whose
            label += f", {group.workload}" if several else ""
            total = one.processors or 0.0
            whole = math.fsum(one.cpu_s[part] or 0.0 for part in CPU_PARTS)
            stacks.setdefault(
                label,
                {name: total * (one.cpu_s[part] or 0.0) / max(whole, 1e-9) for part, name in _PART_NAMES.items()},
            )
    return _stacked(
        stacks,
        _PARTS,
        "CPU of the guests over the scored stretch",
        "What the CPU time of each guest was spent for over the scored stretch, median of the trials.",
    )


def _has_parts(one: MemberEstimate) -> bool:
    return all(one.cpu_s.get(part) is not None for part in CPU_PARTS) and one.processors is not None


def _stacked(
    stacks: Mapping[str, Mapping[str, float]], colours: Mapping[str, str], about: str, caption: str
) -> Figure | None:
    """Processors' worth by state, stacked, one bar for each label. None without bars."""
    if not stacks:
        return None
    labels = list(stacks)
    rows: list[dict[str, Any]] = [
        {"c": label, "s": state, "o": at, "v": _short(worth[state])}
        for label, worth in stacks.items()
        for at, state in enumerate(colours)
    ]
    total = max(sum(row["v"] for row in rows if row["c"] == label) for label in labels)
    scale = alt.Scale(domain=[0, max(math.ceil(total - 0.05), 1)], nice=False)
    worth = alt.Axis(title="processors' worth", format=NUMBERS, grid=True)
    axes: dict[str, alt.X | alt.Y]
    if max(map(len, labels)) * len(labels) > _LONG_LABEL * 3:  # names would cover each other below the bars
        height = _BAR * len(labels)
        names = alt.Axis(title=None, labelLimit=260, ticks=False)
        axes = {
            "x": alt.X("v:Q", stack="zero", scale=scale, axis=worth),
            "y": alt.Y("c:N", sort=labels, axis=names),
        }
    else:
        height = _HEIGHT - 40
        names = alt.Axis(title=None, labelAngle=0, ticks=False)
        axes = {
            "x": alt.X("c:N", sort=labels, axis=names),
            "y": alt.Y("v:Q", stack="zero", scale=scale, axis=worth),
        }
    bars = (
        alt.Chart(data(rows), height=height)
        .mark_bar(aria=False)
        .encode(
            **axes,
            color=alt.Color(
                "s:N",
                sort=list(colours),
                scale=alt.Scale(domain=list(colours), range=list(colours.values())),
                legend=alt.Legend(title=None, orient="top", labelColor="var(--ink)", columns=4),
            ),
            order=alt.Order("o:Q"),
            tooltip=["c:N", "s:N", "v:Q"],
        )
    )
    told = "; ".join(
        f"{label} " + ", ".join(f"{row['s']} {row['v']:.2g}" for row in rows if row["c"] == label and row["v"] >= 0.005)
        for label in labels
    )
    return Figure(
        finish(alt.layer(bars)),
        f"{about}: {told}",
        caption,
    )


def heat(of: Matrix) -> Figure | None:
    """A matrix as colours with the value written into each cell. None without a value."""
    values = [cell.value for row in of.cells for cell in row if cell is not None]
    if not values:
        return None
    factor, unit = (
        (1.0, "times slower") if of.of.metric == "slowdown" else scale(sorted(values)[len(values) // 2], of.of.unit)
    )
    low, high = min(values) / factor, max(values) / factor
    colours = Colours(low, high)
    if not colours.log:  # from what means nothing happened: small differences must not look large
        colours.low, colours.high = (min(low, 1.0), max(high, 1.5)) if of.of.metric == "slowdown" else (0.0, high)
    cells: list[dict[str, Any]] = []
    for at, row in enumerate(of.cells):
        for across, cell in enumerate(row):
            value = None if cell is None else cell.value / factor
            share = of.shares[at][across] if of.shares else None
            text = "" if value is None else words.significant(value)
            cells.append(
                {
                    "r": of.rows[at],
                    "c": of.columns[across],
                    "v": None if value is None else _short(value),
                    "t": text + (f" at {100 * share:.0f} %" if share is not None and text else ""),
                    "dark": value is not None and colours.dark(value),
                }
            )
    rows, columns = list(of.rows), list(of.columns)
    across_title, down_title = ("load", "victim") if of.of.metric == "slowdown" else ("target", "source")
    x = alt.X(
        "c:N",
        sort=columns,
        scale=alt.Scale(domain=columns),
        axis=alt.Axis(title=across_title, labelAngle=0, labelLimit=260, ticks=False, orient="top"),
    )
    y = alt.Y("r:N", sort=rows, scale=alt.Scale(domain=rows), axis=alt.Axis(title=down_title))
    layers = heat_map(cells, x, y, unit, colours, ["t:N"], step=_CELL)
    told = "; ".join(f"{cell['r']} by {cell['c']}: {cell['t'] or 'not measured'}" for cell in cells)
    what = (
        "Slowdown of the rows by the load of the columns"
        if of.of.metric == "slowdown"
        else f"{of.workload}, row to column"
    )
    measured = ", at the measured part of the host's processor time" if any(map(any, of.shares)) else ""
    return Figure(
        finish(layers),
        f"{what}, {unit}: {told}",
        f"{what}, {unit}{measured}{', logarithmic colours' if colours.log else ''}. Empty: not measured.",
    )


def time_line(analysis: Analysis, record: TrialRecord) -> Figure | None:
    """One trial: guests as rows, from the first to the last sample of each window, with the scored stretches shaded.

    None where the times of its samples on the host are not known.
    """
    runs = [run for run in record.scored if run.scored.clock.compared and run.samples]
    runs.sort(key=lambda run: (run.placement.role != "measured", run.placement.guest, run.placement.instance))
    measured = [run for run in runs if run.placement.role == "measured"]
    if len(runs) < 2 or not measured:
        return None
    spans = {run.placement.ordinal: _spans(analysis, run) for run in runs}
    zero = min(begin for some in spans.values() for begin, _ in some.values())
    rows: list[dict[str, Any]] = [
        {
            "g": f"{run.placement.guest_key.name}: {run.placement.workload}"
            + (f" (copy {run.placement.instance})" if run.placement.instance > 1 else ""),
            "from": (begin - zero) * 1e-9,
            "to": (end - zero) * 1e-9,
            "k": run.placement.role,
        }
        for run in runs
        for begin, end in spans[run.placement.ordinal].values()
    ]
    stretch = [
        {"from": (begin - zero) * 1e-9, "to": (end - zero) * 1e-9} for begin, end in _stretches(analysis, measured)
    ]
    names = list(dict.fromkeys(row["g"] for row in rows))
    last = max(row["to"] for row in rows)
    x = alt.X(
        "from:Q",
        scale=alt.Scale(domain=[min(0.0, stretch[0]["from"]), last], nice=False),
        axis=alt.Axis(title="host time, s", format=NUMBERS),
    )
    y = alt.Y(
        "g:N", sort=names, scale=alt.Scale(domain=names, paddingInner=0.35), axis=alt.Axis(title=None, labelLimit=280)
    )
    bars = (
        alt.Chart(data(rows), height=alt.Step(_ROW))
        .mark_bar(aria=False)
        .encode(
            x=x,
            x2="to:Q",
            y=y,
            color=alt.Color(
                "k:N",
                scale=alt.Scale(domain=["measured", "load"], range=["#0072B2", "#E69F00"]),
                legend=alt.Legend(title=None, orient="top", labelColor="var(--ink)"),
            ),
        )
    )
    shade = (
        alt.Chart(data(stretch)).mark_rect(color="var(--band)", opacity=1, aria=False).encode(x=x, x2=alt.X2("to:Q"))
    )
    edges = [{"at": one[side]} for one in stretch for side in ("from", "to")]
    lines = (
        alt.Chart(data(edges))
        .mark_rule(color="var(--ink)", strokeDash=[3, 3], aria=False)
        .encode(x=alt.X("at:Q", scale=alt.Scale(domain=[min(0.0, stretch[0]["from"]), last], nice=False)))
    )
    of_guests = {name: [row for row in rows if row["g"] == name] for name in names}
    told = "; ".join(f"{name} {_told(some)}" for name, some in of_guests.items())
    scored = _told(stretch)
    return Figure(
        finish(alt.layer(shade, bars, lines)),
        f"Time line of trial {record.trial.index}: {told}; scored {scored}",
        f"Trial {record.trial.index} of block {record.trial.block + 1}: when each guest worked. Scored: {scored}, "
        "between the dashed lines, where all measured guests worked.",
    )


def _told(spans: Sequence[Mapping[str, Any]]) -> str:
    """From when to when, and in how many windows where these are several."""
    windows = f"in {len(spans)} windows from " if len(spans) > 1 else ""
    return f"{windows}{spans[0]['from']:.4g} to {spans[-1]['to']:.4g} s"


def _spans(analysis: Analysis, run: Run, *, used: bool = False) -> dict[int | None, tuple[float, float]]:
    """Host ns from the start of the first sample to the end of the last, by window; of a run without windows: None.

    used: of samples that are used.
    """
    of = analysis.samples(run).intervals
    found: dict[int | None, tuple[float, float]] = {}
    for sample, start_ns, end_ns in zip(run.samples, of.start_ns.tolist(), of.end_ns.tolist(), strict=True):
        if sample.used or not used:
            begin, end = found.get(sample.slice, (start_ns, end_ns))
            found[sample.slice] = min(begin, start_ns), max(end, end_ns)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _stretches(analysis: Analysis, measured: Sequence[Run]) -> list[tuple[float, float]]:
    """Host ns from begin to end of what is scored, for each window."""
    if not any(run.in_slices for run in measured):
        begin = max(run.scored.window_start_host_ns for run in measured)
        return [(begin, min(run.scored.window_end_host_ns for run in measured))]
    spans = [_spans(analysis, run, used=True) for run in measured]
    windows = [window for window in spans[0] if all(window in one for one in spans)]
    return [(max(one[window][0] for one in spans), min(one[window][1] for one in spans)) for window in windows]


def _short(value: float) -> float:
    return float(f"{value:.5g}")
