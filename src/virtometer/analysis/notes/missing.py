"""What is missing, and why: environments that do not work here, failed trials, excluded samples.

A failed trial has a reason and never a value. Nothing here is ever turned into a zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import TreatmentData, usable
from virtometer.analysis.note import Note
from virtometer.analysis.score import judged
from virtometer.counted import counted
from virtometer.model import (
    UNAVAILABLE,
    EnvironmentStatus,
    Excluded,
    FailureKind,
    FaultKind,
    Mark,
    MarkKind,
    Sample,
    TrialRecord,
    columns_of,
)


@dataclass(frozen=True, slots=True)
class About:
    """What trials or samples have in common whose reasons are shown as one.

    workload, guest: names, empty where the reason is about no single one. fault: of the guest's clock.
    """

    kind: FailureKind | MarkKind | Excluded
    workload: str = ""
    guest: str = ""
    fault: FaultKind | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why trials failed or were marked, or samples were not used.

    count: of the trials, marks or samples. sentence: of the first of them. alike: whether all have this sentence.
    """

    about: About
    count: int
    sentence: str
    alike: bool = True

    @property
    def shown(self) -> str:
        """The sentence, called an example where others have another one."""
        return self.sentence if self.alike else f"{self.sentence} (for example)"


_FEW = 0.05  # of the samples: so few disturbed slices, which were made up for, are only counted in the report


def unavailable(data: TreatmentData, status: EnvironmentStatus | None) -> list[str] | None:
    """Reasons why a treatment has no value and will have none, or None when it has one or may still get one.

    What failed, or was lost because of a faulty clock, may be measured another time: it is not absent, but undecided.
    """
    if data.values:
        return None
    if status is not None and not status.works:
        return [f"{UNAVAILABLE}: {status.reason or 'its check failed and gave no reason'}"]
    if data.failed and not data.results and all(record.unavailable for record in data.failed):
        return [f"{UNAVAILABLE}: {one.shown}{_times(one.count)}" for one in failures(data.failed)]
    return None


def notes(data: TreatmentData, *, name: str) -> list[Note]:
    """Notes of failed trials, marked trials and excluded samples, with `name` where it is not empty."""
    where = f" in {name}" if name else ""
    of = counted(data.tried, "trial") + where
    at_fault, absent = ([one for one in data.failed if one.at_fault is fault] for fault in (True, False))
    failed = [f"{one.count} of {of} failed: {one.shown}" for one in failures(at_fault)]
    failed += [f"{one.count} of {of} {UNAVAILABLE}: {one.shown}" for one in failures(absent)]
    said = [Note(text, text) for text in failed]
    unusable = len({record.trial.index for record, result in data.results if not usable(result)})
    if unusable:
        text = f"{unusable} of {of} gave no usable value and left their blocks incomplete"
        said.append(Note(text, text))
    marks = Counter(kind for record in data.done for kind in dict.fromkeys(mark.kind for mark in record.marks))
    said += [
        Note(f"{count} of {of} marked as disturbed, and kept: {kind}", f"trials marked as disturbed, and kept: {kind}")
        for kind, count in marks.items()
    ]
    samples = sum(len(result.samples) for _, result in data.results)
    aside = unused(result.samples for _, result in data.results)
    few = samples * _FEW
    said += [
        Note(f"{one.count} of {samples} samples{where} not used: {one.shown}", f"samples not used: {_brief(one)}")
        for one in aside
        if one.about.kind is not Excluded.DISTURBED or one.count > few
    ]
    share = judged.unmet(result for _, result in data.results)
    if share is not None:
        text = f"{share:.0%} of the requests that were offered{where} were answered in their time"
        said.append(Note(text, text))
    return said


def failures(records: Iterable[TrialRecord]) -> tuple[Reason, ...]:
    """Why these trials failed; the most frequent reason first. One that did not fail is left out."""
    return _reasons((_about(record), record.failure.reason) for record in records if record.failure is not None)


def marked(marks: Iterable[Mark]) -> tuple[Reason, ...]:
    """What disturbed trials that were kept, by its kind; the most frequent first."""
    return _reasons((About(mark.kind), mark.text) for mark in marks)


def unused(runs: Iterable[Sequence[Sample]]) -> tuple[Reason, ...]:
    """Why samples of runs are not used; the most frequent reason first. Others are left out."""
    lost = (one for samples in runs if columns_of(samples).unused.any() for one in samples if one.unused)
    aside = ((sample.excluded, sample.mark) for sample in lost)
    return _reasons((About(kind), mark or "no reason reported") for kind, mark in aside if kind is not None)


def _brief(reason: Reason) -> str:
    """Why samples are not used, without the figures of one of them where each has its own."""
    if reason.about.kind is Excluded.DISTURBED:
        return "others had the guest's processors"
    return reason.shown


def _about(record: TrialRecord) -> About:
    """A guest that does not start has no workload yet."""
    assert record.failure is not None
    kind, number = record.failure.kind, record.failure.placement
    if number is None:
        return About(kind)
    placement = record.trial.placements[number]
    faults = (run.fault.kind for run in record.runs if run.placement.ordinal == number and run.fault is not None)
    workload = "" if kind is FailureKind.START else placement.workload
    return About(kind, workload, placement.guest_key.name, next(faults, None))


def _reasons(of: Iterable[tuple[About, str]]) -> tuple[Reason, ...]:
    counts: Counter[About] = Counter()
    sentences: dict[About, dict[str, None]] = {}
    for about, sentence in of:
        counts[about] += 1
        sentences.setdefault(about, {}).setdefault(sentence)
    return tuple(
        Reason(about, count, next(iter(sentences[about])), len(sentences[about]) == 1)
        for about, count in counts.most_common()
    )


def _times(count: int) -> str:
    return f" ({count} trials)" if count > 1 else ""
