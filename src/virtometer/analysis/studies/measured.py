"""What the campaigns measured, as the descriptions of studies select it: series of values by block. PURE."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from virtometer import agent_table
from virtometer.model import Better, Campaign, HostUse, Level, PlanWorkload, Run, columns_of
from virtometer.model.plain import parse_size

if TYPE_CHECKING:
    from virtometer.analysis import Analysis
    from virtometer.analysis.compare.blocks import TreatmentData
    from virtometer.analysis.groups.members import GroupTrial, Member

Scenario = Literal["alone", "together", "loaded", "mixed", "pair", "instances"]
Blocks = Mapping[int, float]
"""Values by block."""

_NUMBER = re.compile(r" #(\d+)(?: copy \d+)?$| copy (\d+)$")
_SIZES = frozenset({"size", "span", "send_buffer", "receive_buffer"})


@dataclass(frozen=True, slots=True)
class Place:
    """An environment of a campaign. bits: of what runs there. settings: requested ones, with their defaults.

    tuned: whether steps of tuning were done, for it alone or for the whole campaign.
    """

    name: str
    kind: str
    settings: Mapping[str, Any]
    bits: int
    tuned: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """How guests are combined. guests: all at once; loads, beside: workloads of other guests, and in the same guest.

    target: environment and number of the guest that data go to; None where they go to the laboratory, or nowhere.
    """

    scenario: Scenario = "alone"
    guests: int = 1
    loads: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    target: tuple[str, int] | None = None


ALONE = Situation()

AGENT_CPU = "agent-cpu"
"""Name of the measure: processors that the agent and its processes used, by the guest's own account."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One guest's series. facts: workload, `op`, `threads`, parameters, `order`; what is not given has its default.

    number: of the guest; guests that were alone in turn are one, by their mean. measures: further ones, by name. cpus:
    processors of the host that worked for it; busy: that worked for anything but programs that are neither a guest nor
    the laboratory. data: where the guest was alone, with what its values are compared with.
    """

    place: Place
    facts: Mapping[str, Level]
    situation: Situation
    number: int
    unit: str
    better: Better
    values: Blocks
    measures: Mapping[str, Blocks] = field(default_factory=dict)
    cpus: Blocks = field(default_factory=dict)
    busy: Blocks = field(default_factory=dict)
    data: TreatmentData | None = None

    def of_measure(self, name: str) -> Blocks:
        """A further measure by block; the value for the empty name."""
        return self.measures.get(name, {}) if name else self.values

    def against(self, other: Measured) -> Blocks:
        """The other's values that this one's are compared with: in slices of the same groups, where there are any.

        Both of the same campaign.
        """
        if self.data is None or other.data is None:
            return other.values
        from virtometer.analysis.compare.blocks import (  # loads scipy, which printed values do not need
            beside,
            counterpart,
        )

        return counterpart(self.data, beside(self.data, other.data))


def measured_in(analysis: Analysis) -> tuple[Measured, ...]:
    """All series of a campaign, those of guests alone first."""
    plan = analysis.campaign.plan
    places = _places(analysis.campaign)
    works = {work.name: facts_of(work) for work in plan.workloads}
    found = [
        _of_treatment(data, places[data.environment], works[data.workload])
        for data in analysis.treatments.values()
        if data.values
    ]
    known = {(one.place.name, id(one.facts)) for one in found}
    grouped = _of_groups(analysis.group_results.trials, places, works)
    single = [one for one in grouped if one.situation == ALONE and (one.place.name, id(one.facts)) not in known]
    return (*found, *single, *(one for one in grouped if one.situation != ALONE))


def facts_of(work: PlanWorkload) -> Mapping[str, Level]:
    """A workload of a plan in the words of descriptions. Sizes are numbers; names of parameters are those of plans.

    order: of Linpack, the number of equations.
    """
    try:
        known = agent_table.operation(work.workload, work.op).parameters
    except KeyError:  # a tool
        known = {}
    facts: dict[str, Level] = {
        name.replace("-", "_"): of.default for name, of in known.items() if of.default is not None
    }
    facts |= {name: _number(name, value) for name, value in work.parameters.items() if value is not None}
    if work.workload == "linpack":
        halved = facts.get("convention") == "published"
        facts["order"] = int(facts["size"]) // 2 if halved else facts["size"]
    return {**facts, "workload": work.workload, "op": work.op, "threads": work.threads}


def holds(facts: Mapping[str, Level], wanted: Mapping[str, Level]) -> bool:
    """Whether all wanted facts are as they are wanted."""
    return all(name in facts and facts[name] == level for name, level in wanted.items())


def _number(name: str, value: Level) -> Level:
    if name not in _SIZES:
        return value
    try:
        found = parse_size(value)
    except ValueError:
        return value
    return found if isinstance(found, int) else value


def _places(campaign: Campaign) -> Mapping[str, Place]:
    asked: dict[str, dict[str, Any]] = {}
    for guest in campaign.guests:
        asked.setdefault(guest.environment, dict(guest.requested))
    made = {}
    for one in campaign.plan.environments:
        settings = {**asked.get(one.name, {}), **one.settings}
        tuned = bool(campaign.plan.tuning or settings.get("tuning"))
        made[one.name] = Place(one.name, one.kind, settings, int(settings.get("bits", 64)), tuned)
    return made


def _of_treatment(data: TreatmentData, place: Place, facts: Mapping[str, Level]) -> Measured:
    from virtometer.analysis.compare.blocks import usable
    from virtometer.analysis.groups import further

    shape = data.shape
    assert shape is not None  # there are values
    measures: dict[str, dict[int, list[float]]] = {}
    busy: dict[int, list[float]] = {}
    for record, run in data.results:
        if usable(run):
            _add(measures, record.trial.block, {**further.reported(run), **_agent_cpu(run)})
            _add_busy(busy, record.trial.block, record.host)
    return Measured(
        place=place,
        facts=facts,
        situation=ALONE,
        number=1,
        unit=shape[1],
        better=shape[2],
        values=data.values,
        measures={name: _means(by_block) for name, by_block in measures.items()},
        cpus={block: cost * _rate(data.values[block], shape[1]) for block, cost in data.costs.items()},
        busy=_means(busy),
        data=data,
    )  # fmt: skip


def _add(measures: dict[str, dict[int, list[float]]], block: int, found: Mapping[str, tuple[str, float]]) -> None:
    for name, (_, number) in found.items():
        measures.setdefault(name, {}).setdefault(block, []).append(number)


def _add_busy(busy: dict[int, list[float]], block: int, use: HostUse | None) -> None:
    if use is not None and use.wall_s > 0:
        busy.setdefault(block, []).append(max(use.busy - (use.foreign or 0.0), 0.0) / use.wall_s)


def _agent_cpu(run: Run) -> dict[str, tuple[str, float]]:
    """CPU time by the time of all samples, both by the guest's clock; nothing without samples, as of a tool."""
    times = columns_of(run.samples)
    sampled_s = float((times.end_ns - times.start_ns).sum()) * 1e-9
    return {AGENT_CPU: ("s/s", run.reported.cpu_s / sampled_s)} if sampled_s > 0 else {}


