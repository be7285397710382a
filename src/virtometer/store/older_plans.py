"""What plans mean that older versions recorded.

Factors: these versions wrote them out as workloads and kept no level. Workloads that differ only in numbers are taken
for levels of one or two factors. Processors: no guest was bound. Control: there was none. Rules: other programs were
not watched. Scenario: each workload ran alone, and the plan said so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

_FEWEST = 3  # levels of a factor
_ANY = 1 << 31


def with_levels(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with `levels` and `of` in each workload that belongs to a factor."""
    found = {id(workload): dict(workload) for workload in plan["workloads"]}
    taken: set[int] = set()
    for count in (2, 1):
        for axes in combinations(_numbers(plan["workloads"]), count):
            for points in _groups(plan["workloads"], axes, taken):
                if _enough(list(points)):
                    first = next(iter(points.values()))
                    for levels, workload in points.items():
                        given = dict(zip(axes, levels, strict=True))
                        found[id(workload)] |= {"levels": given, "of": first["name"]}
                        taken.add(id(workload))
    return {**plan, "workloads": list(found.values())}


def with_all_processors(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with its guests on all processors, as they were before a plan could say otherwise."""
    environments = [
        {**one, "settings": {"processors": "all", **one.get("settings", {})}} for one in plan["environments"]
    ]
    return {**plan, "environments": environments}


def without_control(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with its baseline measured once in a block, as it was before there was a control."""
    return {**plan, "control": False}


def without_scenario(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan without the word for its only scenario: a plan without scenarios means the same."""
    return {name: value for name, value in plan.items() if name != "scenario"}


def with_former_rules(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with rules that nothing breaks, where they were made later: other programs were not watched."""
    later = {
        "max_foreign_load": 4096,
        "max_run_delay_share": 1,
        "max_frequency_change": 1,
        "max_throttling": _ANY,
        "max_kernel_errors": _ANY,
    }
    return {**plan, "rules": {**later, **plan.get("rules", {})}}


def _groups(
    workloads: Sequence[dict[str, Any]], axes: tuple[str, ...], taken: set[int]
) -> list[dict[tuple[Any, ...], dict[str, Any]]]:
    """Workloads that have a number for each of the axes, alike in everything else: by these numbers."""
    groups: dict[tuple[object, ...], dict[tuple[Any, ...], dict[str, Any]]] = {}
    for workload in workloads:
        values = _values(workload)
        if id(workload) not in taken and all(_number(values.get(axis)) for axis in axes):
            fixed = tuple(sorted((key, str(value)) for key, value in values.items() if key not in axes))
            key = (workload["workload"], workload["op"], workload.get("seconds"), fixed)
            groups.setdefault(key, {})[tuple(values[axis] for axis in axes)] = workload
    return list(groups.values())


def _enough(places: Sequence[tuple[Any, ...]]) -> bool:
    levels = [len(set(axis)) for axis in zip(*places, strict=True)]
    if len(levels) == 1:
        return levels[0] >= _FEWEST
    return min(levels) >= _FEWEST and len(places) >= 0.6 * levels[0] * levels[1]


def _numbers(workloads: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for one in workloads for name, value in _values(one).items() if _number(value)))


def _values(workload: Mapping[str, Any]) -> dict[str, Any]:
    return {**workload.get("parameters", {}), "threads": workload.get("threads", 1)}


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
