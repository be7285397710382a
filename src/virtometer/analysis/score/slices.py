"""The samples of work that was done in slices: which of them count, and what long windows beside slices reached.

A sample has the number of its slice; below 0 it belongs to a long window.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from virtometer.analysis.score.of_run import per_unit
from virtometer.model import Excluded, Run, Sample, columns_of


def counted_in_slices(samples: Sequence[Sample], warm_up_s: float = 0.0) -> tuple[Sample, ...]:
    """The samples of a run that counts by its slices: long windows beside them and warm-ups are excluded."""
    return without_warm_up(long_windows_apart(samples), warm_up_s)


def long_windows(samples: Sequence[Sample]) -> dict[int, list[Sample]]:
    """The samples of each long window, by its number, the first one first."""
    found: dict[int, list[Sample]] = {}
    if not columns_of(samples).in_long_windows.any():
        return found
    for sample in samples:
        if sample.slice is not None and sample.slice < 0:
            found.setdefault(sample.slice, []).append(sample)
    return found


def long_windows_apart(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples, with those of long windows excluded where there are slices as well."""
    there = any(sample.slice is not None and sample.slice >= 0 for sample in samples)
    mark = "a long window, which is compared with long windows alone"
    return _apart(samples, Excluded.LONG_WINDOW, lambda number: mark if there and number < 0 else None)


def slices_apart(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples, with those of slices excluded."""
    mark = "a slice, which does not show the speed of a long window"
    return _apart(samples, Excluded.SLICE, lambda number: mark if number >= 0 else None)


def before_apart(samples: Sequence[Sample], first: int) -> tuple[Sample, ...]:
    """The samples, with those of slices before number `first` excluded: their rounds were repeated."""
    mark = "a window before its rounds were repeated, because guests hardly ran at the same time"
    return _apart(samples, Excluded.OUTSIDE, lambda number: mark if 0 <= number < first else None)


def disturbed_apart(samples: Sequence[Sample], reasons: Mapping[int, str]) -> tuple[Sample, ...]:
    """The samples, with those of disturbed slices excluded: `reasons` has a sentence for the number of each."""
    return _apart(samples, Excluded.DISTURBED, reasons.get)


def _apart(samples: Sequence[Sample], why: Excluded, mark_of: Callable[[int], str | None]) -> tuple[Sample, ...]:
    """mark_of: from the number of a slice what its samples are marked with; None: nothing."""
    return tuple(
        sample
        if sample.slice is None or (mark := mark_of(sample.slice)) is None
        else replace(sample, excluded=why, mark=mark)
        for sample in samples
    )


def without_warm_up(samples: Sequence[Sample], warm_up_s: float = 0.0) -> tuple[Sample, ...]:
    """The samples, with the first sample of each slice excluded, where slices have several as a rule.

    Samples that begin in the first `warm_up_s` of a slice are excluded too (guest time, half an iteration early at
    most). A slice has no sample left where it is over after one, because the guest stalled in it: The stall came in
    the warm-up, which does not count. Where most slices have a single sample, such a slice is used whole.
    """
    mark = "at the beginning of a slice, after the work of others"
    groups = [
        (number is not None and number >= 0, list(group))
        for number, group in itertools.groupby(samples, lambda sample: sample.slice)
    ]
    sizes = [len(inside) for in_slice, inside in groups if in_slice]
    fewest = 1 if sizes and statistics.median(sizes) > 1 else 2
    found = []
    for in_slice, inside in groups:
        if in_slice and len(inside) >= fewest:
            first = inside[0].start_ns
            for at, sample in enumerate(inside):
                within = (sample.start_ns + sample.end_ns) / 2 - first < warm_up_s * 1e9
                if sample.used and (at == 0 or within):
                    inside[at] = replace(sample, excluded=Excluded.WARM_UP, mark=mark)
        found += inside
    return tuple(found)


def long_value(run: Run) -> float | None:
    """Total work / total time of a scored run's long windows, or its inverse for the unit s; None without any."""
    of = columns_of(run.samples)
    which = of.in_long_windows
    work = of.work_of(which)
    elapsed_s: float = sum(of.lasted_s(run.scored.clock.rate)[which].tolist())
    return per_unit(work, elapsed_s, run.unit) if work > 0 and elapsed_s > 0 else None
