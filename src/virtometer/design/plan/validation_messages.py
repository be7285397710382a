"""What pydantic found wrong in a plan, in words: what is wrong, and what is allowed. PURE."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from virtometer.model import size_text
from virtometer.visible import visible

Location = tuple[str | int, ...]

_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of at most 64 bits",
    "float_type": "a number",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "string_type": "text; put it in quotes",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list (lines that begin with '- ')",
    "tuple_type": "a list (lines that begin with '- ')",
    "set_type": "a list (lines that begin with '- ')",
    "dict_type": "a mapping (lines of the form 'name: value')",
    "model_type": "a mapping (lines of the form 'name: value')",
    "model_attributes_type": "a mapping (lines of the form 'name: value')",
}

_FORMER: dict[tuple[str, Location], str] = {
    ("field", ("residents_s",)): (
        "plans have no 'residents_s' any more: leave it out; `python -m bench.residents` measures what silent "
        "residents cost"
    ),
    ("setting", ("image",)): (
        "environments have no 'image' any more: write 'root: agent' for minimal, 'root: debian' for debian, or leave "
        "it out"
    ),
}
"""Fields and settings that plans had once, and what to do about them."""

OF_NUMBERS = frozenset(_BOUNDS) | {kind for kind, words in _TYPES.items() if "number" in words}
"""pydantic's names for the errors of numbers: no number, or out of range."""


def sentence(error: ErrorDetails, model: type[BaseModel], what: str, given: object) -> str:
    """One sentence for one error of validating `model`, with what the plan says there, and what is allowed.

    what: what the model's fields are called, e.g. setting. given: the plan's own word; `error["input"]` is what
    validators have made of it.
    """
    location: Location = error["loc"]
    kind = error["type"]
    context = error.get("ctx", {})
    shown = _named(location)
    if kind == "extra_forbidden":
        if former := _FORMER.get((what.partition(" ")[0], location)):
            return former
        return unknown(f"unknown {what}", str(location[-1]), fields_at(model, location[:-1]))
    if kind == "missing":
        return f"the {what} {shown} is missing"
    if kind in _TYPES:
        return f"{shown} is {value(given)}, but must be {_TYPES[kind]}"
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        hint = _percent(given, context[key])
        return f"{shown} is {value(given)}, but must be {words} {_like(given, context[key])}{hint}"
    if kind == "multiple_of":
        return f"{shown} is {value(given)}, but must be a multiple of {_like(given, context['multiple_of'])}"
    if kind in {"literal_error", "enum"}:
        allowed = str(context["expected"]).replace(" or ", ", ").replace("'", "").split(", ")
        return choice(shown, given, allowed)
    if kind in {"too_long", "string_too_long"}:
        unit = "characters" if kind == "string_too_long" else "entries"
        return f"{shown} has more than {context['max_length']} {unit}, but may have {context['max_length']} at most"
    if kind in {"too_short", "string_too_short"}:
        least = context["min_length"]
        one, many = ("character", "characters") if kind == "string_too_short" else ("entry", "entries")
        return f"{shown} is {value(given)}, but must have at least {least} {one if least == 1 else many}"
    if kind in {"value_error", "assertion_error"} and not location:
        return str(context["error"])  # two fields that exclude each other: the sentence names them
    if kind in {"value_error", "assertion_error"}:
        return f"{shown} is {value(given)}, but {context['error']}"
    return f"{shown} is {value(given)}, which is not allowed there"


def _named(location: Location) -> str:
    """What a sentence calls a part of a plan: 'name', or item 2 of 'cpuset'."""
    if not location:
        return "the plan"
    *before, name = location
    if isinstance(name, str):
        return f"'{short(name)}'"
    return f"item {name + 1} of {_named(tuple(before))}" if before else f"item {name + 1}"


def _like(given: object, bound: float) -> str:
    """A bound as the plan writes the value: 1M beside 1K, 100% beside 120%."""
    if isinstance(given, str) and given.endswith("%"):
        return f"{bound * 100:g}%"
    return size_text(int(bound)) if isinstance(given, str) else number(bound)


def _percent(given: object, bound: float) -> str:
    """How to write a share that is given in percent without a sign."""
    if bound == 1 and isinstance(given, int | float) and not isinstance(given, bool) and 1 < given <= 100:
        return f"; write {given:g}% for {given:g} percent"
    return ""


def unknown(what: str, name: str, allowed: Iterable[str]) -> str:
    """`unknown field 'bloks'; did you mean 'blocks'? allowed: ...`."""
    names = list(allowed)
    near = nearest(name, names)
    hint = f"; did you mean '{near}'?" if near else ";"
    return f"{what} '{short(name)}'{hint} allowed: {', '.join(names) if names else 'none'}"


def choice(shown: str, given: object, allowed: Iterable[str]) -> str:
    """`'type' is 'ful'; did you mean 'full'? allowed: ...`. shown: what the sentence calls the field."""
    names = list(allowed)
    near = nearest(given, names) if isinstance(given, str) else None
    hint = f" did you mean '{near}'?" if near else ""
    return f"{shown} is {value(given)};{hint} allowed: {', '.join(names)}"


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """The allowed name that `name` was probably meant to be."""
    found = similar(name, allowed, 1)
    return found[0] if found else None


def similar(name: str, allowed: Iterable[str], most: int) -> list[str]:
    """The allowed names that `name` was probably meant to be, the likeliest first."""
    by_lower = {candidate.lower(): candidate for candidate in allowed}
    return [by_lower[found] for found in difflib.get_close_matches(name.lower(), by_lower, n=most)]


def fields_at(model: type[BaseModel], location: Location) -> list[str]:
    """Names of the fields that are allowed at a place inside `model`."""
    current: Any = model
    for step in location:
        if isinstance(step, str) and isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(step)
            current = _model_in(field.annotation) if field else None
    if not (isinstance(current, type) and issubclass(current, BaseModel)):
        return []
    own: frozenset[str] = getattr(current, "set_by_laboratory", frozenset())
    return [name for name in current.model_fields if name not in own]


def _model_in(annotation: object) -> object:
    """The model in an annotation such as list[PlanWorkload] or Limits | None."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation if issubclass(annotation, BaseModel) else None
    for argument in typing.get_args(annotation):
        found = _model_in(argument)
        if found is not None:
            return found
    return None


def value(given: object) -> str:
    """A value as a plan's author knows it, shortened."""
    if isinstance(given, dict):
        return "a mapping"
    if isinstance(given, list):
        return "a list" if given else "an empty list"
    if given is None:
        return "empty"
    if isinstance(given, bool):
        return "true" if given else "false"
    return f"'{short(given)}'" if isinstance(given, str) else short(str(given))


def number(bound: float) -> str:
    """A bound without a needless fraction."""
    return str(int(bound)) if float(bound).is_integer() else str(bound)


def short(text: str) -> str:
    """At most 60 characters, on one line, with escapes for what cannot be seen."""
    line = visible(text)
    return line if len(line) <= 60 else f"{line[:57]}..."
