"""The text of a configuration of Iometer (.icf), in the form of its version 2006.07.27. PURE.

A line that begins with an apostrophe names what follows, and lines with a tab hold it. Later versions read this form.
The key of the update frequency differs between versions, so the file has none, and Iometer keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from virtometer.cli.plan.access_specifications import IDLE, AccessSpecification, iometer_text, workers

VERSION = "Version 2006.07.27"
RAMP_UP_S = 1
"""The agent makes the same requests before it measures, to find how many there are in an iteration."""
LONGEST_TARGET = 79
"""Characters of the name of a disk in Iometer."""

_BARS = {
    1: "Total I/Os per Second",
    # The names of throughputs differ between versions.
    3: "Average I/O Response Time (ms)",
    4: "Maximum I/O Response Time (ms)",
    5: "% CPU Utilization (total)",
    6: "Total Error Count",
}


def run_time_s(specifications: Sequence[AccessSpecification]) -> int:
    """Whole seconds, which all specifications have in common: those of the longest window."""
    return ceil(max(one.seconds for one in specifications))


def icf_text(description: str, specifications: Sequence[AccessSpecification], target: str) -> str:
    """The file, with the ends of lines of Windows. target: name of a disk in Iometer; none where it is empty."""
    lines = [
        f"{VERSION} ",
        *_test_setup(description, run_time_s(specifications)),
        *_results_display(),
        *_access_specifications(specifications),
        *_manager_list(specifications, target),
        f"{VERSION} ",
    ]
    return "".join(f"{line}\r\n" for line in lines)


def _test_setup(description: str, seconds: int) -> Iterator[str]:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    cycling = _row("start", "step", "step type"), _row(1, 1, "LINEAR")
    yield _section("TEST SETUP")
    yield from _item("Test Description", iometer_text(description))
    yield from _item("Run Time", _row(hours, minutes, rest), columns=_row("hours", "minutes", "seconds"))
    yield from _item("Ramp Up Time (s)", RAMP_UP_S)
    yield from _item("Default Disk Workers to Spawn", "NUMBER_OF_CPUS")
    yield from _item("Default Network Workers to Spawn", 0)
    # The rows of workers say which specification ran, where some workers had nothing to do.
    yield from _item("Record Results", "ALL")
    yield from _item("Worker Cycling", cycling[1], columns=cycling[0])
    yield from _item("Disk Cycling", cycling[1], columns=cycling[0])
    yield from _item(
        "Queue Depth Cycling", _row(1, 32, 2, "EXPONENTIAL"), columns=_row("start", "end", "step", "step type")
    )
    yield from _item("Test Type", "NORMAL")
    yield "'END test setup"


def _results_display() -> Iterator[str]:
    yield _section("RESULTS DISPLAY")
    for number, statistic in _BARS.items():
        yield from _item(f"Bar chart {number} statistic", statistic)
    yield "'END results display"


def _access_specifications(specifications: Sequence[AccessSpecification]) -> Iterator[str]:
    yield _section("ACCESS SPECIFICATIONS")
    for one in specifications:
        yield from _item("Access specification name,default assignment", f"{one.name},NONE")
        yield "'size,% of size,% reads,% random,delay,burst,align,reply"
        for line in one.lines:
            numbers = (line.size, line.share, line.reads, line.random, line.delay, line.burst, line.align, 0)
            yield f"\t{','.join(map(str, numbers))}"
    yield "'END access specifications"


def _manager_list(specifications: Sequence[AccessSpecification], target: str) -> Iterator[str]:
    """One manager. Iometer takes the one that it has for the one of the file, whatever their names are."""
    yield _section("MANAGER LIST")
    yield from _item("Manager ID, manager name", "1,virtometer")
    yield from _item("Manager network address", "")
    number = 0
    for settings, count in workers(specifications).items():
        for thread in range(count):
            number += 1
            assigned = [
                one.name if (one.depth, one.sectors) == settings and thread < one.workers else IDLE
                for one in specifications
            ]
            yield from _worker(f"Worker {number}", *settings, assigned, target)
    yield "'End manager"
    yield "'END manager list"


def _worker(name: str, depth: int, sectors: int, assigned: Sequence[str], target: str) -> Iterator[str]:
    """assigned: what it does in each test, one test after the other."""
    yield from _item("Worker", name)
    yield from _item("Worker type", "DISK")
    yield "'Default target settings for worker"
    yield from _item(
        "Number of outstanding IOs,test connection rate,transactions per connection", f"{depth},DISABLED,1"
    )
    yield from _item("Disk maximum size,starting sector", f"{sectors},0")
    yield "'End default target settings for worker"
    yield "'Assigned access specs"
    yield from (f"\t{one}" for one in assigned)
    yield "'End assigned access specs"
    yield "'Target assignments"
    if target:
        yield from _item("Target", target)
        yield from _item("Target type", "DISK")
        yield "'End target"
    yield "'End target assignments"
    yield "'End worker"


def _section(name: str) -> str:
    return f"'{name} ".ljust(80, "=")


def _item(name: str, value: str | int, *, columns: str = "") -> Iterator[str]:
    yield f"'{name}"
    if columns:
        yield f"'\t{columns}"
    yield f"\t{value}"


def _row(*values: str | int) -> str:
    return "".join(f"{value!s:<11}" for value in values).rstrip()
