"""Randomised blocks: every treatment (environment x workload) once per block, in fresh random order. PURE.

Complete blocks guard comparisons against drift, and random order within them against whatever changes within a block
(Fisher: The Design of Experiments, 1935). With `fresh: trial` every trial starts its own guest and the order within a
block is random over all treatments. With `fresh: block` a guest is started once per block and environment: a split
plot, with the environments in random order and the workloads in random order within each.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    workloads = [workload.name for workload in plan.workloads]
    generator = Generator(seed)
    trials: list[Trial] = []
    group = -1
    for block in range(plan.blocks):
        for position, (environment, workload, begins) in enumerate(
            _order(generator, environments, workloads, each_fresh=plan.fresh == "trial")
        ):
            group += begins
            trials.append(Trial(len(trials), block, position, group, (Placement(environment, workload),)))
    return tuple(trials)


def _order(
    generator: Generator, environments: list[str], workloads: list[str], *, each_fresh: bool
) -> list[tuple[str, str, bool]]:
    """One block: environment, workload, and whether a guest is started for this trial."""
    if each_fresh:
        treatments = [(environment, workload) for environment in environments for workload in workloads]
        return [(environment, workload, True) for environment, workload in generator.shuffled(treatments)]
    return [
        (environment, workload, number == 0)
        for environment in generator.shuffled(environments)
        for number, workload in enumerate(generator.shuffled(workloads))
    ]
