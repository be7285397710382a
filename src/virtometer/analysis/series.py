"""Workloads of a plan that differ only in numbers: one number makes a curve, two make a surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from virtometer.model import PlanWorkload

FEWEST_OF_A_CURVE = 3
FEWEST_OF_A_SURFACE = 3


@dataclass(frozen=True, slots=True)
class Series:
    """`axes`: one name or two. `points`: the workload at each place, in the order of the axes."""

    workload: str
    op: str
    fixed: Mapping[str, object]
    axes: tuple[str, ...]
    points: Mapping[tuple[float, ...], str]


def series(workloads: Sequence[PlanWorkload]) -> tuple[Series, ...]:
    """Every surface, and every curve that is not part of one, in the plan's order."""
    found: list[Series] = []
    taken: set[str] = set()
    for count in (2, 1):
        for axes in combinations(_numbers(workloads), count):
            groups: dict[tuple[object, ...], dict[tuple[float, ...], PlanWorkload]] = {}
            for workload in workloads:
                values = _values(workload)
                if workload.name not in taken and all(_number(values.get(axis)) for axis in axes):
                    fixed = tuple(sorted((k, str(v)) for k, v in values.items() if k not in axes))
                    key = (workload.workload, workload.op, workload.seconds, fixed)
                    groups.setdefault(key, {})[tuple(float(values[axis]) for axis in axes)] = workload  # type: ignore[arg-type]
            for points in groups.values():
                if _enough(list(points)):
                    first = next(iter(points.values()))
                    fixed_values = {k: v for k, v in _values(first).items() if k not in axes}
                    names = {at: workload.name for at, workload in sorted(points.items(), key=lambda point: point[0])}
                    found.append(Series(first.workload, first.op, fixed_values, axes, names))
                    taken |= set(names.values())
    order = {workload.name: number for number, workload in enumerate(workloads)}
    return tuple(sorted(found, key=lambda one: min(order[name] for name in one.points.values())))


def _enough(places: Sequence[tuple[float, ...]]) -> bool:
    levels = [len(set(axis)) for axis in zip(*places, strict=True)]
    if len(levels) == 1:
        return levels[0] >= FEWEST_OF_A_CURVE
    # A surface has a value at most of its places: two curves that cross are not one.
    return min(levels) >= FEWEST_OF_A_SURFACE and len(places) >= 0.6 * levels[0] * levels[1]


def _numbers(workloads: Sequence[PlanWorkload]) -> list[str]:
    """Names that have a number somewhere, in the order in which they occur."""
    return list(dict.fromkeys(name for workload in workloads for name, v in _values(workload).items() if _number(v)))


def _values(workload: PlanWorkload) -> dict[str, object]:
    return {**workload.parameters, "threads": workload.threads}


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
