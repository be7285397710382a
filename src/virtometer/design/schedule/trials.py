"""Randomised blocks: every treatment (environment x workload) once per block, in fresh random order. PURE.

Complete blocks guard comparisons against drift, and random order within them against whatever changes within a block
(Fisher: The Design of Experiments, 1935). With `fresh: trial` every trial starts its own guest and the order within a
block is random over all treatments. With `fresh: block` a guest is started once per block and environment. That is a
split plot, with the environments in random order and the workloads in random order within each.

The baseline is in each block twice, as two guests. The second one is the control, which shows how much two starts of
the same environment differ.

Where a workload of a plan is `interleaved`, the guests of all environments live throughout the block. Its trials are
one unit of the block, in which the guests take turns; every other trial is a unit alone. Commands may share a unit
(`shared_turns`). The units are in random order. Where the host has no memory for all guests at once, a block has groups
(`residents`), one after the other in random order. Each group has the baseline and its control, and starts its own
guests. The members of a group may be drawn anew in each block.

With scenarios a block consists of sections in random order. Each scenario of the type alone has one section, which is a
block as above, and so has each group of another scenario. The trials of a group are in random order and share their
guests, unless every trial starts its own (`fresh: trial`). Guests are started in random order (`start_order`).
Where trials of 1, 2, ... guests are interleaved, those of one workload in all environments are one unit. All their
guests live at the same time; or those of one environment, where the host has no memory for all (`apart`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from virtometer.design.schedule.scenarios import Placements, alone, groups, in_rounds
from virtometer.design.schedule.shared_turns import in_turn
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.start_order import in_start_order
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.model import GuestKey, Placement, Plan, Scenario, Trial

MAX_TRIALS = 100_000

Groups: TypeAlias = Sequence[Sequence[str]] | Callable[[Generator], Sequence[Sequence[str]]]
"""Guests beside the baseline that live at the same time, by group: of all blocks, or what draws those of one block."""

_CONTROL = 2  # number of the baseline's second guest in a block


def trial_count(plan: Plan) -> int:
    """How many trials a plan has where every environment works."""
    environments = [environment.name for environment in plan.environments]
    count = 0
    for scenario in alone(plan):
        count += sum(len(guests) for guests in _wanted(plan, scenario, environments).values())
    for scenario in plan.scenarios:
        count += sum(len(group) for group in groups(plan, scenario, environments))
    return count * plan.first_blocks


def schedule(
    plan: Plan,
    available_environments: Iterable[str],
    seed: int,
    residents: Groups = (),
    apart: Collection[str] = (),
) -> tuple[Trial, ...]:
    """The trials of a plan in the order of execution.

    `available_environments`: names (of the plan) that work here; the order in which they are given does not matter.
    `residents`: those of them beside the baseline that live at the same time where workloads are interleaved, in groups
    as the module `residents` splits them; without any, all do. `apart`: scenarios of groups whose environments have no
    memory at the same time. The first blocks do not depend on how many follow.
    Raises EnvironmentFailed when the baseline is not available, UsageError when there would be more than MAX_TRIALS
    trials.
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
    sections = [
        _Section(one.name, _wanted(plan, one, environments), residents, take_turns=_take_turns(plan, one))
        for one in alone(plan)
    ]
    sections += [part for one in plan.scenarios for part in _several(plan, one, environments, one.name in apart)]
    generator = Generator(seed)
    trials: list[Trial] = []
    for block in range(plan.first_blocks):
        trials += _block(plan, generator, block, sections, trials[-1:])
        if len(trials) > MAX_TRIALS:
            raise UsageError(f"in groups of guests there would be more than the {MAX_TRIALS} trials of a campaign")
    return tuple(trials)


def following(
    plan: Plan,
    seed: int,
    before: Sequence[Trial],
    environments: Collection[str],
    blocks: int,
    residents: Groups = (),
) -> tuple[Trial, ...]:
    """Trials of so many blocks with other environments, which follow those `before`, in the order of execution.

    environments: the baseline among them. residents: as for `schedule`. Raises UsageError when there would be more than
    MAX_TRIALS trials.
    """
    first = max(trial.block for trial in before) + 1
    generator = Generator(Generator(seed + len(before)).next())
    named = [one.name for one in plan.environments if one.name in environments]
    sections = [
        _Section(one.name, _wanted(plan, one, named), residents, take_turns=_take_turns(plan, one))
        for one in alone(plan)
    ]
    trials: list[Trial] = []
    for number in range(blocks):
        trials += _block(plan, generator, first + number, sections, trials[-1:] or before[-1:])
        _refuse_too_many(before, len(trials))
    return tuple(trials)


def _refuse_too_many(before: Sequence[Trial], more: int) -> None:
    if len(before) + more > MAX_TRIALS:
        raise UsageError(f"there would be more than the {MAX_TRIALS} trials that one campaign may have")


