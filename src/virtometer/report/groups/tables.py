"""The tables of groups of guests, on the page and in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.fairness import FairnessEstimates
from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.member_estimates import CPU_PARTS, MemberEstimate
from virtometer.analysis.groups.order import Rank
from virtometer.analysis.groups.scenarios import Scaling
from virtometer.counted import counted
from virtometer.model import Estimate
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable

_LEAST_S = 5e-4  # of CPU time: below, a part did nothing that its readings can show
_LEAST_SHARE = 1e-6
_MOST_COLUMNS = 8  # guests that have a column of their own
_MOST_NAMES = 4  # before a note that many share; one more is named too


def tables(groups: Sequence[Group]) -> list[TextTable]:
    """What was reached, how that compares, how fair it was, and guest by guest."""
    several = [group for group in groups if len(group.members) > 1]
    made = [_reached(groups), _compared(groups)]
    made += [_fair(fair)] if (fair := [group for group in several if len(_measured(group)) > 1]) else []
    made += [_guests(several)] if several else []
    known = [group for group in groups if any(_has_parts(one) for one in group.members)]
    return [*made, _guests_cpu(known)] if known else made


def _measured(group: Group) -> list[MemberEstimate]:
    return [one for one in group.members if one.role == "measured"]


def _reached(groups: Sequence[Group]) -> TextTable:
    workload, unit = groups[0].workload, groups[0].sum.unit
    most = min(max(len(_measured(group)) for group in groups), _MOST_COLUMNS)
    rows = []
    for group in groups:
        if group.follows_alone:
            value, rate = (quantity(one.estimate, one.unit) for one in (group.alone, group.alone_rate))
            rows.append((group.environment, "alone", value, *[""] * (most - 1), rate, "", ""))
        values = [quantity(one.value.estimate, one.value.unit) for one in _measured(group)]
        shown = [*values[: most - 1], f"… and {len(values) - most + 1} more"] if len(values) > most else values
        rows.append(
            (
                place(group),
                str(group.guests),
                *shown,
                *[""] * (most - len(shown)),
                quantity(group.sum.estimate, unit),
                quantity(group.mean.estimate, group.mean.unit),
                quantity(group.ideal, unit),
            )
        )
    columns = ("environment", "guests", *(f"guest {number}" for number in range(1, most + 1)), "sum", "mean", "ideal")
    caption = f"{workload}: what each guest reached, the sum, the mean, and what the processors allow"
    return TextTable(caption, columns, rows, frozenset(range(1, len(columns))))


def _compared(groups: Sequence[Group]) -> TextTable:
    rows = []
    for group in groups:
        base = f" ({group.baseline_guests})" if group.against_baseline is not None else ""
        rows.append(
            (
                place(group),
                str(group.guests),
                ratio(group, group.against_one),
                ratio(group, group.against_ideal),
                words.estimate(group.against_baseline) + base,
                ratio(group, slowest(group)),
                cost(group),
                ratio(group, group.cost_against_one),
                skew(group),
                "" if group.overlap_s is None else words.quantity(group.overlap_s, "s"),
                "" if group.watch_share is None else percent(group.watch_share),
            )
        )
    columns = (
        "environment", "guests", "against one", "against ideal", "against baseline (guests)", "slowdown of the slowest",
        "host CPU by work", "host CPU by work, against one", "start skew p99", "stretch", "watcher, of a processor",
    )  # fmt: skip
    caption = f"{groups[0].workload}: efficiency of the sum, slowdown, and what it costs the host"
    return TextTable(caption, columns, rows, frozenset(range(1, len(columns))))


def _fair(groups: Sequence[Group]) -> TextTable:
    rows = [
        (
            place(group),
            str(group.guests),
            f"{fair.ideal_share:.3g}",
            _number(fair.worst_share.estimate),
            worst_share_of_equal(fair),
            _number(fair.max_over_min and fair.max_over_min.estimate),
            _number(fair.cv.estimate),
            _number(fair.jain.estimate),
        )
        for group in groups
        if (fair := group.fairness) is not None
    ]
    columns = ("environment", "guests", "ideal share", "worst share", "of equal guests", "max/min", "CV", "Jain")
    return TextTable(f"{groups[0].workload}: fairness within a trial", columns, rows, frozenset(range(1, 8)))


def _guests(groups: Sequence[Group]) -> TextTable:
    rows = [
        (
            name(group),
            one.guest + ("" if one.role == "measured" else f" ({one.role}: {one.workload})"),
            quantity(one.value.estimate, one.value.unit),
            _number(one.share),
            "" if rank is None else words.estimate(rank.against_others),
            "" if rank is None else _worst(rank),
            words.estimate(one.slowdown),
            "" if one.host_cpu_s is None else words.quantity(max(one.host_cpu_s, 1e-9), "s"),
            "" if one.processors is None else words.significant(one.processors),
        )
        for group in groups
        for one in group.members
        for rank in (_rank(group, one),)
    ]
    columns = (
        "group", "guest", "value", "share", "against the others", "smallest rate in", "slowdown", "host CPU",
        "processors' worth",
    )  # fmt: skip
    return TextTable(f"{groups[0].workload}: guest by guest", columns, rows, frozenset(range(2, len(columns))))


def _rank(group: Group, one: MemberEstimate) -> Rank | None:
    return next((rank for rank in group.ranks if one.role == "measured" and rank.label == one.guest), None)


def _worst(rank: Rank) -> str:
    return f"{rank.worst} of {counted(rank.blocks, 'block')}"


def who_gets_less(group: Group) -> str:
    """Each guest's rate by that of the others and how often it was the smallest, a line; empty for a single guest."""
    told = [f"{one.label} {words.estimate(one.against_others)} ({one.worst} of {one.blocks})" for one in group.ranks]
    return f"rate against the others (blocks with the smallest): {'; '.join(told)}" if told else ""


