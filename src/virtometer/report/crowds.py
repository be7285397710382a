"""Several guests at once, as the page and the terminal show them: a part for each scenario, with tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table
from rich.text import Text

from virtometer.analysis import Analysis
from virtometer.analysis.groups.estimates import Group, MemberEstimate
from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.scenarios import Scaling
from virtometer.model import Estimate, TrialRecord
from virtometer.report import crowd_figures, words
from virtometer.report.figures import Figure
from virtometer.report.html_tables import HtmlTable

_TYPES = {
    "together": "Guests with the same work at once",
    "loaded": "One guest measured while others load the host",
    "pair": "Network between two guests",
    "matrix": "Network between every two of several guests",
    "mixed": "Several workloads at once in each guest",
    "instances": "Copies of one workload within one guest",
}
ABOUT = (
    "Against one, ideal and baseline: the sum of the guests by the rate of one guest alone in the same block, by what "
    "the processors allow when they are shared fairly, and by the baseline. Slowdown: the rate alone by that beside "
    "others. All intervals are 95 %; those of guests, shares and cells of one table hold together."
)
_MOST_COLUMNS = 8  # guests that have a column of their own


@dataclass(frozen=True, slots=True)
class Part:
    """One scenario: what it is, figures, wide figures, tables, sentences."""

    name: str
    about: str
    figures: tuple[Figure, ...]
    lines: tuple[Figure, ...]
    tables: tuple[HtmlTable, ...]
    notes: tuple[tuple[str, str], ...]


def parts(analysis: Analysis) -> list[Part]:
    """One for each scenario of several guests, and one for the matrix of interference of all loaded ones."""
    together = analysis.together
    made = []
    for scenario in analysis.campaign.plan.scenarios:
        groups = [group for group in together.groups if group.scenario == scenario.name]
        matrices = [one for one in together.matrices if one.scenario == scenario.name]
        if groups or matrices:
            made.append(_part(analysis, scenario.name, scenario.type, groups, matrices))
    for one in together.matrices:
        if ", " in one.scenario and all(one.scenario != part.name for part in made):
            made.append(_of_matrices("Interference", "Every victim beside every load", [one]))
    return made


def _part(analysis: Analysis, name: str, kind: str, groups: Sequence[Group], matrices: Sequence[Matrix]) -> Part:
    scalings = [one for one in analysis.together.scalings if one.scenario == name]
    workloads = list(dict.fromkeys(group.workload for group in groups))
    drawn = [crowd_figures.growth([group for group in groups if group.workload == one]) for one in workloads]
    drawn += [crowd_figures.host_time(groups), *map(crowd_figures.heat, matrices)]
    example = _example(analysis, name)
    line = None if example is None else crowd_figures.time_line(analysis, example)
    tables = [table for one in workloads for table in _tables([group for group in groups if group.workload == one])]
    tables += [_scaling(scalings)] if any(one.law for one in scalings) else []
    tables += [_matrix(one) for one in matrices]
    notes = [(_name(group), note) for group in groups for note in group.notes]
    notes += [(one.workload or one.scenario, note) for one in matrices for note in one.notes]
    return Part(
        name,
        _TYPES[kind],
        tuple(one for one in drawn if one is not None),
        () if line is None else (line,),
        tuple(tables),
        tuple(dict.fromkeys(notes)),
    )


def _of_matrices(name: str, about: str, matrices: Sequence[Matrix]) -> Part:
    drawn = tuple(one for one in map(crowd_figures.heat, matrices) if one is not None)
    notes = tuple((one.scenario, note) for one in matrices for note in one.notes)
    return Part(name, about, drawn, (), tuple(map(_matrix, matrices)), notes)


def _example(analysis: Analysis, scenario: str) -> TrialRecord | None:
    """The first trial of a scenario with the most placements."""
    found = [one for one in analysis.campaign.trials if one.trial.scenario == scenario and one.failure is None]
    return max(found, key=lambda record: len(record.scored), default=None)


def _tables(groups: Sequence[Group]) -> list[HtmlTable]:
    """What was reached, how that compares, how fair it was, and guest by guest."""
    several = [group for group in groups if len(group.members) > 1]
    made = [_reached(groups), _compared(groups)]
    made += [_fair(fair)] if (fair := [group for group in several if len(_measured(group)) > 1]) else []
    return [*made, _guests(several)] if several else made


def _measured(group: Group) -> list[MemberEstimate]:
    return [one for one in group.members if one.role == "measured"]


def _reached(groups: Sequence[Group]) -> HtmlTable:
    workload, unit = groups[0].workload, groups[0].unit
    most = min(max(len(_measured(group)) for group in groups), _MOST_COLUMNS)
    rows = []
    for group in groups:
        values = [_quantity(one.value, one.unit) for one in _measured(group)]
        shown = [*values[: most - 1], f"… and {len(values) - most + 1} more"] if len(values) > most else values
        rows.append(
            (
                _place(group),
                str(group.guests),
                *shown,
                *[""] * (most - len(shown)),
                _quantity(group.sum, unit),
                _quantity(group.mean, group.mean_unit),
                _quantity(group.ideal, unit),
            )
        )
    columns = ("environment", "guests", *(f"guest {number}" for number in range(1, most + 1)), "sum", "mean", "ideal")
    caption = f"{workload}: what each guest reached, the sum, the mean, and what the processors allow"
    return HtmlTable(caption, columns, rows, frozenset(range(1, len(columns))))


def _compared(groups: Sequence[Group]) -> HtmlTable:
    rows = []
    for group in groups:
        base = f" ({group.baseline_guests})" if group.against_baseline is not None else ""
        rows.append(
            (
                _place(group),
                str(group.guests),
                _ratio(group, group.against_one),
                _ratio(group, group.against_ideal),
                words.estimate(group.against_baseline) + base,
                _ratio(group, _slowest(group)),
                _ratio(group, group.cost_against_one),
                _skew(group),
                words.quantity(group.overlap_s, "s"),
            )
        )
    columns = (
        "environment", "guests", "against one", "against ideal", "against baseline (guests)", "slowdown of the slowest",
        "host CPU by work, against one", "start skew p99", "stretch",
    )  # fmt: skip
    caption = f"{groups[0].workload}: efficiency of the sum, slowdown, and what it costs the host"
    return HtmlTable(caption, columns, rows, frozenset(range(1, len(columns))))


def _fair(groups: Sequence[Group]) -> HtmlTable:
    rows = [
        (
            _place(group),
            str(group.guests),
            f"{fair.ideal_share:.3g}",
            _number(fair.worst_share),
            _number(fair.max_over_min),
            _number(fair.cv),
            _number(fair.jain),
        )
        for group in groups
        if (fair := group.fairness) is not None
    ]
    columns = ("environment", "guests", "ideal share", "worst share", "max/min", "CV", "Jain")
    return HtmlTable(f"{groups[0].workload}: fairness within a trial", columns, rows, frozenset(range(1, 7)))


def _guests(groups: Sequence[Group]) -> HtmlTable:
    rows = [
        (
            _name(group),
            one.guest + ("" if one.role == "measured" else f" ({one.role}: {one.workload})"),
            _quantity(one.value, one.unit),
            _number(one.share),
            words.estimate(one.slowdown),
            "" if one.host_cpu_s is None else words.quantity(max(one.host_cpu_s, 1e-9), "s"),
            "" if one.processors is None else words.significant(one.processors),
        )
        for group in groups
        for one in group.members
    ]
    columns = ("group", "guest", "value", "share", "slowdown", "host CPU", "processors' worth")
    return HtmlTable(f"{groups[0].workload}: guest by guest", columns, rows, frozenset(range(2, 7)))


def _slowest(group: Group) -> Estimate | None:
    """The slowdown of the measured guest that was slowed down most."""
    found = [one.slowdown for one in _measured(group) if one.slowdown is not None]
    return max(found, key=lambda one: one.value, default=None)


def _scaling(of: Sequence[Scaling]) -> HtmlTable:
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
    return HtmlTable("The universal scalability law, and the sums without it", columns, rows, frozenset({2, 3, 4, 5}))


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


def _matrix(of: Matrix) -> HtmlTable:
    slow = of.of == "slowdown"
    rows = [
        (
            name,
            *(
                "" if cell is None else words.estimate(cell) if slow else _quantity(cell, of.unit)
                for cell in of.cells[at]
            ),
        )
        for at, name in enumerate(of.rows)
    ]
    what = "slowdown of the rows by the columns" if slow else "from row to column"
    caption = f"{of.workload or of.scenario}: {what}, with intervals"
    columns = ("victim" if slow else "source", *of.columns)
    return HtmlTable(caption, columns, rows, frozenset(range(1, len(columns))))


def _name(group: Group) -> str:
    return f"{_place(group)}, {group.workload}" if group.type == "pair" else f"{_times(group)}, {group.workload}"


def _times(group: Group) -> str:
    return f"{group.environment} × {group.guests}"


def _place(group: Group) -> str:
    """The environment; of a pair the guest that is measured, because both ways are measured."""
    return f"from {group.members[0].guest}" if group.type == "pair" else group.environment


def _ratio(group: Group, of: Estimate | None) -> str:
    """A comparison with one guest alone, which is 1 by definition for that guest itself."""
    return (
        "1" if of is not None and group.guests == 1 and group.type in ("together", "instances") else words.estimate(of)
    )


def _skew(group: Group) -> str:
    """Empty where there was one start."""
    return words.quantity(group.skew_p99_ns * 1e-9, "s") if group.skew_p99_ns > 0 else ""


def _quantity(of: Estimate | None, unit: str) -> str:
    """A value in its unit with its interval, in per cent of it."""
    if of is None:
        return ""
    value = words.quantity(of.value, unit)
    if of.low is None or of.high is None:
        return value
    return f"{value} ±{words.significant(100 * (of.high - of.low) / 2 / of.value, 2)} %"


def _number(of: Estimate | None) -> str:
    """A figure that may be 0, with its interval."""
    if of is None:
        return ""
    value = words.significant(of.value)
    if of.low is None or of.high is None:
        return value
    return f"{value} [{words.significant(of.low)}, {words.significant(of.high)}]"


def terminal(analysis: Analysis) -> list[Table | Text]:
    """What the terminal shows: a table for each scenario, one for each matrix, and the sentences that matter most."""
    together = analysis.together
    shown: list[Table | Text] = []
    for scenario in dict.fromkeys(group.scenario for group in together.groups):
        groups = [group for group in together.groups if group.scenario == scenario]
        headings = dict.fromkeys(map(_heading, groups))
        for heading in headings:
            of = [group for group in groups if _heading(group) == heading]
            shown.append(_terminal_table(f"{scenario}: {heading}", of))
            shown += [Text(f" {_name(one)}: {'; '.join(one.notes)}", style="dim") for one in of if one.notes]
    for one in together.matrices:
        matrix = _matrix(one)
        made = _table(f"{one.scenario}: {matrix.caption}")
        for number, column in enumerate(matrix.columns):
            made.add_column(Text(column), justify="right" if number else "left", overflow="fold")
        for row in matrix.rows:
            made.add_row(*map(Text, row))
        shown += [made, *(Text(f" {note}", style="dim") for note in one.notes)]
    return shown


def _heading(group: Group) -> str:
    return f"{group.workload} {_place(group) if group.type == 'pair' else f'in {group.environment}'}"


def _terminal_table(title: str, groups: Sequence[Group]) -> Table:
    made = _table(title)
    for name in ("guests", "sum", "of ideal", "slowdown", "worst share", "max/min", "skew p99"):
        made.add_column(name, justify="right", overflow="fold")
    for group in groups:
        fair = group.fairness if group.guests > 1 and group.type not in ("loaded", "pair") else None
        cells = (
            str(group.guests),
            _quantity(group.sum, group.unit),
            _ratio(group, group.against_ideal),
            _ratio(group, _slowest(group)),
            f"{words.significant(fair.worst_share.value)} of {fair.ideal_share:.3g}" if fair else "",
            words.significant(fair.max_over_min.value) if fair and fair.max_over_min else "",
            _skew(group),
        )
        made.add_row(*map(Text, cells))
    return made


def _table(title: str) -> Table:
    return Table(
        title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False,
        header_style="bold", collapse_padding=True,
    )  # fmt: skip
