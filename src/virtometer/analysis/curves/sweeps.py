"""Sweeps: the treatments that one workload of a plan with factors became, and the curves and surfaces among them.

One numeric factor makes a curve. Two make a surface where both are sizes of a file (Iozone's), else curves over the one
with more levels. A sweep without either is over categories, such as operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from virtometer.model import Level, PlanWorkload

_SURFACE = frozenset({"span", "size"})
FEWEST_OF_A_CURVE = 3
FEWEST_OF_A_SURFACE = 3


@dataclass(frozen=True, slots=True)
class Series:
    """`name`: of the workload in the plan's file. `axes`: one factor or two. `fixed`: parameters that are no axis.

    `levels`: of the other factors. `points`: the workload at each place, in the order of the axes.
    """

    name: str
    workload: str
    op: str
    fixed: Mapping[str, object]
    levels: Mapping[str, Level]
    axes: tuple[str, ...]
    points: Mapping[tuple[float, ...], str]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One workload with factors: its combinations, and those of them that make curves or surfaces."""

    name: str
    workloads: tuple[PlanWorkload, ...]
    series: tuple[Series, ...]

    @property
    def categories(self) -> tuple[PlanWorkload, ...]:
        """The combinations that are part of no curve or surface."""
        drawn = {name for one in self.series for name in one.points.values()}
        return tuple(workload for workload in self.workloads if workload.name not in drawn)


def sweeps(workloads: Sequence[PlanWorkload]) -> tuple[Sweep, ...]:
    """In the plan's order. One combination alone is no sweep."""
    families: dict[str, list[PlanWorkload]] = {}
    for workload in workloads:
        if workload.levels:
            families.setdefault(workload.of, []).append(workload)
    return tuple(
        Sweep(name, tuple(family), tuple(_of_family(family))) for name, family in families.items() if len(family) > 1
    )


def series(workloads: Sequence[PlanWorkload]) -> tuple[Series, ...]:
    """Every curve and surface, in the plan's order."""
    return tuple(one for sweep in sweeps(workloads) for one in sweep.series)


def _of_family(family: Sequence[PlanWorkload]) -> list[Series]:
    """Series of the combinations of one workload's factors."""
    found: list[Series] = []
    taken: set[str] = set()
    numeric = [name for name in family[0].levels if all(_number(one.levels.get(name)) for one in family)]
    numeric.sort(key=lambda name: -len({one.levels[name] for one in family}))
    pairs = combinations([name for name in family[0].levels if name in numeric], 2)
    surfaces = [axes for axes in pairs if set(axes) == _SURFACE]
    for axes in [*surfaces, *((name,) for name in numeric)]:
        groups: dict[tuple[object, ...], dict[tuple[float, ...], PlanWorkload]] = {}
        for workload in family:
            if workload.name not in taken:
                rest = tuple((key, level) for key, level in workload.levels.items() if key not in axes)
                groups.setdefault(rest, {})[tuple(float(workload.levels[axis]) for axis in axes)] = workload
        for points in groups.values():
            if _enough(list(points)):
                found.append(_series(points, axes))
                taken |= {workload.name for workload in points.values()}
    order = {workload.name: number for number, workload in enumerate(family)}
    return sorted(found, key=lambda one: min(order[name] for name in one.points.values()))


def _series(points: Mapping[tuple[float, ...], PlanWorkload], axes: tuple[str, ...]) -> Series:
    first = next(iter(points.values()))
    return Series(
        name=first.of,
        workload=first.workload,
        op=first.op,
        fixed={key: value for key, value in {**first.parameters, "threads": first.threads}.items() if key not in axes},
        levels={key: level for key, level in first.levels.items() if key not in axes},
        axes=axes,
        points={at: workload.name for at, workload in sorted(points.items(), key=lambda point: point[0])},
    )


def _enough(places: Sequence[tuple[float, ...]]) -> bool:
    levels = [len(set(axis)) for axis in zip(*places, strict=True)]
    if len(levels) == 1:
        return levels[0] >= FEWEST_OF_A_CURVE
    # A surface has a value at most of its places: two curves that cross are not one.
    return min(levels) >= FEWEST_OF_A_SURFACE and len(places) >= 0.6 * levels[0] * levels[1]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
