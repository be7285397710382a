"""criterion.rs: sample.json and estimates.json of target/criterion, and the messages of cargo-criterion."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.units import SECONDS
from virtometer.imports.value import Origin, Value

_SOURCE = "https://bheisler.github.io/criterion.rs/book/"


def recognises(content: Content) -> bool:
    """An object with iterations and times, or one with estimates."""
    document = content.document
    if document is None:
        return False
    return document.has("sampling_mode", "iters", "times") or (
        document.has("mean", "median", "std_dev") and document["mean"].has("point_estimate")
    )


def read(content: Content) -> Iterator[Value]:
    """The time of one iteration in each sample; of estimates the mean. The directory names the benchmark."""
    document = content.document
    assert document is not None
    name = _benchmark(content)
    if not document.has("times"):
        mean = 1e-9 * document["mean"]["point_estimate"].number()
        yield Value(name, "time", "s", "lower", mean, Origin.SUMMARY)
        return
    yield from _samples(name, document["iters"], document["times"], 1e-9)


def recognises_messages(content: Content) -> bool:
    """JSON lines with a reason of cargo-criterion."""
    return content.first_line.startswith("{") and any(
        one.value.get("reason") in ("benchmark-complete", "group-complete") for one in content.objects
    )


def read_messages(content: Content) -> Iterator[Value]:
    """The time of one iteration in each sample of each benchmark."""
    for message in content.objects:
        if message.value.get("reason") != "benchmark-complete":
            continue
        unit = message["unit"]
        if unit.text() not in SECONDS:
            raise UsageError(f"{unit.place}: the unit {unit.text()} is no time; its direction is not known")
        name, scale = message["id"].text(), SECONDS[unit.text()]
        yield from _samples(name, message["iteration_count"], message["measured_values"], scale)


def _samples(name: str, iterations: Node, times: Node, scale: float) -> Iterator[Value]:
    counts, spent = list(iterations), list(times)
    if len(counts) != len(spent):
        raise UsageError(f"{times.place} has {len(spent)} values, but there are {len(counts)} numbers of iterations")
    for count, time in zip(counts, spent, strict=True):
        if count.number() <= 0:
            raise UsageError(f"{count.place} is not above 0")
        yield Value(name, "time", "s", "lower", scale * time.number() / count.number(), Origin.REPETITION)


def _benchmark(content: Content) -> str:
    """target/criterion/GROUP/FUNCTION/new/sample.json has GROUP/FUNCTION. Raises UsageError outside of criterion."""
    parts = content.path.parts[:-1]
    if parts and parts[-1] in ("new", "base", "change"):
        parts = parts[:-1]
    names = parts[len(parts) - parts[::-1].index("criterion") :] if "criterion" in parts else ()
    if not names:  # how many directories are the name is not known elsewhere: two benchmarks would become one
        raise UsageError(
            f"{content.name} is in no directory below criterion, which would name its benchmark",
            advice="keep the directories of criterion: criterion/BENCHMARK/new/sample.json",
        )
    return "/".join(names)


CRITERION = Format(
    "criterion",
    "target/criterion/BENCHMARK/new/sample.json (or estimates.json)",
    f"{_SOURCE}user_guide/csv_output.html",
    recognises,
    read,
)
CRITERION_MESSAGES = Format(
    "criterion-messages",
    "cargo criterion --message-format=json",
    f"{_SOURCE}cargo_criterion/external_tools.html",
    recognises_messages,
    read_messages,
)
