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

With scenarios a block consists of sections in random order: one for each scenario of the type alone, which is a block
as above, and one for each group of another scenario. The trials of a group are in random order and share their guests,
unless every trial starts its own (`fresh: trial`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from virtometer.design.scenarios import Placements, groups
from virtometer.design.shuffle import Generator
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.model import GuestKey, Placement, Plan, Scenario, Trial

MAX_TRIALS = 100_000

_CONTROL = 2  # number of the baseline's second guest in a block


def trial_count(plan: Plan) -> int:
    """How many trials a plan has where every environment works."""
    environments = [environment.name for environment in plan.environments]
    count = 0
    for scenario in _scenarios(plan):
        count += sum(len(guests) for guests in _wanted(plan, scenario, environments).values())
        count += sum(len(group) for group in groups(plan, scenario, environments))
    return count * plan.blocks


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
    scenarios = _scenarios(plan)
    wanted = [(one.name, _wanted(plan, one, environments)) for one in scenarios if one.type == "alone"]
    together = [(one.name, group) for one in scenarios for group in groups(plan, one, environments)]
    generator = Generator(seed)
    trials: list[Trial] = []
    for block in range(plan.blocks):
        trials += _block(plan, generator, block, wanted, trials[-1:], together)
    return tuple(trials)


def further(plan: Plan, seed: int, before: Sequence[Trial], more: Mapping[tuple[str, str], int]) -> tuple[Trial, ...]:
    """Trials of further blocks that follow those `before`, in the order of execution.

    `more`: by workload and environment, how many blocks are added; the baseline is measured wherever another
    environment is. Raises UsageError when there would be more than MAX_TRIALS trials.
    """
    first = max(trial.block for trial in before) + 1
    generator = Generator(Generator(seed + len(before)).next())
    trials: list[Trial] = []
    scenarios = [one for one in _scenarios(plan) if one.type == "alone"]
    for number in range(max(more.values(), default=0)):
        wanted = [
            (
                one.name,
                {
                    workload: _guests(plan, [plan.baseline, *others])
                    for workload in one.workloads
                    if (others := _going_on(plan, workload, more, number))
                },
            )
            for one in scenarios
        ]
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


def _scenarios(plan: Plan) -> list[Scenario]:
    """The scenarios of a plan; of one without, that every workload runs alone."""
    everything = [workload.name for workload in plan.workloads]
    return plan.scenarios or [Scenario.model_construct(name="", type="alone", workloads=everything)]


def _wanted(plan: Plan, scenario: Scenario, environments: Sequence[str]) -> dict[str, list[GuestKey]]:
    """The guests of a block by workload, of a scenario of the type alone; nothing of another one."""
    named = [name for name in environments if scenario.environment in (None, name)]
    if scenario.type != "alone" or not named:
        return {}
    guests = _guests(plan, named) if plan.baseline in named else [GuestKey(name) for name in named]
    return dict.fromkeys(scenario.workloads, guests)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Trials that stand next to each other, each with its placements.

    begins: guests are started for it. together: their guests take turns.
    """

    trials: Sequence[Placements]
    begins: bool = False
    together: bool = False
    scenario: str = ""


def _block(
    plan: Plan,
    generator: Generator,
    block: int,
    wanted: Sequence[tuple[str, Mapping[str, Sequence[GuestKey]]]],
    before: Sequence[Trial],
    together: Sequence[tuple[str, Sequence[Placements]]] = (),
) -> list[Trial]:
    """The trials of one block.

    `wanted`: the guests by workload, of each scenario of the type alone by its name. `before`: the trial that they
    follow, if any. `together`: groups of the other scenarios, with their names.
    """
    index = before[-1].index + 1 if before else 0
    group = before[-1].start_group if before else -1
    trials: list[Trial] = []
    for unit in _units(plan, generator, wanted, together):
        group += unit.begins
        turns = index + len(trials) if unit.together else None
        for placements in unit.trials:
            trials.append(Trial(index + len(trials), block, len(trials), group, placements, turns, unit.scenario))
    return trials


def _units(
    plan: Plan,
    generator: Generator,
    wanted: Sequence[tuple[str, Mapping[str, Sequence[GuestKey]]]],
    together: Sequence[tuple[str, Sequence[Placements]]],
) -> list[_Unit]:
    """The units of one block. The order of a block with one section depends on nothing but that section."""
    sections: list[tuple[str, Mapping[str, Sequence[GuestKey]], Sequence[Placements]]] = [
        *((name, guests, ()) for name, guests in wanted if guests),
        *((name, {}, group) for name, group in together),
    ]
    units: list[_Unit] = []
    for name, guests, group in generator.shuffled(sections) if len(sections) > 1 else sections:
        if guests:
            units += [replace(unit, scenario=name) for unit in _order(plan, generator, guests)]
        for number, placements in enumerate(generator.shuffled(group) if group else ()):
            units.append(_Unit((placements,), begins=number == 0 or plan.fresh == "trial", scenario=name))
    return units


def _order(plan: Plan, generator: Generator, wanted: Mapping[str, Sequence[GuestKey]]) -> Sequence[_Unit]:
    """The units of one block in which every workload runs alone."""
    guests = list(dict.fromkeys(guest for some in wanted.values() for guest in some))
    interleaved = [one.name for one in plan.workloads if one.scheduling == "interleaved" and one.name in wanted]
    if plan.fresh == "trial":
        treatments = [(guest, workload) for guest in guests for workload in wanted if guest in wanted[workload]]
        return [_unit([treatment], begins=True) for treatment in generator.shuffled(treatments)]
    if not interleaved:
        order = [
            [(guest, workload) for workload in generator.shuffled(list(wanted)) if guest in wanted[workload]]
            for guest in generator.shuffled(guests)
        ]
        return [_unit([one], begins=number == 0) for some in order for number, one in enumerate(some)]
    units = [_unit([(guest, one) for guest in wanted[one]], together=True) for one in interleaved]
    units += [
        _unit([(guest, one)]) for guest in guests for one in wanted if one not in interleaved and guest in wanted[one]
    ]
    first, *rest = generator.shuffled(units)
    return [replace(first, begins=True), *rest]


def _unit(treatments: Sequence[tuple[GuestKey, str]], *, begins: bool = False, together: bool = False) -> _Unit:
    """Trials of one workload in one guest each."""
    trials = [(Placement(guest.environment, workload, guest=guest.number),) for guest, workload in treatments]
    return _Unit(trials, begins, together)
