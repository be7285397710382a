"""Whether the first runs of a command in a new guest take longer than its later ones, though they count.

Of each guest the time of turn k is compared with the median of the second half of its turns; a turn is a slice, or one
run where the guests take none. What is the same for many guests is no noise: the interval of the median over guests,
which the signs of the differences give for any distribution, must lie above the margin of the plan. The turns before
the first one of which this is not so are named.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.compare.blocks import TreatmentData, usable
from virtometer.analysis.note import Note
from virtometer.analysis.statistics.interval import interval
from virtometer.counted import counted
from virtometer.model import MIN_BLOCKS, Run, columns_of

_FEWEST_TURNS = 6
"""Of a guest: of fewer the second half says nothing of the usual time."""


@dataclass(frozen=True, slots=True)
class FirstRuns:
    """So many runs of each new guest took longer by this share; 0 of both where none did."""

    runs: int = 0
    longer: float = 0.0


def first_runs(runs: Iterable[Run], margin: float) -> FirstRuns:
    """Of the guests of one environment, each with the runs of a command that count. margin: as of the plan."""
    guests = [found for run in runs if len(found := _turns(run)) >= _FEWEST_TURNS]
    if len(guests) < MIN_BLOCKS:
        return FirstRuns()
    usual = [statistics.median(_log_s(guest, turn) for turn in sorted(guest)[len(guest) // 2 :]) for guest in guests]
    longer, runs_until = list[float](), 0
    for turn in range(min(map(len, guests)) // 2):
        having = [(guest, middle) for guest, middle in zip(guests, usual, strict=True) if turn in guest]
        of = interval([_log_s(guest, turn) - middle for guest, middle in having], method="median")
        if len(having) < MIN_BLOCKS or of is None or of.low is None or of.low <= 1 + margin:
            break
        longer.append(of.value - 1)
        runs_until = max(guest[turn][1] for guest, _ in having)
    return FirstRuns(runs_until, max(longer)) if longer else FirstRuns()


def _log_s(guest: Mapping[int, tuple[float, int]], turn: int) -> float:
    return math.log(guest[turn][0])


def _turns(run: Run) -> dict[int, tuple[float, int]]:
    """Of each turn the time of a run that counts, s, and how many runs the guest has made until its end.

    Turns are numbered from 0, also those of which no run counts; these are left out.
    """
    if not usable(run):
        return {}
    of = columns_of(run.samples)
    took_s = of.lasted_s(run.scored.clock.rate) / np.maximum(of.work, 1)
    number = of.slice if run.in_slices else np.arange(len(took_s))
    used = of.used & (number >= 0) & (took_s > 0)
    counting = set(number[used].tolist())
    return {
        turn: (float(took_s[used & (number == one)].mean()), int(np.flatnonzero(number == one)[-1]) + 1)
        for turn, one in enumerate(np.unique(number[number >= 0]).tolist())
        if one in counting
    }


def notes(data: TreatmentData, parameters: Mapping[str, object], margin: float) -> list[Note]:
    """That the first runs in an environment take longer, and what leaves them out. parameters: of the command."""
    if parameters.get("first_counts"):
        return []
    found = first_runs((run for _, run in data.results if not run.by_tool), margin)
    if not found.runs:
        return []
    before = parameters.get("warm_ups")
    wanted = found.runs + (before if isinstance(before, int) else 1)
    which = f"the first {counted(found.runs, 'run')}" if found.runs > 1 else "the first run"
    text = f"{which} of a guest took up to {found.longer:.0%} longer than later ones: -w {wanted} leaves them out"
    brief = f"the first runs of a guest took longer than later ones: -w {wanted} leaves them out"
    return [Note(f"in {data.environment} {text}", brief)]