def further(
    plan: Plan, seed: int, before: Sequence[Trial], more: Mapping[tuple[str, str], int], since: int = 0
) -> tuple[Trial, ...]:
    """Trials of further blocks that follow those `before`, in the order of execution.

    `more`: by workload and environment, how many blocks are added; the baseline is measured wherever another
    environment is. since: the first trial of those whose groups of guests are kept; where they differ from block to
    block, each further block has those of one of these blocks, by chance. Raises UsageError when there would be more
    than MAX_TRIALS trials.
    """
    _refuse_too_many(before, sum(more.values()))  # those of the baselines come in addition
    first = max(trial.block for trial in before) + 1
    generator = Generator(Generator(seed + len(before)).next())
    groups_before = {one.name: _groups_of(plan, one, before[since:]) for one in alone(plan)}
    trials: list[Trial] = []
    for number in range(max(more.values(), default=0)):
        sections = [
            _Section(
                one.name,
                {
                    workload: _guests(plan, measured)
                    for workload in one.workloads
                    if (measured := _measured(plan, one, _going_on(plan, workload, more, number)))
                },
                _one_of(groups_before[one.name], generator),
                take_turns=_take_turns(plan, one),
            )
            for one in alone(plan)
        ]
        trials += _block(plan, generator, first + number, sections, trials[-1:] or before[-1:])
        _refuse_too_many(before, len(trials))
    return tuple(trials)


def _several(plan: Plan, scenario: Scenario, environments: Collection[str], apart: bool) -> list[_Section]:
    """The sections of a scenario that is not of the type alone."""
    found = groups(plan, scenario, environments)
    rounds = [group for group in found if in_rounds(plan, scenario, group[0][0].workload)]
    sections = [_Section(scenario.name, trials=group) for group in found if group not in rounds]
    if rounds and not apart:
        rounds = [[trial for group in rounds for trial in group]]
    return [*sections, *(_Section(scenario.name, trials=group, rounds=True) for group in rounds)]


def _take_turns(plan: Plan, scenario: Scenario) -> bool:
    """Whether guests take turns in a scenario of the type alone: also in blocks of which its slices are done."""
    return plan.fresh == "block" and any(
        one.scheduling == "interleaved" and one.name in scenario.workloads for one in plan.workloads
    )


def _groups_of(plan: Plan, scenario: Scenario, trials: Sequence[Trial]) -> list[list[list[str]]]:
    """The groups that a scenario has in whole blocks, each once, that of the first block first.

    A group: environments beside the baseline whose guests were started for the same part of a block.
    """
    if not _take_turns(plan, scenario):
        return []
    blocks: dict[int, dict[int, dict[str, None]]] = {}
    for trial in trials:
        if trial.scenario == scenario.name:
            guests = blocks.setdefault(trial.block, {}).setdefault(trial.start_group, {})
            guests.update((key.environment, None) for key in trial.guests)
    found: dict[frozenset[frozenset[str]], list[list[str]]] = {}
    for guests_of in blocks.values():
        kept = [[name for name in group if name != plan.baseline] for group in guests_of.values()]
        found.setdefault(frozenset(map(frozenset, kept)), kept)
    whole = {name for group in next(iter(found), frozenset()) for name in group}
    return [kept for kept in found.values() if {name for group in kept for name in group} == whole]


def _one_of(groups: Sequence[Sequence[Sequence[str]]], generator: Generator) -> Sequence[Sequence[str]]:
    """The groups of a further block, of those that earlier blocks have."""
    return groups[generator.below(len(groups)) if len(groups) > 1 else 0] if groups else ()


def _measured(plan: Plan, scenario: Scenario, going_on: Sequence[str]) -> list[str]:
    """What a scenario of the type alone measures where these environments go on: with the baseline, or one of both."""
    environments = [plan.baseline, *going_on] if going_on else []
    return [name for name in environments if scenario.environment in (None, name)]


def _going_on(plan: Plan, workload: str, more: Mapping[tuple[str, str], int], number: int) -> list[str]:
    """The environments beside the baseline in which a workload gets a further block of this number."""
    names = [environment.name for environment in plan.environments if environment.name != plan.baseline]
    return [name for name in names if more.get((workload, name), 0) > number]


def _guests(plan: Plan, environments: Sequence[str]) -> list[GuestKey]:
    """The guests of a block; the last is the control, where there is something to compare."""
    guests = [GuestKey(name) for name in environments]
    return [*guests, GuestKey(plan.baseline, _CONTROL)] if plan.control and len(plan.environments) > 1 else guests


