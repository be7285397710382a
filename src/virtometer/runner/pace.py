"""How long the rest of a campaign will take: means over what has been seen, plan values until then. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from virtometer.model import Plan, Trial

_OVERHEAD_S = 0.3
_START_S = 2.0


class Pace:
    """Learns from finished trials and guest starts."""

    def __init__(self, plan: Plan) -> None:
        """`plan` gives the first guesses."""
        self._seconds = {workload.name: workload.seconds or plan.seconds for workload in plan.workloads}
        self._trials: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self._starts: defaultdict[str, list[float]] = defaultdict(list)

    def trial(self, trial: Trial, wall_s: float) -> None:
        """A trial took so long."""
        for placement in trial.placements:
            self._trials[placement.environment, placement.workload].append(wall_s)

    def start(self, environment: str, wall_s: float) -> None:
        """A start of a guest took so long."""
        self._starts[environment].append(wall_s)

    def left_s(self, rest: Iterable[Trial]) -> float:
        """Estimate for the trials that are still to come, in seconds."""
        total, groups = 0.0, set()
        for trial in rest:
            total += max((self._expect(p.environment, p.workload) for p in trial.placements), default=0.0)
            groups |= {(trial.start_group, p.environment) for p in trial.placements}
        for _, environment in groups:
            seen = self._starts[environment]
            total += sum(seen) / len(seen) if seen else _START_S
        return total

    def _expect(self, environment: str, workload: str) -> float:
        seen = self._trials[environment, workload]
        return sum(seen) / len(seen) if seen else self._seconds[workload] + _OVERHEAD_S
