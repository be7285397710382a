"""About how long a plan will take, before anything was measured. PURE.

seconds = sum over guest starts (start of its kind) + sum over trials (window + overhead of its kind)

Work that runs to completion (a system of a large order, a whole file, an external tool) has no window that says how
long it takes: it is named, and only its starts and overheads are added.

What a kind usually takes stands in its file. Overhead is what a trial takes beside its window: preparing and warming
the kernel, comparing clocks, reading the host, one iteration that runs past the window's end. While a campaign runs,
the time left follows from what its own trials took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.scenarios import in_rounds
from virtometer.model import GuestKey, Trial

_BETWEEN_SLICES_S = 0.004


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds of what is known. `unknown_trials` run to completion, those of the workloads `unknown`."""

    seconds: float
    unknown: tuple[str, ...]
    unknown_trials: int


def duration(resolved: ResolvedPlan, trials: Iterable[Trial]) -> Duration:
    """Estimate of the measuring, without the building of images."""
    plan = resolved.plan
    # The first iteration of a slice, a fifth of it, is beside the window, and so is what the laboratory does between.
    in_turns = 1.2 + _BETWEEN_SLICES_S / plan.slice_s
    warm_up = {one.name: in_turns if one.scheduling == "interleaved" else 1.0 for one in plan.workloads}
    windows = {name: work.window_s for name, work in resolved.works.items()}
    kinds = {environment.name: resolved.kind(environment) for environment in plan.environments}
    total, unknown_trials = 0.0, 0
    unknown: set[str] = set()
    started: set[tuple[int, GuestKey]] = set()
    planned = list(trials)
    alike = Counter(map(_windows_of, planned))
    for trial in planned:
        rounds = in_rounds(plan, plan.scenario(trial.scenario), _workload(trial))
        shared = alike[_windows_of(trial)] if rounds else 1
        beside = plan.long_windows == "each" and trial.turns is not None and not rounds
        for placement in trial.placements:
            start = (trial.start_group, placement.guest_key)
            if start not in started:
                started.add(start)
                total += kinds[placement.environment].usual_start_s
        total += max(
            (windows[placement.workload] or 0.0) * (warm_up[placement.workload] / shared + beside)
            + kinds[placement.environment].usual_overhead_s
            for placement in trial.placements
        )
        without = {placement.workload for placement in trial.placements if windows[placement.workload] is None}
        unknown_trials += bool(without)
        unknown |= without
    named = tuple(workload.name for workload in plan.workloads if workload.name in unknown)
    return Duration(total, named, unknown_trials)


def _windows_of(trial: Trial) -> tuple[int | None, str, int]:
    """What trials have in common that share the windows of one number of guests."""
    return trial.turns, trial.placements[0].environment, len(trial.placements)


def _workload(trial: Trial) -> str:
    return trial.placements[0].workload
