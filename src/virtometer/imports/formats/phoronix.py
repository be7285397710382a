"""Phoronix Test Suite: composite.xml, with the single runs of each test and each system."""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.units import BYTES, SECONDS, number
from virtometer.imports.value import LeftOut, Origin, Value
from virtometer.model import Better
from virtometer.visible import visible

_ROOT = "PhoronixTestSuite"
_BARS = "BAR_GRAPH"
_MOST_DEPTH = 50
_DIRECTIONS: dict[str, Better] = {"LIB": "lower", "HIB": "higher"}


class _Refused(Exception):
    """What the parser must not go on with."""


def recognises(content: Content) -> bool:
    """XML with the root of the Phoronix Test Suite."""
    return content.first_line.startswith("<") and f"<{_ROOT}" in content.text[:65536]


def read(content: Content) -> Iterator[Value | LeftOut]:
    """The raw values of each system, which is the environment; the mean where there are none.

    Results of other displays than bars are left out: those of lines have a series, and others have no numbers.

    Raises UsageError for wrong XML, and for declarations of entities, which the suite does not write.
    """
    for result in _results(content):
        proportion = result.get("Proportion", "")
        better = _DIRECTIONS.get(proportion)
        scale_name = result.get("Scale", "")
        if better is None:
            continue  # a result that is shown, and not compared
        unit, scale = _unit(scale_name)
        words = (result.get("Title", ""), result.get("Description", "") or result.get("Arguments", ""))
        name = " ".join(word for word in words if word) or "test"
        if (display := result.get("DisplayFormat") or _BARS) != _BARS:
            yield LeftOut(name, f"a result with the display {visible(display[:40])} has no single values")
            continue
        system = result.get("System", "")
        single = [one for one in result.get("RawString", "").split(":") if one]
        origin = Origin.START if single else Origin.SUMMARY
        for start, text in enumerate(single or [result.get("Value", "")], 1):
            value = number(text.strip())
            if value is None and text.strip():
                raise UsageError(f"{content.name}: the value {text[:40]} of {name[:80]} is not a number")
            metric = scale_name or "value"
            yield Value(name, metric, unit, better, None if value is None else scale * value, origin, start, system)


def _unit(scale: str) -> tuple[str, float]:
    if scale.lower() in SECONDS:
        return "s", SECONDS[scale.lower()]
    size, _, per = scale.partition("/")
    if per == "s" and size in BYTES:
        return "B/s", BYTES[size]
    return scale or "1", 1.0


def _results(content: Content) -> list[dict[str, str]]:
    """One for each entry of each result: texts of the result's elements, with Value and RawString of its system."""
    found: list[dict[str, str]] = []
    path: list[str] = []
    result: dict[str, str] = {}
    entry: dict[str, str] = {}
    text: list[str] = []
    parser = expat.ParserCreate()

    def begin(tag: str, _: object) -> None:
        if not path and tag != _ROOT:
            raise _Refused(f"the root is {tag[:40]}, not {_ROOT}")
        path.append(tag)
        text.clear()
        if len(path) > _MOST_DEPTH:
            raise _Refused("the XML is nested too deeply")
        if path[1:] == ["Result"]:
            result.clear()
        elif path[1:] == ["Result", "Data", "Entry"]:
            entry.clear()

    def end(tag: str) -> None:
        own = "".join(text).strip()
        text.clear()
        match path[1:]:
            case ["Result", name]:
                result[name] = own
            case ["Result", "Data", "Entry", name]:
                entry["System" if name == "Identifier" else name] = own
            case ["Result", "Data", "Entry"]:
                found.append(result | entry)
        path.pop()

    def entity(*_: object) -> None:
        raise _Refused("it declares entities, which the Phoronix Test Suite does not")

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = text.append
    parser.EntityDeclHandler = entity
    parser.ExternalEntityRefHandler = None
    try:
        parser.Parse(content.text.encode(), True)
    except _Refused as cause:
        raise UsageError(f"{content.name}: {cause}") from cause
    except expat.ExpatError as cause:
        raise UsageError(f"{content.name}:{cause.lineno}: the XML is wrong here; the file may be cut") from cause
    return found


PHORONIX = Format(
    "phoronix",
    "composite.xml of a result of the Phoronix Test Suite",
    "https://github.com/phoronix-test-suite/phoronix-test-suite/tree/master/documentation",
    recognises,
    read,
)
