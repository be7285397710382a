"""Runs of the user's commands in the formats of hyperfine 1 and 2, so that its readers and scripts can take them.

Each command has a result for each environment, with every timed run in host time, in the order of execution. A run that
other programs disturbed is among them, as in hyperfine: the table of the campaign leaves it out. The second guest of
the baseline, the control, is not. docs/methods/commands.md lists the fields.
"""

from __future__ import annotations

import json
import platform
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
    """Means of the runs of one guest. user, system: s. peak: bytes, the largest of its runs, None where unknown."""

    runs: int
    user: float
    system: float
    peak: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """A command in an environment. times: seconds of each run, at least one. exit_code: None where a signal ended it.

    user, system: seconds of processor time, means of the runs. guests: whose runs the times are, one after the other;
    empty: those of one guest.
    """

    command: str
    times: Sequence[float]
    user: float
    system: float
    exit_code: int | None
    parameters: Mapping[str, str] = field(default_factory=dict)
    guests: Sequence[OfGuest] = ()

    @property
    def numbers(self) -> dict[str, float | None]:
        """Statistics of the times, s. The standard deviation is None for a single run."""
        times = self.times
        several = len(times) > 1
        return {
            "mean": statistics.fmean(times), "stddev": statistics.stdev(times) if several else None,
            "median": statistics.median(times), "user": self.user, "system": self.system,
            "min": min(times), "max": max(times),
        }  # fmt: skip


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
            if times := [one for run in of for one in _times(run)]:
                values = {**given.get(name, {}), **({ENVIRONMENT: environment.name} if several else {})}
                user, system = (_mean(of, measure) for measure in ("user", "system"))
                guests = [OfGuest(len(_times(one)), _mean([one], "user"), _mean([one], "system"), _peak(one))
                          for one in of]  # fmt: skip
                found.append(
                    Result(f"{name} ({environment.name})", times, user, system, _exit_code(of[0]), values, guests)
                )
    return found


def json_text(found: Sequence[Result]) -> str:
    """All that is known of each result, as JSON."""
    made = [
        {
            "command": one.command,
            **one.numbers,
            "times": list(one.times),
            "exit_codes": [one.exit_code] * len(one.times),
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
    """The same in schema 2, in which each run has its own measurements.

    The agent reports processor times and memory for all runs of a guest. So each run has the mean of its guest's
    processor times, and the largest memory of its guest's runs.
    """
    document = {
        "schema_version": 2,
        "metadata": {"platform": {"os": platform.system(), "architecture": platform.machine()}},
        "primary_metric": _WALL,
        "results": [_schema_2(one) for one in found],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


_WALL, _CPU, _USER, _SYSTEM = "time_wall_clock", "time_cpu", "time_user", "time_system"
_PEAK = "memory_peak_resident"
_UNITS = {_WALL: "second", _CPU: "second", _USER: "second", _SYSTEM: "second", _PEAK: "byte"}


def _schema_2(of: Result) -> dict[str, Any]:
    guests = of.guests or [OfGuest(len(of.times), of.user, of.system, None)]
    used = [guest for guest in guests for _ in range(guest.runs)]
    runs: list[dict[str, float]] = []
    for seconds, by in zip(of.times, used, strict=True):
        run = {_WALL: seconds, _CPU: by.user + by.system, _USER: by.user, _SYSTEM: by.system}
        runs.append(run if by.peak is None else {**run, _PEAK: by.peak})
    measurements = [
        {**{name: {"value": value, "unit": _UNITS[name]} for name, value in run.items()}, "exit_code": of.exit_code}
        for run in runs
    ]
    summary = {name: _summary(name, [run[name] for run in runs if name in run]) for name in runs[0]}
    parameters = {name: {"value": value} for name, value in of.parameters.items()}
    return {
        "command": of.command,
        "measurements": measurements,
        **({"parameters": parameters} if parameters else {}),
        "summary": summary,
    }


def _summary(name: str, values: Sequence[float]) -> dict[str, Any]:
    return {
        "unit": _UNITS[name], "count": len(values), "mean": statistics.fmean(values),
        "stddev": statistics.stdev(values) if len(values) > 1 else None, "median": statistics.median(values),
        "min": min(values), "max": max(values),
    }  # fmt: skip


MAKERS = {"json": json_text, "json-2": json_2_text, "csv": csv_text, "markdown": markdown}


def _cells(found: Sequence[Result], factor: float) -> Iterator[tuple[str, ...]]:
    spread = {id(one): (statistics.fmean(one.times), one.numbers["stddev"]) for one in found}
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


def _mean(runs: Sequence[Run], measure: str) -> float:
    """Of a measure over all runs in host time, s; 0 where it was not reported. Each guest counts by its runs."""
    total, count = 0.0, 0
    for run in runs:
        known = run.reported.measures.get(measure)
        factor = None if known is None else in_host_time(measure, str(known["unit"]), run)
        if known is not None and factor is not None:
            total += float(known["value"]) * factor * len(run.samples)
            count += len(run.samples)
    return total / count if count else 0.0


def _peak(run: Run) -> float | None:
    """Bytes of memory of the largest run of a guest; None where it was not reported."""
    known = run.reported.measures.get("peak-memory")
    return None if known is None else float(known["value"])


def _exit_code(run: Run) -> int | None:
    word = run.conditions.get("status", "0")
    return int(word) if word.isdecimal() else None
