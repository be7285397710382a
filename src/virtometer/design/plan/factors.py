"""The factors of a plan's workloads expanded: every combination of their levels becomes a workload. PURE.

Works on the plain data, so that what is wrong with a level has a message with the level's own line.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from virtometer.design.plan.document import Document, Path, Wrong
from virtometer.design.plan.validation_messages import unknown, value
from virtometer.model import PlanWorkload

MAX_WORKLOADS = 512
MAX_FACTORS = 4
MAX_LEVELS = 64
_FIELDS = tuple(name for name in PlanWorkload.model_fields if name not in PlanWorkload.set_by_laboratory)
_OWN = ("op", "threads")  # fields of a workload that may be factors beside its parameters


def expand(document: Document) -> Document:
    """The document without factors. It comes back as it is where anything is wrong with them."""
    workloads = document.value.get("workloads")
    if not isinstance(workloads, list):
        return document
    wrong: list[Wrong] = [
        (("workloads", number, name), unknown("unknown field", name, _FIELDS))
        for number, workload in enumerate(workloads)
        if isinstance(workload, dict)
        for name in workload
        if name in PlanWorkload.set_by_laboratory
    ]
    wrong += [
        (("workloads", number, "factors", *path), sentence)
        for number, workload in enumerate(workloads)
        if isinstance(workload, dict) and "factors" in workload
        for path, sentence in _messages(workload)
    ]
    if wrong:
        document.refuse(wrong)
        return document
    lines = {path: line for path, line in document.lines.items() if path[:1] != ("workloads",) or len(path) == 1}
    expanded: list[Any] = []
    for number, workload in enumerate(workloads):
        at: Path = ("workloads", number)
        factors = workload.get("factors") if isinstance(workload, dict) else None
        if len(expanded) + math.prod(map(len, (factors or {}).values())) > MAX_WORKLOADS:
            sentence = f"with its factors the plan has more than {MAX_WORKLOADS} workloads"
            document.refuse([((*at, "factors"), sentence)])
            return document
        for one, origin in _combinations(workload) if factors else [(workload, {})]:
            place: Path = ("workloads", len(expanded))
            lines |= {(*place, *path[2:]): line for path, line in document.lines.items() if path[:2] == at}
            lines |= {(*place, *to): document.line((*at, *path)) for to, path in origin.items()}
            expanded.append(one)
    return replace(document, value={**document.value, "workloads": expanded}, lines=lines)


def _messages(workload: dict[str, Any]) -> Iterator[Wrong]:
    """What is wrong with the form of one workload's factors, and where within them."""
    factors = workload["factors"]
    if not isinstance(factors, dict) or not factors:
        yield (), f"'factors' is {value(factors)}, but must be a mapping of parameters to lists of levels"
        return
    if len(factors) > MAX_FACTORS:
        yield (), f"'factors' has {len(factors)} entries, but may have {MAX_FACTORS} at most"
    parameters = workload.get("parameters")
    for name, levels in factors.items():
        if not isinstance(levels, list) or not levels:
            shown = "empty" if levels == [] else value(levels)
            yield (name,), f"'{name}' is {shown}, but must be a list of levels such as [4K, 64K]"
        elif len(levels) > MAX_LEVELS:
            yield (name,), f"'{name}' has {len(levels)} levels, but may have {MAX_LEVELS} at most"
        else:
            for position, level in enumerate(levels):
                if not isinstance(level, str | int | float | bool):
                    yield (name, position), f"a level of '{name}' is {value(level)}, but must be a plain value"
        if name in (workload if name in _OWN else parameters if isinstance(parameters, dict) else ()):
            yield (name,), f"'{name}' is a factor and must not have a value of its own as well"


def _combinations(workload: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[Path, Path]]]:
    """Each combination as a workload, and for each of its changed fields where in the original it comes from."""
    factors: dict[str, list[Any]] = workload["factors"]
    for chosen in itertools.product(*(enumerate(levels) for levels in factors.values())):
        one = {key: value for key, value in workload.items() if key != "factors"}
        given = one.get("parameters")
        parameters = dict(given) if isinstance(given, dict) else {}
        origin: dict[Path, Path] = {}
        told = []
        for factor, (position, level) in zip(factors, chosen, strict=True):
            from_: Path = ("factors", factor, position)
            if factor in _OWN:
                one[factor] = level
                origin[(factor,)] = from_
            else:
                parameters[factor] = level
                origin["parameters", factor] = from_
            told.append(level_name(factor, level))
        if parameters:
            one["parameters"] = parameters
            origin.setdefault(("parameters",), ("factors",))
        one["name"] = f"{workload.get('name', '')} {' '.join(told)}"
        one["levels"] = {factor: level for factor, (_, level) in zip(factors, chosen, strict=True)}
        one["of"] = workload.get("name", "")
        yield one, origin


def level_name(factor: str, level: object) -> str:
    """A level as a part of a name: the operation and sizes speak for themselves."""
    text = str(level).lower() if isinstance(level, bool) else str(level)
    return text if factor in ("op", "size") else f"{factor} {text}"
