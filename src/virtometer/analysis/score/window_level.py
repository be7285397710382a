"""Whether slices measure what a long window measures: the level of work at the beginning of a window and later.

A guest may work faster for the first moments than ever after. Reasons are a scheduler that first keeps its processes on
one processor, a cache, or a budget that is used up. Slices then measure only the beginning.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from virtometer.analysis.score.of_run import per_unit
from virtometer.analysis.score.slices import long_windows, without_warm_up
from virtometer.model import Sample

UNLIKE = math.log(1.5)
"""By which slices or beginnings differ from long windows for another reason than noise, as a log of a ratio."""

_FEWEST = 4
_ENOUGH = 10  # pieces of a window, for a small change of its speed to be told from noise


@dataclass(frozen=True, slots=True)
class WindowLevel:
    """What a long window reached where a slice ends, and in its second half (median of the pieces), in work per second.

    alone: whether the beginning lies outside the range of the pieces of the second half. pieces: how many there are.
    """

    beginning: float
    later: float
    alone: bool
    pieces: int = _ENOUGH

    def change(self, beside: WindowLevel | None = None) -> float:
        """Log of the speed of the second half by that of the beginning, less that of a window `beside` it.

        What both do alike, such as to begin with cold caches, does not change their ratio.
        """
        own = math.log(self.later / self.beginning)
        return own if beside is None else own - beside.change()

    def changes(self, margin: float, beside: WindowLevel | None = None) -> bool:
        """Whether the beginning differs from the second half by more than `margin`, and from each piece of it.

        With a window of the baseline `beside` it: whether it differs so otherwise than there. In windows of few
        pieces, only by much: chance alone puts the first of a few outside the range of the others.
        """
        both = [self] if beside is None else [self, beside]
        enough = min(one.pieces for one in both) >= _ENOUGH
        least = math.log1p(margin) if enough else max(UNLIKE, math.log1p(margin))
        return any(one.alone for one in both) and abs(self.change(beside)) > least


def level(samples: Iterable[Sample], piece_ns: int, warm_up_s: float = 0.0) -> WindowLevel | None:
    """The level of one long window, in pieces of `piece_ns` of the guest's time; None for too few of them.

    The first sample and those of the first `warm_up_s` are left out, as they are of a slice.
    """
    rates = []
    work = spent_ns = 0
    for sample in _after_warm_up(samples, warm_up_s):
        took_ns = sample.end_ns - sample.start_ns
        work, spent_ns = work + sample.work, spent_ns + took_ns
        if spent_ns > 0 and spent_ns >= piece_ns - took_ns / 2:
            rates.append(per_unit(work, spent_ns * 1e-9, "1/s"))
            work = spent_ns = 0
    if len(rates) < _FEWEST or min(rates) <= 0:
        return None
    first, half = rates[0], rates[len(rates) // 2 :]
    return WindowLevel(first, statistics.median(half), not min(half) <= first <= max(half), len(rates))


def _after_warm_up(samples: Iterable[Sample], warm_up_s: float) -> Iterator[Sample]:
    begin_ns: int | None = None
    for sample in samples:
        if begin_ns is not None and (sample.start_ns + sample.end_ns) / 2 - begin_ns >= warm_up_s * 1e9:
            yield sample
        begin_ns = sample.start_ns if begin_ns is None else begin_ns


def unlike(
    samples: Sequence[Sample], against: Sequence[Sample], piece_ns: int, warm_ups_s: tuple[float, float] = (0.0, 0.0)
) -> bool:
    """Whether the slices of one guest are much faster or slower than its long windows, and those of `against` not.

    Much is a factor of 1.5: a long window and the slices are some time apart, and the host is not the same. warm_ups_s:
    what is left out of the slices of either.
    """
    own = _slices_above_windows(samples, piece_ns, warm_ups_s[0])
    other = _slices_above_windows(against, piece_ns, warm_ups_s[1])
    return own is not None and abs(own) > UNLIKE and abs(own - (other or 0.0)) > UNLIKE


def _slices_above_windows(samples: Sequence[Sample], piece_ns: int, warm_up_s: float) -> float | None:
    """Log of the speed in slices by that in the second halves of long windows; None where one of them is unknown."""
    found = (level(window, piece_ns, warm_up_s) for window in long_windows(samples).values())
    later = [one.later for one in found if one is not None]
    slices = [sample for sample in without_warm_up(samples, warm_up_s) if (sample.slice or 0) >= 0 and sample.used]
    work = sum(sample.work for sample in slices)
    elapsed_s = sum(sample.end_ns - sample.start_ns for sample in slices) * 1e-9
    return math.log(work / elapsed_s / statistics.median(later)) if later and work > 0 and elapsed_s > 0 else None
