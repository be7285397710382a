"""What each scenario of a plan consists of: groups of trials, each with the placements that work at once. PURE.

A group is one scenario in one environment, or one matrix; its trials share the guests. So trials of 1, 2, ... guests
are close in time. The values of guests that work at the same time are compared with those of one guest alone in the
same group. `loaded`, `mixed` and `pair` have trials of one guest with one workload for that, which no plan names.

Where work of `together` can pause, its trials of 1, 2, ... guests are interleaved (`in_rounds`) and are a group of
their own. Each guest then has a trial alone, and the reference is the mean of these trials. They share the windows that
one guest has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from virtometer.model import GuestKey, Placement, Plan, PlanWorkload, Scenario

Placements = tuple[Placement, ...]

WINDOW_SLICES = 5
"""Slices that a window of a group lasts, where such windows are interleaved."""

_FEWEST_WINDOWS = 2
"""For each of the guests that are measured alone."""


def groups(plan: Plan, scenario: Scenario, available: Collection[str]) -> list[list[Placements]]:
    """The groups of a scenario, in the plan's order; none of `alone`, whose trials are scheduled in another way.

    `available`: environments that work here. `scenario.workloads` names every workload of it, as in a plan that was
    read. Groups that need an environment that does not work here are left out.
    """
    if scenario.type == "alone":
        return []
    if scenario.type == "matrix":
        known = all(member in available for member in scenario.members)
        return [_matrix(scenario)] if known else []
    named = [one.name for one in plan.environments if one.name in available]
    if scenario.environment is not None:
        named = [name for name in named if name == scenario.environment]
    beside = scenario.load and scenario.load.environment
    if beside is not None and beside not in available:
        return []
    if scenario.type == "together":
        found = (group for name in named for group in _together(plan, scenario, name))
        return [group for group in found if group]
    return [_GROUPS[scenario.type](scenario, name) for name in named]


def in_rounds(plan: Plan, scenario: Scenario, workload: str) -> bool:
    """Whether trials of 1, 2, ... guests are interleaved: in each round every number of guests has a short window."""
    return (
        scenario.type == "together"
        and plan.fresh == "block"
        and any(one.name == workload and one.scheduling == "interleaved" for one in plan.workloads)
    )


def window_count(plan: Plan, workload: str) -> int:
    """How many windows the trials of one number of guests have in a block, where they are interleaved."""
    seconds = next(one.seconds or plan.seconds for one in plan.workloads if one.name == workload)
    return max(round(seconds / (WINDOW_SLICES * plan.slice_s)), 1)


def alone(plan: Plan) -> list[Scenario]:
    """The scenarios in which every workload runs alone; of a plan without scenarios, one of all its workloads."""
    everything = [workload.name for workload in plan.workloads]
    scenarios = plan.scenarios or [Scenario.model_construct(name="", type="alone", workloads=everything)]
    return [one for one in scenarios if one.type == "alone"]


def work_alone(plan: Plan) -> list[PlanWorkload]:
    """The workloads that run alone somewhere in a plan."""
    names = {name for scenario in alone(plan) for name in scenario.workloads}
    return [one for one in plan.workloads if one.name in names]


def work_in_turns(plan: Plan) -> list[PlanWorkload]:
    """The workloads of which guests take turns; guests that work at the same time do not."""
    return [one for one in work_alone(plan) if one.scheduling == "interleaved"]


def environments_of(plan: Plan, scenario: Scenario) -> list[str]:
    """The environments that a scenario measures in, in the plan's order."""
    names = [one.name for one in plan.environments]
    if scenario.type == "matrix":
        return [name for name in names if name in scenario.members]
    return [name for name in names if scenario.environment in (None, name)]


def guests_of(trials: Iterable[Placements]) -> list[GuestKey]:
    """The guests of some trials, each once."""
    return list(dict.fromkeys(placement.guest_key for trial in trials for placement in trial))


def members_of(scenario: Scenario) -> list[GuestKey]:
    """The guests of a matrix, in the order of its members."""
    seen: Counter[str] = Counter()
    found = []
    for member in scenario.members:
        seen[member] += 1
        found.append(GuestKey(member, seen[member]))
    return found


def _together(plan: Plan, scenario: Scenario, environment: str) -> list[list[Placements]]:
    """Two groups: trials that are interleaved, and trials with a window of their own. One may be empty."""
    interleaved: list[Placements] = []
    others: list[Placements] = []
    for workload in scenario.workloads:
        rounds = in_rounds(plan, scenario, workload)
        for count in scenario.guests:
            if rounds and count == 1:
                most = min(max(scenario.guests), max(window_count(plan, workload) // _FEWEST_WINDOWS, 1))
                interleaved += [(Placement(environment, workload, guest=number + 1),) for number in range(most)]
                continue
            placements = tuple(
                Placement(environment, workload, guest=number + 1, ordinal=number) for number in range(count)
            )
            (interleaved if rounds else others).append(placements)
    return [interleaved, others]


def _loaded(scenario: Scenario, environment: str) -> list[Placements]:
    load = scenario.load
    assert load is not None
    of = load.environment or environment
    first = 2 if of == environment else 1
    found: list[Placements] = []
    for workload in scenario.workloads:
        measured = Placement(environment, workload)
        beside = (Placement(of, load.workload, "load", first + one, one + 1) for one in range(load.guests))
        found += [(measured,), (measured, *beside)]
    return found


def _mixed(scenario: Scenario, environment: str) -> list[Placements]:
    found: list[Placements] = [(Placement(environment, workload),) for workload in scenario.workloads]
    for count in scenario.guests:
        pairs = [(guest + 1, workload) for guest in range(count) for workload in scenario.workloads]
        found.append(
            tuple(
                Placement(environment, workload, guest=guest, ordinal=ordinal)
                for ordinal, (guest, workload) in enumerate(pairs)
            )
        )
    return found


def _instances(scenario: Scenario, environment: str) -> list[Placements]:
    return [
        tuple(Placement(environment, workload, ordinal=number, instance=number + 1) for number in range(count))
        for workload in scenario.workloads
        for count in scenario.count
    ]


def _pair(scenario: Scenario, environment: str) -> list[Placements]:
    one, other = GuestKey(environment, 1), GuestKey(environment, 2)
    found: list[Placements] = []
    for workload in scenario.workloads:
        found += [_between(one, other, workload), _between(other, one, workload)]
        found.append((Placement(environment, workload),))
    return found


def _matrix(scenario: Scenario) -> list[Placements]:
    members = members_of(scenario)
    found: list[Placements] = []
    for workload in scenario.workloads:
        found += [_between(source, target, workload) for source in members for target in members]
        found += [(Placement(source.environment, workload, guest=source.number),) for source in members]
    return found


def _between(source: GuestKey, target: GuestKey, workload: str) -> Placements:
    measured = Placement(source.environment, workload, guest=source.number, uses=(1,))
    return (measured, Placement(target.environment, workload, "service", target.number, 1))


_GROUPS: Mapping[str, Callable[[Scenario, str], list[Placements]]] = {
    "loaded": _loaded,
    "mixed": _mixed,
    "instances": _instances,
    "pair": _pair,
}
