"""Runs of the user's commands in the formats of hyperfine 1 and 2, so that its readers and scripts can take them.

Each command has a result for each environment, with every timed run in host time, in the order of execution. A run that
other programs disturbed is among them, as in hyperfine: the table of the campaign leaves it out. The second guest of
the baseline, the control, is not. docs/methods/commands.md lists the fields.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from virtometer.analysis import Analysis
from virtometer.analysis.compare.commands import names_of
from virtometer.analysis.describe.measures import in_host_time
from virtometer.analysis.describe.samples import timed_samples
from virtometer.errors import UsageError
from virtometer.model import Excluded, Run
from virtometer.report.machine.tables import csv_table
from virtometer.visible import visible

ENVIRONMENT = "environment"
"""The parameter that has the name of the environment, where there are several."""

Parameters = Mapping[str, Mapping[str, str]]
"""Of each command, by its name: the values of the parameters that it was made with."""

_NUMBERS = ("mean", "stddev", "median", "user", "system", "min", "max")
_TIMED = (None, Excluded.DISTURBED)


@dataclass(frozen=True, slots=True)
class OfGuest:
    """Runs of one guest. times: s, of each. user, system: s, means of the runs. peak: the largest memory of any, bytes.

    exit_code: of its runs; None where a signal ended one. The agent reports all but the times for a guest, and not for
    each run. peak is None where it is unknown.
    """

    times: Sequence[float]
    user: float
    system: float
    peak: float | None = None
    exit_code: int | None = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A command in an environment. guests: with one run at least."""

    command: str
    guests: Sequence[OfGuest]
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def times(self) -> list[float]:
        """Seconds of each run."""
        return [one for guest in self.guests for one in guest.times]

    @property
    def exit_codes(self) -> list[int | None]:
        """That of each run: the one of its guest."""
        return [guest.exit_code for guest in self.guests for _ in guest.times]

    @property
    def numbers(self) -> dict[str, float | None]:
        """Statistics of the times, and means of the processor times, s."""
        runs = [len(guest.times) for guest in self.guests]
        user, system = (
            statistics.fmean(of, weights=runs)
            for of in zip(*((one.user, one.system) for one in self.guests), strict=True)
        )
        found = _statistics(self.times) | {"user": user, "system": system}
        return {name: found[name] for name in _NUMBERS}


def results(analysis: Analysis, parameters: Parameters | None = None) -> list[Result]:
    """The results of a campaign, by command and then by environment, in the plan's order.

    Raises UsageError for a campaign that times no command.
    """
    plan = analysis.campaign.plan
    names = names_of(analysis.campaign)
    if not names:
        raise UsageError("the campaign times no command, which is all that hyperfine's formats have")
    runs: dict[tuple[str, str], list[Run]] = {}
    for record in analysis.alone:
        for run in record.scored:
            if run.placement.guest == 1:
                runs.setdefault((run.placement.workload, run.placement.environment), []).append(run)
    given = parameters or {}
    # Scripts that plot a result against its parameter take exactly one parameter.
    several = len(plan.environments) > 1
    found = []
    for name in names:
        for environment in plan.environments:
            of = runs.get((name, environment.name), [])
            if guests := [guest for guest in map(_of_guest, of) if guest.times]:
                values = {**given.get(name, {}), **({ENVIRONMENT: environment.name} if several else {})}
                found.append(Result(f"{name} ({environment.name})", guests, values))
    return found