def worst_share_of_equal(of: FairnessEstimates) -> str:
    """The range of the worst share of equal guests with the same noise: 0.46 to 0.48; empty where it is not known."""
    null = of.worst_share_of_equal and of.worst_share_of_equal.estimate
    if null is None or null.low is None or null.high is None:
        return ""
    low, high = words.significant(null.low), words.significant(null.high)
    return low if low == high else f"{low} to {high}"


def worst_share(group: Group) -> str:
    """What the worst share says of the guests, in a line; empty where equal guests are not known."""
    fair = group.fairness
    if fair is None or not (null := worst_share_of_equal(fair)):
        return ""
    same = "; these guests are not equal" if fair.unequal else ": no guest needs to get less"
    worst = words.significant(fair.worst_share.estimate.value)
    return f"worst share {worst}; of equal guests with this noise {null}{same}"


def cost(group: Group) -> str:
    """CPU time of the host for one unit of work, with its interval in per cent; empty where it is unknown."""
    of = group.cost
    if of is None:
        return ""
    work = group.sum.unit.removesuffix("/s")
    return words.measure(of.value, f"s/{'operation' if work == '1' else work}") + _half(of)


def used_by(group: Group, one: MemberEstimate) -> str:
    """The guest whose CPU time a member of a group reports."""
    copies = sum(other.of == one.of for other in group.members)
    return one.guest if copies == 1 else f"{one.of}, {copies} copies"


def _has_parts(one: MemberEstimate) -> bool:
    return bool(one.cpu_unknown) or any(seconds is not None for seconds in one.cpu_s.values())


def _guests_cpu(groups: Sequence[Group]) -> TextTable:
    """What was spent for what; a cell is empty where that is unknown, and the reason is beside it."""
    members = [(group, one) for group in groups for one in group.members if _has_parts(one)]
    networked = any(one.received is not None for _, one in members)
    reasons = any(one.cpu_unknown for _, one in members)
    rows = []
    for group, one in members:
        seconds = [one.host_cpu_s, *(one.cpu_s.get(name) for name in (*CPU_PARTS, "user", "system"))]
        row = [name(group), used_by(group, one), *(_seconds(each) for each in seconds)]
        if networked:
            row += ["" if rate is None else words.quantity(rate, "B/s") for rate in (one.received, one.sent)]
            row += ["" if one.dropped is None else str(one.dropped)]
        rows.append((*row, *([one.cpu_unknown] if reasons else [])))
    columns = ["group", "guest", "CPU", "guest code", "VMM", "kernel threads", "user mode", "system mode"]
    columns += ["received", "sent", "packets dropped"] if networked else []
    numbers = frozenset(range(2, len(columns)))
    return TextTable(
        f"{groups[0].workload}: CPU of the guests over the scored stretch, and what it was spent for",
        (*columns, *(["unknown, because"] if reasons else [])),
        rows,
        numbers,
    )


def _seconds(of: float | None) -> str:
    if of is None:
        return ""
    return "0 s" if of < _LEAST_S else words.quantity(of, "s")


def slowest(group: Group) -> Estimate | None:
    """The slowdown of the measured guest that was slowed down most."""
    found = [one.slowdown for one in _measured(group) if one.slowdown is not None]
    return max(found, key=lambda one: one.value, default=None)


