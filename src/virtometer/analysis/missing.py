"""What is not there, and why: environments that do not work here, trials that failed, samples that were set aside.

A failed trial has a reason and never a value. Nothing here is ever turned into a zero.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from virtometer.analysis import judged
from virtometer.analysis.blocks import Cell, usable
from virtometer.analysis.counted import counted
from virtometer.model import UNAVAILABLE, EnvironmentStatus, TrialRecord

_NUMBER = re.compile(r"\d+([.,]\d+)*")


def unavailable(cell: Cell, status: EnvironmentStatus | None) -> list[str] | None:
    """Reasons why a cell has no value and will have none, or None when it has one or may still get one.

    What failed, or was lost to a lying clock, may be measured another time: it is not absent, but undecided.
    """
    if cell.values:
        return None
    if status is not None and not status.works:
        return [f"{UNAVAILABLE}: {status.reason or 'its check failed and gave no reason'}"]
    if cell.failed and not cell.results and all(record.unavailable for record in cell.failed):
        return [f"{UNAVAILABLE}: {reason}{_times(count)}" for reason, count in _failures(cell)]
    return None


def notes(cell: Cell, *, name: str) -> list[str]:
    """Failed trials, marked trials and samples that were set aside; `name` is told where it is not empty."""
    where = f" in {name}" if name else ""
    of = counted(cell.tried, "trial") + where
    said = [f"{count} of {of} failed: {reason}" for reason, count in _failures(cell, at_fault=True)]
    said += [f"{count} of {of} {UNAVAILABLE}: {reason}" for reason, count in _failures(cell, at_fault=False)]
    unusable = len({record.trial.index for record, result in cell.results if not usable(result)})
    if unusable:
        said.append(f"{unusable} of {of} gave no usable value and left their blocks incomplete")
    marks = Counter(kind for record in cell.done for kind in dict.fromkeys(mark.kind for mark in record.marks))
    said += [f"{count} of {of} marked as disturbed, and kept: {kind}" for kind, count in marks.items()]
    samples = sum(len(result.samples) for _, result in cell.results)
    aside = grouped(
        sample.mark or "no reason told" for _, result in cell.results for sample in result.samples if not sample.used
    )
    said += [f"{count} of {samples} samples{where} not used: {mark}" for mark, count in aside]
    share = judged.unmet(result for _, result in cell.results)
    if share is not None:
        said.append(f"{share:.0%} of the requests that were offered{where} were answered in their time")
    return said


def bare(record: TrialRecord) -> str:
    """Why a trial failed, without its environment and its kind, which its place in a report says already."""
    return record.failure.reason if record.failure is not None else ""


def grouped(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Count texts that differ in nothing but numbers as one, which the first speaks for; the most frequent first."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    same: dict[str, bool] = {}
    for text in texts:
        stem = _NUMBER.sub("#", text)
        counts[stem] += 1
        same[stem] = same.get(stem, True) and first.setdefault(stem, text) == text
    return [(first[s] if same[s] else f"{first[s]} (for example)", count) for s, count in counts.most_common()]


def _failures(cell: Cell, *, at_fault: bool | None = None) -> list[tuple[str, int]]:
    """Reasons with their counts: all, or those of failures at fault, or those of what cannot be done here."""
    chosen = (record for record in cell.failed if at_fault is None or record.at_fault is at_fault)
    return grouped(map(bare, chosen))


def _times(count: int) -> str:
    return f" ({count} trials)" if count > 1 else ""
