"""What is wrong with the factors, constraints and the design of a plan, before anything is combined. PURE.

Works on the plain data where pydantic would say it less clearly, and on the models where these could be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from virtometer.design.plan.document import Path, Wrong
from virtometer.design.plan.validation_messages import unknown, value
from virtometer.model import MAX_FACTORS, MAX_LEVELS, Constraint, Design, Factor, level_list

MAX_LEVEL_NAME = 30
TUNING = "tuning"
"""The setting whose values add up: each factor, and the environment itself, may have steps of its own."""

_RESERVED = ("main", "interactions")
_SEPARATORS = re.compile(r"[:,=\n\r\t]")


def wrong_form(plan: Mapping[str, Any]) -> Iterator[Wrong]:
    """What is wrong with the form of factors, constraints and design, as far as pydantic would say it less clearly."""
    for name, what, least, most in (("factors", "factor", 1, MAX_FACTORS), ("constraints", "constraint", 0, 64)):
        some = plan.get(name, [])
        if not isinstance(some, list):
            yield (name,), f"'{name}' is {value(some)}, but must be a list (lines that begin with '- ')"
            continue
        if len(some) > most or len(some) < least:
            yield (name,), f"'{name}' has {len(some)} entries, but must have {least} to {most}"
            continue
        for number, one in enumerate(some):
            if not isinstance(one, dict):
                yield (name, number), f"a {what} is {value(one)}, but must be a mapping (lines 'name: value')"
            elif name == "constraints":
                yield from (((name, number, *path), sentence) for path, sentence in _of_named_levels(one))
    if isinstance(plan.get("design"), dict):
        yield from _of_design(plan["design"], plan)
    elif "design" in plan:
        yield ("design",), f"'design' is {value(plan['design'])}, but must be a mapping such as {{type: full}}"
    if not isinstance(plan["factors"], list):
        return
    for number, factor in enumerate(plan["factors"][:MAX_FACTORS]):
        if isinstance(factor, dict) and "levels" in factor:
            for path, sentence in _of_levels(factor["levels"]):
                yield ("factors", number, "levels", *path), sentence


def _of_named_levels(constraint: Mapping[str, object]) -> Iterator[Wrong]:
    """What is wrong with the form of the levels that a constraint names."""
    for field in ("never", "only", "where"):
        given = constraint.get(field)
        for factor, some in given.items() if isinstance(given, dict) else ():
            each = some if isinstance(some, list) and some else [some]
            if not all(isinstance(one, str | int | float | bool) for one in each):
                yield (field, factor), f"'{factor}' is {value(some)}, but must be a level, or a list such as [a, b]"


def _of_design(design: Mapping[str, object], plan: Mapping[str, Any]) -> Iterator[Wrong]:
    """Fields that say nothing of a design of its type."""
    if design.get("type") != "sequential":
        if "first_blocks" in design:
            yield ("design", "first_blocks"), "'first_blocks' needs a design of the type sequential"
        return
    if "terms" in design:
        yield ("design", "terms"), "a sequential design finds its terms itself: leave out 'terms'"
    if plan.get("scenarios"):
        yield ("scenarios",), "a sequential design measures each workload alone: leave out 'scenarios'"


def _of_levels(levels: object) -> Iterator[Wrong]:
    if not isinstance(levels, list | dict):
        yield (), f"'levels' is {value(levels)}, but must be a list such as [none, writeback], or a mapping of names"
    elif isinstance(levels, list):
        for number, level in enumerate(levels):
            if not isinstance(level, str | int | float | bool):
                yield (number,), f"a level is {value(level)}, but must be a plain value, or have a name: 'name: value'"


def wrong_factors(
    factors: Sequence[Factor], design: Design, plan: Mapping[str, Any], names: list[str], *, centred: bool
) -> Iterator[Wrong]:
    """Faults of each factor, and of factors that vary the same setting.

    centred: whether the type of the design has factors of three numeric levels around their reference.
    """
    first: dict[str, int] = {}
    owner: dict[str, str] = {}
    chosen = [one for one in factors if one.environments]
    for number, factor in enumerate(factors):
        at: Path = ("factors", number)
        if factor.name in first:
            yield (*at, "name"), f"another factor already has the name '{factor.name}'"
        first.setdefault(factor.name, number)
        if _SEPARATORS.search(factor.name) or factor.name in _RESERVED:
            yield (*at, "name"), f"'{factor.name}' is no name of a factor: without ':', ',' and '=', and not 'main'"
        yield from ((((*at, *path)), sentence) for path, sentence in _of_factor(factor, design, centred=centred))
        if factor.environments and factor is not chosen[0]:
            yield (*at, "environments"), f"'{chosen[0].name}' has 'environments' already; one factor may"
        for name in factor.environments:
            if name not in names:
                yield (*at, "environments"), unknown("unknown environment", name, names)
        for setting in settings_of(factor):
            if setting in owner and setting != TUNING:
                yield at, f"'{setting}' is varied by the factor '{owner[setting]}' already"
            owner.setdefault(setting, factor.name)
        yield from _of_environment(factor, at, chosen[0] if chosen else None, factors, names)
    for number, one in enumerate(plan["environments"]):
        if one["name"] in bases(factors, names):
            for setting in one.get("settings", {}):
                if setting in owner and setting != TUNING:
                    where: Path = ("environments", number, "settings", setting)
                    yield where, f"'{setting}' is a factor and must not have a value of its own as well"


def _of_factor(factor: Factor, design: Design, *, centred: bool) -> Iterator[Wrong]:
    """What is wrong with one factor's levels and reference."""
    if bool(factor.environments) == bool(factor.levels):
        yield ("levels",), f"the factor '{factor.name}' needs 'levels', or 'environments' as its levels"
        return
    if factor.environments and (factor.setting is not None or factor.environment is not None):
        yield ("environments",), f"'{factor.name}' varies the environment, and so has no 'setting' or 'environment'"
    levels = factor.level_names
    where = "environments" if factor.environments else "levels"
    if not 2 <= len(levels) <= MAX_LEVELS:
        yield (where,), f"'{factor.name}' has {len(levels)} levels, but must have 2 to {MAX_LEVELS}"
        return
    if twice := [level for level, count in Counter(levels).items() if count > 1]:
        yield (where,), f"'{factor.name}' has the level '{twice[0]}' twice"
    if strange := [level for level in levels if not level or _SEPARATORS.search(level) or len(level) > MAX_LEVEL_NAME]:
        yield (where,), f"the level {value(strange[0])} needs a short name, without ':', ',' and '=': 'name: value'"
    if not factor.environments and factor.setting is None:
        for level, given in zip(levels, factor.values, strict=True):
            if not isinstance(given, dict):
                yield (
                    (where, level) if isinstance(factor.levels, dict) else (where,),
                    f"the level '{level}' of '{factor.name}' must be a mapping of settings, without a 'setting'",
                )
    if factor.reference is not None and factor.reference not in levels:
        yield ("reference",), unknown(f"unknown level of {factor.name}", factor.reference, levels)
    if centred:
        numbers = factor.numbers or ()
        if len(numbers) != 3 or not numbers[0] < numbers[1] < numbers[2]:
            yield (
                (where,),
                f"{design.type} has factors of three numeric levels, low to high: '{factor.name}' has others",
            )
        elif factor.reference not in (None, levels[1]):
            yield ("reference",), f"the reference of a {design.type} is its centre: '{levels[1]}' of '{factor.name}'"


