"""hyperfine --export-json: the wall time of each start of a command, in both schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.value import Origin, Value

_MEASURED = {
    "time_wall_clock": ("time", "second", "s"),
    "time_cpu": ("CPU time", "second", "s"),
    "time_user": ("user time", "second", "s"),
    "time_system": ("system time", "second", "s"),
    "memory_peak_resident": ("peak of memory", "byte", "B"),
}
"""What schema 2 has of each run: metric, hyperfine's word for the unit, and the unit."""


def recognises(content: Content) -> bool:
    """A list `results` whose elements have a command, with a mean (schema 1) or measurements (schema 2)."""
    document = content.document
    if document is None or not document.has("results"):
        return False
    first = document["results"].first()
    return first is not None and (first.has("command", "mean") or first.has("command", "measurements"))


def read(content: Content) -> Iterator[Value]:
    """The time of each run, empty where its exit status is not 0; its peak of memory where that is there.

    Schema 2 has the processor times of each run too.
    """
    assert content.document is not None
    results = list(content.document["results"])
    named = Counter(_name(result) for result in results)
    for result in results:
        name = _name(result)
        if named[name] > 1 and (parameters := result.get("parameters")) is not None:
            name += " (" + ", ".join(f"{key}={_level(level)}" for key, level in parameters.items()) + ")"
        if (measured := result.get("measurements")) is not None:
            yield from _of_schema_2(name, measured)
            continue
        if (times := result.get("times")) is None:
            yield Value(name, "time", "s", "lower", result["mean"].number(), Origin.SUMMARY)
            continue
        codes = [code.value for code in result["exit_codes"]] if result.get("exit_codes") else []
        memory = list(result["memory_usage_byte"]) if result.get("memory_usage_byte") else []
        for run, time in enumerate(times):
            failed = run < len(codes) and codes[run] != 0
            yield Value(name, "time", "s", "lower", None if failed else time.number(), Origin.START, run + 1)
            if run < len(memory):
                peak = None if failed else memory[run].number()
                yield Value(name, "peak of memory", "B", "lower", peak, Origin.START, run + 1)


def _of_schema_2(name: str, measured: Node) -> Iterator[Value]:
    for run, one in enumerate(measured, 1):
        failed = one["exit_code"].value != 0
        for key, (metric, word, unit) in _MEASURED.items():
            if (known := one.get(key)) is None:
                continue
            if known["unit"].text() != word:
                raise UsageError(f"{known['unit'].place} is not {word}, which is the unit of schema 2")
            yield Value(name, metric, unit, "lower", None if failed else known["value"].number(), Origin.START, run)


def _name(result: Node) -> str:
    """The user's name of a command, which schema 2 has beside it."""
    named = result.get("name")
    return (result["command"] if named is None else named).text()


def _level(of: Node) -> object:
    """The value of a parameter: schema 2 has it within an object."""
    return of["value"].value if isinstance(of.value, dict) else of.value


HYPERFINE = Format(
    "hyperfine",
    "hyperfine --export-json FILE",
    "https://github.com/sharkdp/hyperfine (README: exporting results)",
    recognises,
    read,
)
