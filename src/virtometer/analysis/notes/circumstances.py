"""What a command finds otherwise in one environment than in another, which can change its time: equal, or named.

These conditions belong to an environment, as its kernel does, and a command is timed with them. They do not make
results incomparable as another program or another answer does. Reports name those that differ.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import Key, TreatmentData
from virtometer.model.held_back import HELD_BACK, held_back_share

_LIMITS = (
    "address_space", "core", "cpu", "data", "file_size", "locked_memory", "open_files", "processes", "resident",
    "stack",
)  # fmt: skip

CLOCK_READING = "clock_reading"
"""What one reading of the clock costs, such as `25.1 ns`."""

NAMED: Mapping[str, str] = {
    CLOCK_READING: "one reading of the clock",
    "program_path": "path of the program",
    "clock_source": "source of the clock",
    "directory_mount": "mount of the directory",
    HELD_BACK: "held back by its quota",
    "no_new_privileges": "no new privileges",
    "processors_granted": "processors by quota",
    "processors_seen": "processors seen",
    "seccomp": "filter of system calls",
    "seccomp_filters": "filters of system calls",
    "speculation_indirect_branch": "speculation of indirect branches",
    "speculation_store_bypass": "speculation of stores",
    "user": "user and group",
    **{f"limit_{one}": f"limit: {one.replace('_', ' ')}" for one in _LIMITS},
}
"""Conditions that are named where they differ, with their names in reports."""

UNREPORTED = "not reported"

_CLEARLY = 1.5
"""Costs of a reading differ where one is so many times another: they vary from guest to guest."""


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A condition that is not the same everywhere. values: of each environment, in the plan's order."""

    condition: str
    name: str
    values: Mapping[str, str]


def circumstances(table: Mapping[Key, TreatmentData], commands: Sequence[str]) -> tuple[Circumstance, ...]:
    """Those that differ between the environments of these workloads, or from run to run; by name."""
    seen: dict[str, dict[str, set[str]]] = {}
    environments: dict[str, None] = {}
    for (workload, environment), data in table.items():
        if workload not in commands:
            continue
        for _, run in data.results:
            environments[environment] = None
            for condition in (NAMED.keys() & run.conditions.keys()) - {CLOCK_READING, HELD_BACK}:
                # Another command is another program, in all environments.
                value = f"{workload}: {run.conditions[condition]}" if condition == "program_path" else ""
                seen.setdefault(condition, {}).setdefault(environment, set()).add(value or run.conditions[condition])
    found = []
    for condition, by_environment in seen.items():
        values = {one: " or ".join(sorted(by_environment.get(one, {UNREPORTED}))) for one in environments}
        if len(set(values.values())) > 1:
            found.append(Circumstance(condition, NAMED[condition], values))
    readings = clock_readings(table, commands)
    if readings and max(readings.values()) >= _CLEARLY * min(readings.values()):
        shown = {one: _shown(readings[one]) if one in readings else UNREPORTED for one in environments}
        found.append(Circumstance(CLOCK_READING, NAMED[CLOCK_READING], shown))
    # The share of periods in which a quota held guests back.
    if any((shares := _medians(table, commands, HELD_BACK, held_back_share)).values()):
        shown = {one: f"in {shares[one]:.0%} of periods" if one in shares else "no quota" for one in environments}
        found.append(Circumstance(HELD_BACK, NAMED[HELD_BACK], shown))
    return tuple(sorted(found, key=lambda one: one.name))


def clock_readings(table: Mapping[Key, TreatmentData], commands: Sequence[str]) -> dict[str, float]:
    """What one reading of the clock costs in each environment, s: the median over the guests of these workloads."""
    return _medians(table, commands, CLOCK_READING, _seconds)


def _medians(
    table: Mapping[Key, TreatmentData], commands: Sequence[str], condition: str, read: Callable[[str], float | None]
) -> dict[str, float]:
    """Of a condition that is a number, by environment, over the runs that have one. read: None of what is none."""
    found: dict[str, list[float]] = {}
    for (workload, environment), data in table.items():
        for _, run in data.results if workload in commands else ():
            number = read(run.conditions.get(condition, ""))
            if number is not None:
                found.setdefault(environment, []).append(number)
    return {environment: statistics.median(of) for environment, of in found.items()}


def _shown(seconds: float) -> str:
    return f"{1e6 * seconds:.3g} µs" if seconds >= 1e-6 else f"{1e9 * seconds:.3g} ns"


def _seconds(text: str) -> float | None:
    try:
        ns = float(text.removesuffix(" ns"))
    except ValueError:
        return None
    return ns * 1e-9 if 0 < ns < math.inf else None