def scaling(of: Sequence[Scaling]) -> TextTable:
    """How the work grows with the guests, by the law and without it."""
    rows = []
    for one in of:
        law, stop = one.law, one.saturation
        rows.append(
            (
                one.environment,
                one.workload,
                _number(law.sigma) if law else "",
                _number(law.kappa) if law else "",
                _peak(one),
                "" if stop is None else _stop(stop.at, stop.low, stop.high, stop.measured),
            )
        )
    columns = ("environment", "workload", "sigma", "kappa", "peak by the law, guests", "sum stops rising at")
    return TextTable("The universal scalability law, and the sums without it", columns, rows, frozenset({2, 3, 4, 5}))


def _peak(of: Scaling) -> str:
    law = of.law
    if law is None or law.peak_low is None:
        return ""
    if law.peak is None or law.peak_high is None:
        return "cannot tell"
    return f"{law.peak:.3g} [{law.peak_low:.3g}, {law.peak_high:.3g}]"


def _stop(at: int | None, low: int, high: int | None, measured: int) -> str:
    if low == measured:
        return f"still rises at {measured}"
    last = f"{high}" if high is not None else "not shown"
    return f"{at if at is not None else '?'} [{low}, {last}]"


def matrix(of: Matrix) -> TextTable:
    """A row for each victim or source, a column for each that disturbs it or receives."""
    slow = of.of.metric == "slowdown"
    rows = [
        (
            name,
            *(
                "" if cell is None else words.estimate(cell) if slow else quantity(cell, of.of.unit)
                for cell in of.cells[at]
            ),
        )
        for at, name in enumerate(of.rows)
    ]
    what = "slowdown of the rows by the columns" if slow else "from row to column"
    caption = f"{of.workload or of.scenario}: {what}, with intervals"
    columns = ("victim" if slow else "source", *of.columns)
    return TextTable(caption, columns, rows, frozenset(range(1, len(columns))))


def name(group: Group) -> str:
    """What sentences about a group begin with: who and how many, and the work."""
    return f"{place(group)}, {group.workload}" if group.type == "pair" else f"{_times(group)}, {group.workload}"


def shared_notes(notes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each note once, with the names of all that it is about; `notes` are names with one note each."""
    names: dict[str, dict[str, None]] = {}
    for name, note in notes:
        names.setdefault(note, {})[name] = None
    return [(_some(list(of)), note) for note, of in names.items()]


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMES
    return "; ".join(names) if rest <= 1 else f"{'; '.join(names[:_MOST_NAMES])} and {rest} more"


def _times(group: Group) -> str:
    return f"{group.environment} × {group.guests}"


def place(group: Group) -> str:
    """The environment; of a pair the guest that is measured, because both ways are measured."""
    return f"from {group.members[0].guest}" if group.type == "pair" else group.environment


def ratio(group: Group, of: Estimate | None) -> str:
    """A comparison with one guest alone, which is 1 by definition for that guest itself."""
    return (
        "1" if of is not None and group.guests == 1 and group.type in ("together", "instances") else words.estimate(of)
    )


def skew(group: Group, *, bound: bool = True) -> str:
    """With the bound of its error, for the clocks, where that is asked for. Empty where there was one start."""
    if group.skew_p99_ns <= 0:
        return ""
    error = f" ± {words.quantity(group.skew_bound_ns * 1e-9, 's')}" if bound and group.skew_bound_ns > 0 else ""
    return words.quantity(group.skew_p99_ns * 1e-9, "s") + error


def watcher(groups: Iterable[Group]) -> str:
    """What watching the host took, in a sentence; empty where that is unknown."""
    shares = [one.watch_share for one in groups if one.watch_share is not None]
    if not shares:
        return ""
    low, high = percent(min(shares)).removesuffix(" %"), percent(max(shares))
    return f"the watcher took {high if f'{low} %' == high else f'{low} to {high}'} of a processor"


def percent(share: float) -> str:
    """A share that watching took, with two digits."""
    return f"{words.significant(100 * share, 2)} %" if share >= _LEAST_SHARE else "0 %"


def quantity(of: Estimate | None, unit: str) -> str:
    """A value in its unit with its interval, in per cent of it."""
    if of is None:
        return ""
    return words.quantity(of.value, unit) + _half(of)


def _half(of: Estimate) -> str:
    """Half of the interval in per cent of the value; empty without one."""
    if of.low is None or of.high is None:
        return ""
    return f" ±{words.significant(100 * (of.high - of.low) / 2 / of.value, 2)} %"


def _number(of: Estimate | None) -> str:
    """A figure that may be 0, with its interval."""
    if of is None:
        return ""
    value = words.significant(of.value)
    if of.low is None or of.high is None:
        return value
    return f"{value} [{words.significant(of.low)}, {words.significant(of.high)}]"
