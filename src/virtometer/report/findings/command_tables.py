"""Tables of the user's commands, for the page and the terminal alike: runs, empty programs, cold guests, conditions."""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis import Analysis
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.describe.empty import MEASURE, WithoutEmpty
from virtometer.model import Estimate, Finding, Quantity
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable

USED = {"wall": "time", "user": "user", "system": "system", "memory": "memory"}
"""What one run uses beside its own result: the measure, and the heading. Memory is the larger one of two measures."""

_MEMORY = ("held-memory", "peak-memory")
"""Most memory of all processes at once, as it was seen; the peak of the largest one."""


def runs(analysis: Analysis) -> TextTable | None:
    """What one run takes, a row for each command and environment with a value. None without such a command."""
    measures = analysis.command_measures
    names = {name for name, _ in measures}
    found = [one for one in analysis.findings if one.workload in names and one.value.estimate is not None]
    if not found:
        return None
    valued = any("wall" in measures.get((one.workload, one.subject), {}) for one in found)
    used = {name: heading for name, heading in USED.items() if valued or name != "wall"}
    rows = [
        (one.workload, one.subject, words.value(one.value), *_used(one, measures, used), _efficiency(one))
        for one in found
    ]
    return TextTable(
        "One run",
        ("command", "where", "value" if valued else "time", *used.values(), "efficiency"),
        rows,
        frozenset(range(2, 3 + len(used))),
    )


def _efficiency(one: Finding) -> str:
    return "1" if one.subject == one.ratio.reference else words.efficiency(one)


def _used(one: Finding, measures: Mapping[Key, Mapping[str, Quantity[Estimate]]], used: Mapping[str, str]) -> list[str]:
    known = measures.get((one.workload, one.subject), {})
    return [used_words(known, name) for name in used]


def used_words(known: Mapping[str, Quantity[Estimate]], name: str) -> str:
    """What USED names, of a command in an environment: memory in MB; empty where it is not known."""
    names = _MEMORY if name == "memory" else (name,)
    of = max((known[each] for each in names if each in known), key=lambda one: one.estimate.value, default=None)
    if of is None:
        return ""
    if of.unit == "B":
        return f"{words.significant(of.estimate.value / 1e6)} MB"
    return words.quantity(of.estimate.value, of.unit) if of.estimate.value > 0 else "0"


def between(analysis: Analysis) -> TextTable | None:
    """A row for each further command, a column for each environment. None without a further command."""
    of = analysis.commands
    if not of:
        return None
    first = next(iter(of.values()))
    timed = first.metric.startswith("time ")
    what, more = ("Time of a run", "the command takes longer") if timed else ("Value", "the value is larger")
    level = words.level_words(first.estimate.level)
    return _crossed(
        f"{what} by that of `{first.reference}`: above 1 {more}; {level} interval",
        {key: words.estimate(one.estimate) for key, one in of.items()},
    )


def empty_programs(analysis: Analysis) -> TextTable | None:
    """Start of an empty program, and a reading of the clock, by environment. None where no guest reported either."""
    found, readings = starts(analysis), analysis.clock_readings
    environments = list(dict.fromkeys([*found, *readings]))
    columns = ["where", *(["time", "shortest", "longest", "guests"] if found else [])]
    columns += ["reading of the clock"] if readings else []
    rows = [
        (
            name,
            *(_start(found.get(name)) if found else []),
            *([words.quantity(readings[name], "s") if name in readings else ""] if readings else []),
        )
        for name in environments
    ]
    what = [*(["start and end of an empty program"] if found else []), *(["reading of the clock"] if readings else [])]
    caption = ", and one ".join(what).capitalize()
    return TextTable(caption, columns, rows, frozenset(range(1, len(columns)))) if rows else None


def _start(of: Quantity[Estimate] | None) -> list[str]:
    if of is None:
        return [""] * 4
    values = (of.estimate.value, of.estimate.low, of.estimate.high)
    return [*("" if value is None else words.quantity(value, of.unit) for value in values), str(of.estimate.n)]


def starts(analysis: Analysis) -> dict[str, Quantity[Estimate]]:
    """By environment, of the first command whose runs have it: it does not depend on the command."""
    found: dict[str, Quantity[Estimate]] = {}
    for (_, environment), of in analysis.command_measures.items():
        if MEASURE in of and of[MEASURE].estimate.value > 0:
            found.setdefault(environment, of[MEASURE])
    return found


def without_empty(analysis: Analysis) -> TextTable | None:
    """Efficiencies without the start of an empty program. None where the plan does not ask for them."""
    of = analysis.without_empty
    said = {key: _without(one) for key, one in of.items()}
    return _crossed("Efficiency without the start of an empty program", said, right=False) if of else None


def _without(of: WithoutEmpty) -> str:
    return of.why if of.ratio is None else words.estimate(of.ratio.estimate)


def cold(analysis: Analysis) -> TextTable | None:
    """Cold guests, a row for each command and environment. None where no run has a guest of its own."""
    rows = [
        (
            command,
            environment,
            *(words.quantity(time.estimate.value, time.unit) for time in (one.start, one.whole)),
            "1" if one.ratio is None else words.estimate(one.ratio.estimate),
        )
        for (command, environment), one in analysis.cold.items()
    ]
    heads = ("command", "where", "start", "whole", "efficiency")
    caption = "From the start of a guest to the end of the command"
    return TextTable(caption, heads, rows, frozenset({2, 3})) if rows else None


def differing(analysis: Analysis) -> TextTable | None:
    """Conditions that differ between environments, a row for each. None where none does."""
    of = analysis.circumstances
    if not of:
        return None
    environments = list(of[0].values)
    rows = [(one.name, *(one.values[environment] for environment in environments)) for one in of]
    return TextTable("What else differs for a command", ("condition", *environments), rows)


def _crossed(caption: str, cells: Mapping[Key, str], *, right: bool = True) -> TextTable:
    """Commands down, environments across."""
    environments = list(dict.fromkeys(environment for _, environment in cells))
    rows = [
        (command, *(cells.get((command, environment), "") for environment in environments))
        for command in dict.fromkeys(name for name, _ in cells)
    ]
    columns = frozenset(range(1, len(environments) + 1)) if right else frozenset[int]()
    return TextTable(caption, ("command", *environments), rows, columns)