def _rate(value: float, unit: str) -> float:
    """Work per second: the value, or its inverse where that is the time of an operation."""
    return 1 / value if unit == "s" else value


@dataclass(frozen=True, slots=True)
class _Series:
    """What a guest of a group reached in several trials, by block; measures by name too. member: of the first trial."""

    member: Member
    values: dict[int, list[float]] = field(default_factory=dict)
    measures: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    busy: dict[int, list[float]] = field(default_factory=dict)


def _of_groups(
    trials: Iterable[GroupTrial], places: Mapping[str, Place], works: Mapping[str, Mapping[str, Level]]
) -> list[Measured]:
    from virtometer.analysis.groups import further

    found: dict[tuple[str, str, Situation, int], _Series] = {}
    for trial in trials:
        for member in trial.measured:
            if not member.value or member.value <= 0:
                continue
            situation = _situation(trial, member, works)
            # Of guests that take turns each works alone too: one fast guest must not stand for all of them.
            number = 1 if situation == ALONE else _number_of(member.guest)
            key = (member.environment, member.workload, situation, number)
            series = found.setdefault(key, _Series(member))
            series.values.setdefault(trial.block, []).append(member.value)
            _add(series.measures, trial.block, further.of_trial(trial, member))
            _add_busy(series.busy, trial.block, trial.host)
    return [
        Measured(
            place=places[environment],
            facts=works[workload],
            situation=situation,
            number=number,
            unit=series.member.unit,
            better=series.member.better,
            values=_means(series.values),
            measures={name: _means(by_block) for name, by_block in series.measures.items()},
            cpus=_means(series.measures.get(further.HOST_CPU, {})),
            busy=_means(series.busy),
        )
        for (environment, workload, situation, number), series in found.items()
    ]


def _situation(trial: GroupTrial, member: Member, works: Mapping[str, Mapping[str, Level]]) -> Situation:
    def kinds(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(str(works[name]["workload"]) for name in names))

    target = dict(trial.services).get(member.guest)
    if target is not None:
        return Situation("pair", target=(_environment_of(target), _number_of(target)))
    if trial.single or trial.guests == 1 == len(trial.members):
        return ALONE
    if trial.loads:
        return Situation("loaded", trial.guests, loads=kinds(one.workload for one in trial.loads))
    others = [one.workload for one in trial.measured if one.whose == member.whose and one.workload != member.workload]
    if others:
        return Situation("mixed", trial.guests, beside=kinds(others))
    return Situation("instances" if trial.type == "instances" else "together", trial.guests)


def _number_of(guest: str) -> int:
    """The number of a guest, or of the copy of the work in it."""
    found = _NUMBER.search(guest)
    return 1 if found is None else int(found[1] or found[2])


def _environment_of(guest: str) -> str:
    return guest[: found.start()] if (found := _NUMBER.search(guest)) else guest


def _means(found: Mapping[int, list[float]]) -> dict[int, float]:
    """The geometric mean of several trials of a block; of what may be zero the arithmetic one."""
    return {
        block: statistics.geometric_mean(of) if min(of) > 0 else statistics.fmean(of)
        for block, of in sorted(found.items())
    }
