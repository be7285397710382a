"""Randomised blocks: every treatment (environment x workload) once per block, in fresh random order. PURE.

Complete blocks guard comparisons against drift, and random order within them against whatever changes within a block
(Fisher: The Design of Experiments, 1935). With `fresh: trial` every trial starts its own guest and the order within a
block is random over all treatments. With `fresh: block` a guest is started once per block and environment: a split
plot, with the environments in random order and the workloads in random order within each.

Where a workload of a plan is `interleaved`, the guests of all environments live throughout the block. Its trials are
one unit of the block, in which the guests take turns; every other trial is a unit by itself. The units are in random
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from virtometer.design.shuffle import Generator
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.model import Placement, Plan, Trial

MAX_TRIALS = 100_000


def trial_count(plan: Plan) -> int:
    """How many trials a plan has where every environment works."""
    return len(plan.environments) * len(plan.workloads) * plan.blocks


def schedule(plan: Plan, available_environments: Iterable[str], seed: int) -> tuple[Trial, ...]:
    """The trials of a plan in the order of execution.

    `available_environments`: names (of the plan) that work here; the order in which they are given does not matter.
    The first blocks do not depend on how many follow. Raises EnvironmentFailed when the baseline is not available,
    UsageError when there would be more than MAX_TRIALS trials.
    """
    if trial_count(plan) > MAX_TRIALS:
        raise UsageError(f"{trial_count(plan)} trials are more than the {MAX_TRIALS} that one campaign may have")
    available = set(available_environments)
    environments = [environment.name for environment in plan.environments if environment.name in available]
    if plan.baseline not in available:
        raise EnvironmentFailed(
            f"the baseline '{plan.baseline}' is not available here, so there is nothing to compare with",
            advice="virtometer doctor says why; or choose another baseline in the plan",
        )
    generator = Generator(seed)
    trials: list[Trial] = []
    group = turns = -1
    for block in range(plan.blocks):
        position = 0
        for unit in _order(generator, environments, plan):
            group += unit.begins
            turns += unit.together
            for environment, workload in unit.treatments:
                placements = (Placement(environment, workload),)
                number = turns if unit.together else None
                trials.append(Trial(len(trials), block, position, group, placements, number))
                position += 1
    return tuple(trials)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Treatments that stand next to each other: environment and workload of each.

    begins: guests are started for it. together: their guests take turns.
    """

    treatments: Sequence[tuple[str, str]]
    begins: bool = False
    together: bool = False


def _order(generator: Generator, environments: Sequence[str], plan: Plan) -> Sequence[_Unit]:
    """One block."""
    workloads = [workload.name for workload in plan.workloads]
    interleaved = [workload.name for workload in plan.workloads if workload.scheduling == "interleaved"]
    if plan.fresh == "trial":
        treatments = [(environment, workload) for environment in environments for workload in workloads]
        return [_Unit((treatment,), begins=True) for treatment in generator.shuffled(treatments)]
    if not interleaved:
        return [
            _Unit(((environment, workload),), begins=number == 0)
            for environment in generator.shuffled(environments)
            for number, workload in enumerate(generator.shuffled(workloads))
        ]
    units = [_Unit([(environment, one) for environment in environments], together=True) for one in interleaved]
    units += [
        _Unit(((environment, one),)) for environment in environments for one in workloads if one not in interleaved
    ]
    first, *rest = generator.shuffled(units)
    return [replace(first, begins=True), *rest]