def json_text(found: Sequence[Result]) -> str:
    """All that is known of each result, as JSON."""
    made = [
        {
            "command": one.command,
            **one.numbers,
            "times": one.times,
            "exit_codes": one.exit_codes,
            "parameters": dict(one.parameters),
        }
        for one in found
    ]
    return json.dumps({"results": made}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def csv_text(found: Sequence[Result]) -> str:
    """A row for each result, without its single runs. The standard deviation of a single run is 0 there."""
    names = list(dict.fromkeys(name for one in found for name in one.parameters))
    rows = (
        {"command": one.command}
        | {name: 0.0 if value is None else value for name, value in one.numbers.items()}
        | {f"parameter_{name}": value for name, value in one.parameters.items()}
        for one in found
    )
    return csv_table(["command", *_NUMBERS, *(f"parameter_{name}" for name in names)], rows)


def markdown(found: Sequence[Result]) -> str:
    """A table of five columns. Relative: the mean by that of the fastest result."""
    fastest = min((statistics.fmean(one.times) for one in found), default=1.0)
    unit, factor = ("s", 1.0) if fastest >= 1 else ("ms", 1e3)
    lines = [f"| Command | Mean [{unit}] | Min [{unit}] | Max [{unit}] | Relative |", "|:---|---:|---:|---:|---:|"]
    lines += [f"| {' | '.join(cells)} |" for cells in _cells(found, factor)]
    return "\n".join(lines) + "\n"


def json_2_text(found: Sequence[Result]) -> str:
    """The same in schema 2, in which each run has its own measurements: those of its guest, but for the time.

    The platform is not told: environments have their own, and a report may be made elsewhere.
    """
    document = {
        "schema_version": 2,
        "metadata": {"platform": {}},
        "primary_metric": _WALL,
        "results": [_schema_2(one) for one in found],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


_WALL, _CPU, _USER, _SYSTEM = "time_wall_clock", "time_cpu", "time_user", "time_system"
_PEAK = "memory_peak_resident"
_UNITS = {_WALL: "second", _CPU: "second", _USER: "second", _SYSTEM: "second", _PEAK: "byte"}


def _schema_2(of: Result) -> dict[str, Any]:
    runs: list[dict[str, float]] = []
    for guest in of.guests:
        same = {_CPU: guest.user + guest.system, _USER: guest.user, _SYSTEM: guest.system}
        if guest.peak is not None:
            same[_PEAK] = guest.peak
        runs += [{_WALL: seconds, **same} for seconds in guest.times]
    measurements = [
        {**{name: {"value": value, "unit": _UNITS[name]} for name, value in run.items()}, "exit_code": code}
        for run, code in zip(runs, of.exit_codes, strict=True)
    ]
    columns = {name: [run[name] for run in runs if name in run] for name in _UNITS}
    summary = {
        name: {"unit": _UNITS[name], "count": len(values), **_statistics(values)}
        for name, values in columns.items()
        if values
    }
    parameters = {name: {"value": value} for name, value in of.parameters.items()}
    return {
        "command": of.command,
        "measurements": measurements,
        **({"parameters": parameters} if parameters else {}),
        "summary": summary,
    }


def _statistics(values: Sequence[float]) -> dict[str, float | None]:
    """Of at least one value. The standard deviation is None for a single one."""
    return {
        "mean": statistics.fmean(values), "stddev": statistics.stdev(values) if len(values) > 1 else None,
        "median": statistics.median(values), "min": min(values), "max": max(values),
    }  # fmt: skip


MAKERS = {"json": json_text, "json-2": json_2_text, "csv": csv_text, "markdown": markdown}


def _cells(found: Sequence[Result], factor: float) -> Iterator[tuple[str, ...]]:
    spread = {id(one): (statistics.fmean(one.times), _statistics(one.times)["stddev"]) for one in found}
    first, first_sd = min(spread.values(), key=lambda known: known[0], default=(1.0, None))
    for one in found:
        mean, sd = spread[id(one)]
        shown = f"{mean * factor:.1f}" + ("" if sd is None else f" ± {sd * factor:.1f}")
        ratio = mean / first
        relative = f"{ratio:.2f}"
        if sd is not None and first_sd is not None and mean > first:
            off = ratio * ((sd / mean) ** 2 + (first_sd / first) ** 2) ** 0.5
            relative += f" ± {off:.2f}"
        times = (f"{value * factor:.1f}" for value in (min(one.times), max(one.times)))
        yield _code(one.command), shown, *times, relative


def _code(text: str) -> str:
    """A text as code within a table. Of grave accents in it more are around it."""
    line = visible(text).replace("|", "\\|")
    if "`" not in line:
        return f"`{line}`"
    around = "`" * (max(map(len, "".join(one if one == "`" else " " for one in line).split())) + 1)
    return f"{around} {line} {around}"


def _times(run: Run) -> list[float]:
    of = timed_samples(run)  # their work is one run, whatever the result is
    wanted = zip(of.columns.reasons, (of.intervals.duration_s / of.columns.work).tolist(), strict=True)
    return [seconds for reason, seconds in wanted if reason in _TIMED]


def _of_guest(run: Run) -> OfGuest:
    peak = run.reported.measures.get("peak-memory")
    return OfGuest(
        _times(run),
        _mean(run, "user"),
        _mean(run, "system"),
        None if peak is None else float(peak["value"]),
        _exit_code(run),
    )


def _mean(run: Run, measure: str) -> float:
    """Of a measure over the runs of a guest in host time, s; 0 where it was not reported."""
    known = run.reported.measures.get(measure)
    factor = None if known is None else in_host_time(measure, str(known["unit"]), run)
    return 0.0 if known is None or factor is None else float(known["value"]) * factor


def _exit_code(run: Run) -> int | None:
    word = run.conditions.get("status", "0")
    return int(word) if word.isdecimal() else None
