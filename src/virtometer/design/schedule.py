"""Randomised blocks: every treatment (environment x workload) once per block, in fresh random order. PURE.

Complete blocks guard comparisons against drift, and random order within them against whatever changes within a block
(Fisher: The Design of Experiments, 1935). With `fresh: trial` every trial starts its own guest and the order within a
block is random over all treatments. With `fresh: block` a guest is started once per block and environment: a split
plot, with the environments in random order and the workloads in random order within each.

The baseline is in each block twice, as two guests: the second one is the control, which shows how much two starts of
the same environment differ.

Where a workload of a plan is `interleaved`, the guests of all environments live throughout the block. Its trials are
one unit of the block, in which the guests take turns; every other trial is a unit by itself. The units are in random
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from virtometer.design.shuffle import Generator
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.model import GuestKey, Placement, Plan, Trial

MAX_TRIALS = 100_000

_CONTROL = 2  # number of the baseline's second guest in a block


def trial_count(plan: Plan) -> int:
    """How many trials a plan has where every environment works."""
    guests = _guests(plan, [environment.name for environment in plan.environments])
    return len(guests) * len(plan.workloads) * plan.blocks


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
    guests = _guests(plan, environments)
    wanted = {workload.name: guests for workload in plan.workloads}
    generator = Generator(seed)
    trials: list[Trial] = []
    for block in range(plan.blocks):
        trials += _block(plan, generator, block, wanted, trials[-1:])
    return tuple(trials)


def further(plan: Plan, seed: int, before: Sequence[Trial], more: Mapping[tuple[str, str], int]) -> tuple[Trial, ...]:
    """Trials of further blocks that follow those `before`, in the order of execution.

    `more`: by workload and environment, how many blocks are added; the baseline is measured wherever another
    environment is. Raises UsageError when there would be more than MAX_TRIALS trials.
    """
    first = max(trial.block for trial in before) + 1
    generator = Generator(Generator(seed + len(before)).next())
    trials: list[Trial] = []
    for number in range(max(more.values(), default=0)):
        wanted = {
            workload.name: _guests(plan, [plan.baseline, *others])
            for workload in plan.workloads
            if (others := _going_on(plan, workload.name, more, number))
        }
        trials += _block(plan, generator, first + number, wanted, trials[-1:] or before[-1:])
        if len(before) + len(trials) > MAX_TRIALS:
            raise UsageError(f"there would be more than the {MAX_TRIALS} trials that one campaign may have")
    return tuple(trials)


def _going_on(plan: Plan, workload: str, more: Mapping[tuple[str, str], int], number: int) -> list[str]:
    """The environments beside the baseline in which a workload gets a further block of this number."""
    names = [environment.name for environment in plan.environments if environment.name != plan.baseline]
    return [name for name in names if more.get((workload, name), 0) > number]


def _guests(plan: Plan, environments: Sequence[str]) -> list[GuestKey]:
    """The guests of a block; the last is the control, where there is something to compare."""
    guests = [GuestKey(name) for name in environments]
    return [*guests, GuestKey(plan.baseline, _CONTROL)] if plan.control and len(plan.environments) > 1 else guests


@dataclass(frozen=True, slots=True)
class _Unit:
    """Treatments that stand next to each other: guest and workload of each.

    begins: guests are started for it. together: their guests take turns.
    """

    treatments: Sequence[tuple[GuestKey, str]]
    begins: bool = False
    together: bool = False


def _block(
    plan: Plan,
    generator: Generator,
    block: int,
    wanted: Mapping[str, Sequence[GuestKey]],
    before: Sequence[Trial],
) -> list[Trial]:
    """The trials of one block. `wanted`: the guests by workload. `before`: the trial that they follow, if any."""
    index = before[-1].index + 1 if before else 0
    group = before[-1].start_group if before else -1
    trials: list[Trial] = []
    for unit in _order(plan, generator, wanted):
        group += unit.begins
        turns = index + len(trials) if unit.together else None
        for guest, workload in unit.treatments:
            placements = (Placement(guest.environment, workload, guest=guest.number),)
            trials.append(Trial(index + len(trials), block, len(trials), group, placements, turns))
    return trials


def _order(plan: Plan, generator: Generator, wanted: Mapping[str, Sequence[GuestKey]]) -> Sequence[_Unit]:
    """The units of one block."""
    guests = list(dict.fromkeys(guest for some in wanted.values() for guest in some))
    interleaved = [one.name for one in plan.workloads if one.scheduling == "interleaved" and one.name in wanted]
    if plan.fresh == "trial":
        treatments = [(guest, workload) for guest in guests for workload in wanted if guest in wanted[workload]]
        return [_Unit((treatment,), begins=True) for treatment in generator.shuffled(treatments)]
    if not interleaved:
        order = [
            [(guest, workload) for workload in generator.shuffled(list(wanted)) if guest in wanted[workload]]
            for guest in generator.shuffled(guests)
        ]
        return [_Unit((one,), begins=number == 0) for some in order for number, one in enumerate(some)]
    units = [_Unit([(guest, one) for guest in wanted[one]], together=True) for one in interleaved]
    units += [
        _Unit(((guest, one),)) for guest in guests for one in wanted if one not in interleaved and guest in wanted[one]
    ]
    first, *rest = generator.shuffled(units)
    return [replace(first, begins=True), *rest]