def _of_environment(
    factor: Factor, at: Path, chosen: Factor | None, factors: Sequence[Factor], names: Sequence[str]
) -> Iterator[Wrong]:
    """What is wrong with the environment whose settings a factor varies."""
    if factor.environments:
        return
    if chosen is not None:
        if factor.environment is not None:
            yield (*at, "environment"), f"'{chosen.name}' has the environments, and '{factor.name}' varies all of them"
        return
    if factor.environment is None and len(names) > 1:
        yield at, f"the factor '{factor.name}' needs 'environment': one of {', '.join(names)}"
    elif factor.environment is not None and factor.environment not in names:
        yield (*at, "environment"), unknown("unknown environment", factor.environment, names)
    elif factor.environment not in (None, first := factors[0].environment or names[0]):
        yield (*at, "environment"), f"all factors vary one environment, and '{factors[0].name}' varies '{first}'"


def settings_of(factor: Factor) -> list[str]:
    """The settings that a factor varies."""
    if factor.setting is not None:
        return [factor.setting]
    found = [setting for level in factor.values if isinstance(level, dict) for setting in level]
    return list(dict.fromkeys(found))


def bases(factors: Sequence[Factor], names: Sequence[str]) -> list[str]:
    """Names of the environments in the file whose settings are varied."""
    chosen = next((one for one in factors if one.environments), None)
    if chosen is not None:
        return chosen.environments
    return [next((one.environment for one in factors if one.environment is not None), names[0])]


def wrong_constraint(constraint: Constraint, factors: Sequence[Factor]) -> Iterator[Wrong]:
    """What is wrong with one constraint, and where within it."""
    levels = {factor.name: factor.level_names for factor in factors}
    if bool(constraint.never) == bool(constraint.only) or bool(constraint.only) != bool(constraint.where):
        yield (), "a constraint must have 'never', or 'only' with 'where', such as {never: {cache: none, aio: threads}}"
    for field in ("never", "only", "where"):
        given: Mapping[str, str | list[str]] = getattr(constraint, field)
        for name, some in given.items():
            if name not in levels:
                yield (field, name), unknown("unknown factor", name, levels)
                continue
            for level in level_list(some):
                if level not in levels[name]:
                    yield (field, name), unknown(f"unknown level of {name}", level, levels[name])
