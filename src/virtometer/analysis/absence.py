"""What is not there, and why: environments that do not work here, trials that failed, samples that were set aside.

A failed trial has a reason and never a value. Nothing here is ever turned into a zero.
"""

from __future__ import annotations

from collections import Counter

from virtometer.analysis.blocks import Cell, usable
from virtometer.model import EnvironmentStatus

NOT_AVAILABLE = "not available here"


def unavailable(cell: Cell, status: EnvironmentStatus | None) -> list[str] | None:
    """Reasons why a cell has no value and will have none, or None when it has one or may still get one."""
    if cell.values:
        return None
    if status is not None and not status.works:
        return [f"{NOT_AVAILABLE}: {status.reason or 'its check failed and gave no reason'}"]
    if cell.failed and not cell.results:
        return [f"{NOT_AVAILABLE}: {_bare(reason)}{_times(count)}" for reason, count in _reasons(cell).most_common()]
    return None


def notes(cell: Cell, *, name: str) -> list[str]:
    """Failed trials, marked trials and samples that were set aside; `name` is prefixed where it is not empty."""
    where = f" in {name}" if name else ""
    tried = len(cell.results) + len(cell.failed)
    said = [
        f"{count} of {tried} trials{where} failed: {_bare(reason)}" for reason, count in _reasons(cell).most_common()
    ]
    unusable = sum(not usable(result) for _, result in cell.results)
    if unusable:
        said.append(f"{unusable} of {tried} trials{where} gave no usable value and left their blocks incomplete")
    marks = Counter(mark for record, _ in cell.results for mark in dict.fromkeys(record.marks))
    said += [f"{count} of {tried} trials{where} marked, and kept: {mark}" for mark, count in marks.most_common()]
    samples = sum(len(result.samples) for _, result in cell.results)
    aside = Counter(
        sample.mark or "no reason told" for _, result in cell.results for sample in result.samples if not sample.used
    )
    said += [f"{count} of {samples} samples{where} not used: {mark}" for mark, count in aside.most_common()]
    return said


def _reasons(cell: Cell) -> Counter[str]:
    return Counter(record.reason or "no reason told" for record in cell.failed)


def _bare(reason: str) -> str:
    return reason.removeprefix(NOT_AVAILABLE).removeprefix(":").strip() or "no reason told"


def _times(count: int) -> str:
    return f" ({count} trials)" if count > 1 else ""
