"""hyperfine --export-json: the wall time of each start of a command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.value import Origin, Value


def recognises(content: Content) -> bool:
    """A list `results` whose elements have a command."""
    document = content.document
    if document is None or not document.has("results"):
        return False
    first = document["results"].first()
    return first is not None and first.has("command", "mean")


def read(content: Content) -> Iterator[Value]:
    """The time of each run, empty where its exit status is not 0; its peak of memory where that is there."""
    assert content.document is not None
    results = list(content.document["results"])
    named = Counter(result["command"].text() for result in results)
    for result in results:
        name = result["command"].text()
        if named[name] > 1 and (parameters := result.get("parameters")) is not None:
            name += " (" + ", ".join(f"{key}={level.value}" for key, level in parameters.items()) + ")"
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


HYPERFINE = Format(
    "hyperfine",
    "hyperfine --export-json FILE",
    "https://github.com/sharkdp/hyperfine (README: exporting results)",
    recognises,
    read,
)
