"""How long the rest of a campaign will take: means over what has been seen, plan values until then. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from virtometer.model import Trial, TrialRecord

_OVERHEAD_S = 0.3
_START_S = 2.0


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """Seconds for the trials whose length is known, and how many trials there are beside them."""

    seconds: float
    unknown_trials: int = 0


class RemainingTime:
    """Learns from finished trials and guest starts."""

    def __init__(self, windows: Mapping[str, float | None]) -> None:
        """`windows` are the first guesses: seconds of work by workload, None where it runs to completion."""
        self._seconds = windows
        self._trials: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self._starts: defaultdict[str, list[float]] = defaultdict(list)

    def trial(self, record: TrialRecord) -> None:
        """A trial is finished. One that failed says nothing about work that runs to completion."""
        for placement in record.trial.placements:
            if not (record.at_fault and self._seconds[placement.workload] is None):
                self._trials[placement.environment, placement.workload].append(record.wall_s)

    def start(self, environment: str, wall_s: float) -> None:
        """A start of a guest took so long."""
        self._starts[environment].append(wall_s)

    def left(self, rest: Iterable[Trial]) -> TimeLeft:
        """Estimate for the trials that are still to come."""
        total, unknown, groups = 0.0, 0, set()
        for trial in rest:
            expected = [self._expect(p.environment, p.workload) for p in trial.placements]
            total += max((seconds for seconds in expected if seconds is not None), default=0.0)
            unknown += None in expected
            groups |= {(trial.start_group, p.guest_key) for p in trial.placements}
        for _, guest in groups:
            seen = self._starts[guest.environment]
            total += sum(seen) / len(seen) if seen else _START_S
        return TimeLeft(total, unknown)

    def _expect(self, environment: str, workload: str) -> float | None:
        seen = self._trials[environment, workload]
        if seen:
            return sum(seen) / len(seen)
        seconds = self._seconds[workload]
        return None if seconds is None else seconds + _OVERHEAD_S
