"""What is said of a profile, in words, for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.analysis.profile.operations import COMPUTING
from virtometer.analysis.profile.predict import Prediction, Profile, Share
from virtometer.counted import counted
from virtometer.report.parts import words

_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))

LEAST = 0.005
"""Of the time natively: less is not worth a place in a sentence or a row of the terminal."""


def did(of: Profile) -> str:
    """What the command did natively, in a line."""
    counts = of.counts
    moved = [
        f"{_bytes(number)} {where}"
        for number, where in (
            (counts.read, "read from disks"), (counts.written, "written to disks"),
            (counts.sent, "sent through sockets"), (counts.received, "received through sockets"),
        )
        if number
    ]  # fmt: skip
    numbers = (
        (counts.system_calls, "system call"), (counts.minor_faults + counts.major_faults, "page fault"),
        (counts.waits, "wait"), (counts.preempted, "preemption"),
    )  # fmt: skip
    times = (f"{words.quantity(value, 's') if value else '0 s'} {name}" for value, name in _times(of))
    return "; ".join([", ".join(times), ", ".join(counted(number, name) for number, name in numbers), *moved])


def _times(of: Profile) -> Iterator[tuple[float, str]]:
    yield of.native_s, "natively"
    yield of.counts.user_s, "user"
    yield of.counts.system_s, "system"


def cost(of: Profile) -> str:
    """What profiling cost."""
    counts = of.counts
    return (
        f"counting made one run {words.significant(counts.slowed, 2)} times as long: "
        f"{words.quantity(counts.counted_s, 's')} instead of {words.quantity(counts.wall_s, 's')}"
    )


def explained(of: Prediction) -> str:
    """What explains how long a command takes somewhere, in a sentence: the largest part, and what is left."""
    whole = of.measured.value - 1
    text = f"{of.subject}: {signed(whole)} measured, {signed(of.predicted.value - 1)} predicted"
    parts = [one for one in of.shares if abs(one.extra) >= LEAST][:3]
    if parts:
        text += "; " + ", ".join(f"{_part(one)} = {signed(one.extra)}" for one in parts)
    return f"{text}; unexplained {signed(of.rest)}"


def _part(of: Share) -> str:
    if of.name == COMPUTING:
        return f"computing at an efficiency of {words.ratio(of.efficiency)}"
    extra_s = each_s(of)
    return f"{words.significant(of.a_second, 2)} {of.name} a second x {time(extra_s)}"


def each_s(of: Share) -> float:
    """Additional time of one, s."""
    return (of.there_s or 0.0) - (of.native_s or 0.0)


def time(seconds: float) -> str:
    """A time with its sign where it is below 0."""
    if not seconds:
        return "0 s"
    return f"{'-' if seconds < 0 else ''}{words.quantity(abs(seconds), 's')}"


def signed(share: float) -> str:
    """A share of the time natively in percent, with its sign."""
    if abs(share) < LEAST / 10:
        return "0 %"
    return f"{'-' if share < 0 else '+'}{words.significant(100 * abs(share), 2)} %"


def further(of: Profile) -> Iterator[str]:
    """Sentences about what has no price, or no price somewhere."""
    if of.unpriced:
        names = ", ".join(f"{number:,} {name}" for name, number in of.unpriced.items())
        yield f"without a price, so part of what is unexplained: {names}"
    if of.few:
        yield f"too few to matter: {', '.join(of.few)}"
    for one in of.predictions:
        if one.unmeasured:
            yield f"{one.subject}: the operation does not work there for {', '.join(one.unmeasured)}"
    if of.counts.busy_processors > 1:
        busy = words.significant(of.counts.busy_processors, 2)
        yield f"it keeps {busy} processors busy, so all additional time is divided by that"


def _bytes(number: float) -> str:
    size, name = next(((size, name) for size, name in _SIZES if number >= size), (1.0, "B"))
    return f"{words.significant(number / size)} {name}"