def _wanted(plan: Plan, scenario: Scenario, environments: Sequence[str]) -> dict[str, list[GuestKey]]:
    """The guests of a block by workload, of a scenario of the type alone."""
    named = [name for name in environments if scenario.environment in (None, name)]
    if not named:
        return {}
    guests = _guests(plan, named) if plan.baseline in named else [GuestKey(name) for name in named]
    return dict.fromkeys(scenario.workloads, guests)


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of a block, with guests of its own: what is wanted of a scenario of the type alone, or trials of another.

    wanted: the guests by workload. residents: those that live at the same time, where guests take turns. trials: those
    of one group of another scenario. rounds: they are interleaved.
    """

    scenario: str
    wanted: Mapping[str, Sequence[GuestKey]] = field(default_factory=dict)
    residents: Groups = ()
    trials: Sequence[Placements] = ()
    take_turns: bool = False
    rounds: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    """Trials that stand next to each other, each with its placements.

    begins: guests are started for it. interleaved: their guests take turns, or numbers of guests do.
    """

    trials: Sequence[Placements]
    begins: bool = False
    interleaved: bool = False
    scenario: str = ""


def _block(
    plan: Plan, generator: Generator, block: int, sections: Sequence[_Section], before: Sequence[Trial]
) -> list[Trial]:
    """The trials of one block. `before`: the trial that they follow, if any."""
    index = before[-1].index + 1 if before else 0
    group = before[-1].start_group if before else -1
    trials: list[Trial] = []
    for unit in _units(plan, generator, sections):
        group += unit.begins
        turns = index + len(trials) if unit.interleaved else None
        for placements in unit.trials:
            trials.append(Trial(index + len(trials), block, len(trials), group, placements, turns, unit.scenario))
    return trials


def _units(plan: Plan, generator: Generator, sections: Sequence[_Section]) -> list[_Unit]:
    """The units of one block. The order of a block with one section depends on nothing but that section."""
    filled = [one for one in sections if one.wanted or one.trials]
    units: list[_Unit] = []
    for section in generator.shuffled(filled) if len(filled) > 1 else filled:
        if section.wanted:
            units += [replace(unit, scenario=section.scenario) for unit in _order(plan, generator, section)]
        parts = _parts(replace(section, trials=in_start_order(section.trials, generator))) if section.trials else []
        for number, trials in enumerate(generator.shuffled(parts)):
            begins = number == 0 or plan.fresh == "trial"
            units.append(_Unit(trials, begins, section.rounds, section.scenario))
    return units


def _parts(section: _Section) -> list[tuple[Placements, ...]]:
    """The trials of a section by unit: interleaved ones by workload, every other one alone."""
    if not section.rounds:
        return [(placements,) for placements in section.trials]
    found: dict[str, list[Placements]] = {}
    for placements in section.trials:
        found.setdefault(placements[0].workload, []).append(placements)
    return [tuple(trials) for trials in found.values()]


def _order(plan: Plan, generator: Generator, section: _Section) -> Sequence[_Unit]:
    """The units of a section in which every workload runs alone."""
    wanted = section.wanted
    guests = list(dict.fromkeys(guest for some in wanted.values() for guest in some))
    if plan.fresh == "trial":
        treatments = [(guest, workload) for guest in guests for workload in wanted if guest in wanted[workload]]
        return [_unit([treatment], begins=True) for treatment in generator.shuffled(treatments)]
    if not section.take_turns:
        order = [
            [(guest, workload) for workload in generator.shuffled(list(wanted)) if guest in wanted[workload]]
            for guest in generator.shuffled(guests)
        ]
        return [_unit([one], begins=number == 0) for some in order for number, one in enumerate(some)]
    groups = section.residents(generator) if callable(section.residents) else section.residents
    parts = [part for group in groups if (part := _part(plan, wanted, group))]
    if len(parts) < 2:  # a baseline alone has no group
        return _resident(plan, generator, wanted)
    return [unit for part in generator.shuffled(parts) for unit in _resident(plan, generator, part)]


def _part(plan: Plan, wanted: Mapping[str, Sequence[GuestKey]], group: Collection[str]) -> dict[str, list[GuestKey]]:
    """What is wanted of a group: its own guests, and the baseline's wherever there is one of its own."""
    part = {}
    for workload, guests in wanted.items():
        if any(guest.environment in group for guest in guests):
            part[workload] = [one for one in guests if one.environment in (plan.baseline, *group)]
    return part


def _resident(plan: Plan, generator: Generator, wanted: Mapping[str, Sequence[GuestKey]]) -> Sequence[_Unit]:
    """The units of guests that live at the same time."""
    guests = list(dict.fromkeys(guest for some in wanted.values() for guest in some))
    interleaved = [one.name for one in plan.workloads if one.scheduling == "interleaved" and one.name in wanted]
    units = [
        _unit([(guest, one) for one in names for guest in wanted[one]], interleaved=True)
        for names in in_turn(plan, interleaved, generator)
    ]
    units += [
        _unit([(guest, one)]) for guest in guests for one in wanted if one not in interleaved and guest in wanted[one]
    ]
    first, *rest = generator.shuffled(units)
    return [replace(first, begins=True), *rest]


def _unit(treatments: Sequence[tuple[GuestKey, str]], *, begins: bool = False, interleaved: bool = False) -> _Unit:
    """Trials of a workload in one guest each."""
    trials = [(Placement(guest.environment, workload, guest=guest.number),) for guest, workload in treatments]
    return _Unit(trials, begins, interleaved)
