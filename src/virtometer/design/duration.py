"""About how long a plan will take, before anything was measured. PURE.

seconds = sum over guest starts (start of its kind) + sum over trials (window + overhead of its kind)

Work with an end of its own (a system of a large order, a whole file, an external tool) has no window that says how long
it takes: it is named, and only its starts and overheads are added.

Figures are means of quick.yaml on two cores, rounded up. Overhead is what a trial takes beside its window: preparing
and warming the kernel, comparing clocks, reading the host, one iteration that runs past the window's end. While a
campaign runs, the time left is told from what its own trials took.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from virtometer.model import Plan, Trial


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds to start a guest, and seconds of a trial beside its window."""

    start_s: float
    trial_s: float


COSTS = {
    "native": Cost(0.05, 0.15),
    "bubblewrap": Cost(0.05, 0.15),
    "runc": Cost(0.15, 0.15),
    "gvisor": Cost(0.4, 0.5),
    "uml": Cost(1.6, 0.5),
    "qemu": Cost(5.8, 0.8),
    "kvm": Cost(2.0, 0.3),
}
UNKNOWN = Cost(5.0, 0.5)


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds of what is known. `unknown_trials` hold work with an end of its own, that of the workloads `unknown`."""

    seconds: float
    unknown: tuple[str, ...]
    unknown_trials: int


def duration(plan: Plan, trials: Iterable[Trial], windows: Mapping[str, float | None]) -> Duration:
    """Estimate of the measuring, without the building of images. `windows`: seconds of work by workload, or None."""
    kinds = {environment.name: environment.kind for environment in plan.environments}
    total, unknown_trials = 0.0, 0
    unknown: set[str] = set()
    started: set[tuple[int, str]] = set()
    for trial in trials:
        for placement in trial.placements:
            cost = COSTS.get(kinds[placement.environment], UNKNOWN)
            start = (trial.start_group, placement.environment)
            if start not in started:
                started.add(start)
                total += cost.start_s
        total += max(
            (windows[placement.workload] or 0.0) + COSTS.get(kinds[placement.environment], UNKNOWN).trial_s
            for placement in trial.placements
        )
        without = {placement.workload for placement in trial.placements if windows[placement.workload] is None}
        unknown_trials += bool(without)
        unknown |= without
    named = tuple(workload.name for workload in plan.workloads if workload.name in unknown)
    return Duration(total, named, unknown_trials)
