"""What a field of a result is: its name, its type with the unit, its meaning, and where its value stands.

A `Shape` is a JSON object with such fields, declared as a table with a line for each field. Rows of the machine
interface, the JSON Schema, the columns of CSV tables and the page docs/json.md are made from shapes.

    name          type      meaning, which goes on in lines that are indented more
    name=a.b      type?     the value is that of the attribute b of a; null where either is None
    first=0       type[]    0 is the first item of a tuple
    sum           ~number   three fields: the value of an Estimate as `sum`, its bounds as `sum_low` and `sum_high`
    x,lo,hi,n=y   ~number   with other names, and the number of replicates (0 without an estimate)

`?` after a type: or null. `[]`: a list. A type is one of TYPES, texts with | between them, or the name of a shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from virtometer.report.parts.plain import plain

Schema = Mapping[str, Any]
"""A type, as JSON Schema has it."""

Getter = Callable[[Any], Any]

TYPES: dict[str, Schema] = {
    "text": {"type": "string"},
    "flag": {"type": "boolean"},
    "object": {"type": "object"},
    "number": {"type": "number"},
    "bound": {"type": "number", "minimum": 0},
    "positive": {"type": "number", "exclusiveMinimum": 0},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "from-one": {"type": "number", "minimum": 1},
    "integer": {"type": "integer"},
    "count": {"type": "integer", "minimum": 0},
    "ordinal": {"type": "integer", "minimum": 1},
}
SHAPES: dict[str, Shape] = {}
"""Every shape, by its name."""

_ROW = re.compile(r"(?P<names>[\w,-]+)(?:=(?P<path>[\w.]+))?\s+(?P<type>\S+)(?:\s+(?P<meaning>.*))?")
_BETWEEN = " // "  # the meaning of an estimate, and that of its interval


@dataclass(frozen=True, slots=True)
class Field:
    """One field. of: the shape of its value, or of each of its values. many: its value is a list of them."""

    name: str
    schema: Schema
    meaning: str
    get: Getter
    of: Shape | None = None
    many: bool = False

    def row(self) -> Getter:
        """What takes the value of the field for a row: objects become rows of their own."""
        get, of = self.get, self.of
        if of is None:
            return get
        if self.many:
            return lambda one: [of.row(each) for each in get(one)]
        return lambda one: None if (found := get(one)) is None else of.row(found)


class Shape:
    """An object of the machine interface. `name`: in the schema; `meaning`: what one is, in words."""

    def __init__(
        self,
        name: str,
        meaning: str,
        table: str,
        *,
        types: Mapping[str, Schema] | None = None,
        get: Mapping[str, Getter] | None = None,
        head: str = "",
        columns: Mapping[str, str] | None = None,
        conditions: Schema | None = None,
    ) -> None:
        """`table` declares the fields. ValueError for a line that is none, and for a name that is there already.

        types: more of them, by name. get: what takes a value that is no attribute, by field. head: the field
        whose column in CSV has the name of the object alone. columns: names of columns in CSV, in place of those of
        the fields. conditions: what JSON Schema says of several fields jointly.
        """
        self.name, self.meaning, self._head, self._columns = name, meaning, head, dict(columns or {})
        self._conditions = dict(conditions or {})
        known = {**TYPES, **(types or {})}
        self.fields = tuple(chain.from_iterable(_fields(line, known, get or {}) for line in _lines(table)))
        if len({field.name for field in self.fields}) != len(self.fields) or name in SHAPES:
            raise ValueError(f"{name} or a field of it is there twice")
        SHAPES[name] = self
        self._getters = [(field.name, field.row()) for field in self.fields]

    def row(self, of: Any) -> dict[str, Any]:  # noqa: ANN401 - what the shape is of
        """The fields with their values; `plain` makes them fit for JSON."""
        return {name: get(of) for name, get in self._getters}

    def schema(self) -> dict[str, Any]:
        """As JSON Schema has it."""
        return {
            **({"description": self.meaning} if self.meaning else {}),
            "type": "object",
            "additionalProperties": False,
            "required": [field.name for field in self.fields],
            "properties": {
                one.name: dict(one.schema) | ({"description": one.meaning} if one.meaning else {})
                for one in self.fields
            },
            **self._conditions,
        }

    def columns(self, prefix: str = "") -> list[str]:
        """Names of the columns of CSV. Lists of objects have none."""
        flat = self._flat(prefix)
        return list(chain.from_iterable([name] if one.of is None else one.of.columns(name) for name, one in flat))

    def cells(self, of: Any, prefix: str = "") -> Iterator[tuple[str, object]]:  # noqa: ANN401 - as `row`
        """The columns with their cells; all empty for None. A list is one text, its parts apart by ` | `."""
        for column, field in self._flat(prefix):
            value = None if of is None else field.get(of)
            if field.of is None:
                yield column, _cell(plain(value))
            else:
                yield from field.of.cells(value, column)

    def _flat(self, prefix: str) -> Iterator[tuple[str, Field]]:
        """Fields that are no list of objects, with the names of their columns."""
        for field in self.fields:
            if not field.many:
                own = "" if prefix and field.name == self._head else self._columns.get(field.name, field.name)
                yield "_".join(part for part in (prefix, own) if part), field


def _lines(table: str) -> Iterator[str]:
    """The lines of a table, each with those that go on with it."""
    lines = table.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    for part in re.split(rf"\n(?= {{{indent}}}\S)", "\n".join(lines).rstrip()):
        yield re.sub(r"\n\s*", " ", part.strip())


def _fields(line: str, types: Mapping[str, Schema], get: Mapping[str, Getter]) -> Iterator[Field]:
    found = _ROW.fullmatch(line)
    if found is None:
        raise ValueError(f"this declares no field: {line}")
    names, kind, meaning = found["names"].split(","), found["type"], found["meaning"] or ""
    getter = get.get(names[0]) or _path((found["path"] or names[0]).split("."))
    if not kind.startswith("~"):
        of = SHAPES.get(kind.rstrip("?[]"))
        yield Field(names[0], _type(kind, types), meaning, getter, of, many=of is not None and kind.endswith("[]"))
        return
    schema = _type(f"{kind[1:]}?", types)
    meaning, _, interval = meaning.partition(_BETWEEN)
    value, low, high, *n = names if len(names) > 1 else (names[0], f"{names[0]}_low", f"{names[0]}_high")
    yield Field(value, schema, meaning, _part(getter, "value"))
    yield Field(low, schema, interval or f"interval of {value}", _part(getter, "low"))
    yield Field(high, schema, interval or f"interval of {value}", _part(getter, "high"))
    yield from (Field(name, TYPES["count"], "blocks behind it", _part(getter, "n", 0)) for name in n)


def _part(getter: Getter, name: str, without: object = None) -> Getter:
    """What takes a part of an estimate."""
    return lambda of: without if (one := getter(of)) is None else getattr(one, name)


def _path(steps: list[str]) -> Getter:
    """What follows attributes, and positions in tuples, until one is None."""

    def follow(of: Any) -> Any:  # noqa: ANN401 - whatever stands there
        for step in steps:
            if of is None:
                return None
            of = of[int(step)] if step.isdigit() else getattr(of, step)
        return of

    return follow


def _type(kind: str, types: Mapping[str, Schema]) -> Schema:
    """As JSON Schema has it. ValueError for a type that is not known."""
    if kind.endswith("[]"):
        return {"type": "array", "items": _type(kind.removesuffix("[]"), types)}
    if kind.endswith("?"):
        return _maybe(_type(kind.removesuffix("?"), types))
    if kind in SHAPES:
        return {"$ref": f"#/$defs/{kind}"}
    if "|" in kind:
        return {"enum": kind.split("|")}
    if kind not in types:
        raise ValueError(f"there is no type {kind}")
    return types[kind]


def _maybe(schema: Schema) -> Schema:
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def _cell(value: object) -> object:
    if isinstance(value, list):
        return " | ".join(map(str, value))
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    return value


def texts(of: type[StrEnum]) -> Schema:
    """The type of an enumeration."""
    return {"enum": [one.value for one in of]}


def by_name(schema: Schema) -> Schema:
    """The type of values of one type by names of their own."""
    return {"type": "object", "additionalProperties": schema}


def line(value: object) -> str:
    """A value as JSON in one line."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
