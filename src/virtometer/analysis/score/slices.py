"""The samples of work that was done in slices: which of them count, and what long windows beside slices reached.

A sample has the number of its slice; below 0 it belongs to a long window.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from virtometer.analysis.score.of_run import per_unit
from virtometer.model import Run, Sample, SetAside, columns_of


def counted_in_slices(samples: Sequence[Sample], run_in_s: float = 0.0) -> tuple[Sample, ...]:
    """The samples of a run that counts by its slices: long windows beside them and run-ins are set aside."""
    return without_run_in(long_windows_apart(samples), run_in_s)


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
    """The samples, with those of long windows set aside where there are slices as well."""
    there = any(sample.slice is not None and sample.slice >= 0 for sample in samples)
    mark = "a long window, which is compared with long windows alone"
    return _apart(samples, SetAside.LONG_WINDOW, lambda number: mark if there and number < 0 else None)


def slices_apart(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples, with those of slices set aside."""
    mark = "a slice, which does not show the speed of a long window"
    return _apart(samples, SetAside.SLICE, lambda number: mark if number >= 0 else None)


def before_apart(samples: Sequence[Sample], first: int) -> tuple[Sample, ...]:
    """The samples, with those of slices before number `first` set aside: their rounds were repeated."""
    mark = "a window before its rounds were repeated, because guests hardly ran together"
    return _apart(samples, SetAside.OUTSIDE, lambda number: mark if 0 <= number < first else None)


def disturbed_apart(samples: Sequence[Sample], reasons: Mapping[int, str]) -> tuple[Sample, ...]:
    """The samples, with those of disturbed slices set aside: `reasons` has a sentence for the number of each."""
    return _apart(samples, SetAside.DISTURBED, reasons.get)


def _apart(samples: Sequence[Sample], why: SetAside, mark_of: Callable[[int], str | None]) -> tuple[Sample, ...]:
    """mark_of: from the number of a slice what its samples are marked with; None: nothing."""
    return tuple(
        sample
        if sample.slice is None or (mark := mark_of(sample.slice)) is None
        else replace(sample, set_aside=why, mark=mark)
        for sample in samples
    )


def without_run_in(samples: Sequence[Sample], run_in_s: float = 0.0) -> tuple[Sample, ...]:
    """The samples, with the first one of each slice set aside, where slices have several as a rule.

    So are those that begin in the first `run_in_s` of a slice (guest time, half an iteration early at most).
    A slice that is over after one sample, because the guest stood still in it, has no sample left then: the stop came
    in the run-in, which does not count. Where most slices have a single sample, such a slice is used whole.
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
                within = (sample.start_ns + sample.end_ns) / 2 - first < run_in_s * 1e9
                if sample.used and (at == 0 or within):
                    inside[at] = replace(sample, set_aside=SetAside.RUN_IN, mark=mark)
        found += inside
    return tuple(found)


def long_value(run: Run) -> float | None:
    """Total work / total time of a scored run's long windows, or its inverse for the unit s; None without any."""
    of = columns_of(run.samples)
    which = of.in_long_windows
    work = of.work_of(which)
    elapsed_s: float = sum(of.lasted_s(run.scored.clock.rate)[which].tolist())
    return per_unit(work, elapsed_s, run.unit) if work > 0 and elapsed_s > 0 else None
