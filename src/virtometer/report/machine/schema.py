"""The description of the machine interface: its JSON Schema, and the tables of docs/json.md, both from the fields."""

from __future__ import annotations

from typing import Any

from virtometer.report.machine.comparisons import COMPARISON
from virtometer.report.machine.document import REPORT
from virtometer.report.machine.field import Schema, Shape

_TITLE = "The machine interface of a report"


def _shapes() -> dict[str, Shape]:
    """Every shape of a report and of a comparison by its name, each before those that are within it."""
    found: dict[str, Shape] = {}
    left = [COMPARISON, REPORT]
    while left:
        one = left.pop()
        if one.name not in found:
            found[one.name] = one
            left += [field.of for field in reversed(one.fields) if field.of is not None]
    return found


def report_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        **REPORT.schema(),
        "$defs": {name: shape.schema() for name, shape in _shapes().items() if shape is not REPORT},
    }


def report_tables() -> str:
    """A table for each shape: the reference in docs/json.md."""
    return "\n".join(map(_section, _shapes().values()))


def _section(of: Shape) -> str:
    about = f"{of.meaning[0].upper()}{of.meaning[1:]}."
    rows = [f"| `{one.name}` | {_words(one.schema)} | {one.meaning} |" for one in of.fields]
    return "\n".join([f"## {of.name}", "", about, "", "| field | type | meaning |", "|---|---|---|", *rows, ""])


def _words(schema: Schema) -> str:
    """A type in words."""
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return ", ".join("null" if one is None else f"`{one}`" if one else "empty" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_words, schema["anyOf"]))
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if schema["type"] == "array":
        return f"list of {_words(schema['items'])}" if "items" in schema else "empty list"
    return " or ".join(schema["type"]) if isinstance(schema["type"], list) else str(schema["type"])
