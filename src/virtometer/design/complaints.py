"""What pydantic found wrong in a plan, in words: what is wrong, and what is allowed. PURE."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

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


def sentence(error: ErrorDetails, model: type[BaseModel], what: str = "field") -> str:
    """One sentence for one error of validating `model`. `what` is what the model's fields are called, e.g. setting."""
    location: Location = error["loc"]
    kind = error["type"]
    context = error.get("ctx", {})
    name = location[-1] if location else "the plan"
    shown = f"'{name}'" if isinstance(name, str) else f"item {name + 1}"
    if kind == "extra_forbidden":
        return unknown(f"unknown {what}", str(name), fields_at(model, location[:-1]))
    if kind == "missing":
        return f"the {what} {shown} is missing"
    if kind in _TYPES:
        return f"{shown} is {value(error['input'])}, but must be {_TYPES[kind]}"
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"{shown} is {value(error['input'])}, but must be {words} {number(context[key])}"
    if kind in {"literal_error", "enum"}:
        expected = str(context["expected"]).replace(" or ", ", ").replace("'", "")
        return f"{shown} is {value(error['input'])}; allowed: {expected}"
    if kind in {"too_long", "string_too_long"}:
        unit = "characters" if kind == "string_too_long" else "entries"
        return f"{shown} has more than {context['max_length']} {unit}, but may have {context['max_length']} at most"
    if kind in {"too_short", "string_too_short"}:
        unit = "characters" if kind == "string_too_short" else "entries"
        return f"{shown} has too few {unit}; it needs at least {context['min_length']}"
    if kind == "string_pattern_mismatch":
        return f"{shown} is {value(error['input'])}, but must match {context['pattern']}"
    if kind in {"value_error", "assertion_error"} and not location:
        return str(context["error"])  # two fields that do not go together: the sentence names them
    if kind in {"value_error", "assertion_error"}:
        return f"{shown} is {value(error['input'])}, but {context['error']}"
    return f"{shown} is {value(error['input'])}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def unknown(what: str, name: str, allowed: Iterable[str]) -> str:
    """`unknown field 'bloks'; did you mean 'blocks'? allowed: ...`."""
    names = list(allowed)
    near = nearest(name, names)
    hint = f"; did you mean '{near}'?" if near else ";"
    return f"{what} '{short(name)}'{hint} allowed: {', '.join(names) if names else 'none'}"


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """The allowed name that `name` was probably meant to be."""
    by_lower = {candidate.lower(): candidate for candidate in allowed}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None


def fields_at(model: type[BaseModel], location: Location) -> list[str]:
    """Names of the fields that are allowed at a place inside `model`."""
    current: Any = model
    for step in location:
        if isinstance(step, str) and isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(step)
            current = _model_in(field.annotation) if field else None
    return list(current.model_fields) if isinstance(current, type) and issubclass(current, BaseModel) else []


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
        return "a list"
    if given is None:
        return "empty"
    if isinstance(given, bool):
        return "true" if given else "false"
    return f"'{short(given)}'" if isinstance(given, str) else short(str(given))


def number(bound: float) -> str:
    """A bound without a needless fraction."""
    return str(int(bound)) if float(bound).is_integer() else str(bound)


def short(text: str) -> str:
    """At most 60 characters, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
