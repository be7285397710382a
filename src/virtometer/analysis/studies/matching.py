"""The series of the campaigns that stand for a printed cell, by the rules of its study. PURE."""

from __future__ import annotations

import copy
import dataclasses
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from virtometer.analysis.studies import derived
from virtometer.analysis.studies.measured import ALONE, Blocks, Measured, Place, Situation, holds, measured_in
from virtometer.model import Level
from virtometer.studies.data import PublishedValue, items
from virtometer.studies.sections import (
    DerivedRule,
    Description,
    EnvironmentRule,
    QuantityRule,
    reference,
    rule_of,
    sources,
)

if TYPE_CHECKING:
    from virtometer.analysis import Analysis

NOT_YET = "not measured yet by this version"
NOT_HERE = "not in these campaigns"

_CPU_BY_RECORD = "cpu-per-io"
_OF_HOST = ("host-cpu", "host-busy", "by-host-cpu")
_RECORD = 4096  # bytes of a record of work that has no size of its own


@dataclass(frozen=True, slots=True)
class Found:
    """What stands for a cell: values by block in the cell's unit, and those that they are compared with.

    against is empty where nothing is, or where the cell is itself what others are compared with. by: the environment.
    campaign: counted from 0. processors: of the end that a share of CPU use is of. cpus: of a guest alone, processors
    of the host that worked for it, by block; empty where that is unknown, or is the value itself.
    """

    values: Blocks
    against: Blocks
    by: str
    campaign: int
    processors: float = 1.0
    cpus: Blocks = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Missing:
    """Why nothing stands for a cell."""

    reason: str


class Matcher:
    """Finds what stands for the cells of one study. Campaigns are never mixed in a cell.

    Those of the plan of the item's experiment are tried first, and others in their order.

    series, cpus: all series, and the processors of the host, of each campaign.
    """

    def __init__(self, of: Description, analyses: Sequence[Analysis]) -> None:
        """Nothing is read of the campaigns yet but their series."""
        self.of = of
        self.analyses = analyses
        self.series = [measured_in(analysis) for analysis in analyses]
        self._baselines = [analysis.campaign.plan.baseline for analysis in analyses]
        hosts = [analysis.campaign.host for analysis in analyses]
        self.cpus = [int(host.get("cpus") or host.get("cpus_online") or 1) for host in hosts]
        self._known: dict[str, Found | Missing] = {}
        self._numbers: Sequence[int] = range(len(self.series))
        self._within: dict[int, Matcher] = {}

    def find(self, value: PublishedValue) -> Found | Missing:
        """What stands for a cell, from the first campaign that has it."""
        if value.id not in self._known:
            self._known[value.id] = self._find(value)
        return self._known[value.id]

    def mean(self, value: PublishedValue) -> float | None:
        """The geometric mean over the blocks, in the unit of the cell's value; None where nothing stands for it."""
        found = self.find(value)
        known = [one for one in found.values.values() if one > 0] if isinstance(found, Found) else []
        return statistics.geometric_mean(known) if known else None

    def standing(self, campaign: int, name: str) -> Matcher:
        """The same for one campaign, with the environment of that name for every system, whatever the rules say."""
        other = copy.copy(self)
        other.series = [tuple(one for one in self.series[campaign] if one.place.name == name)]
        other.analyses = [self.analyses[campaign]]
        other._baselines = [self._baselines[campaign]]
        other.cpus = [self.cpus[campaign]]
        other._known = {}
        other._numbers = (0,)
        other._within = {}
        kinds = {one.place.kind for one in other.series[0]}
        rule = EnvironmentRule.model_validate({"for": {}, "kinds": list(kinds), "bits": "any"})
        other.of = self.of.model_copy(update={"environments": [rule]})
        return other

    def within(self, campaign: int) -> Matcher:
        """The same, but cells are looked for in this campaign alone, which keeps its number."""
        if campaign not in self._within:
            other = copy.copy(self)
            other._known = {}
            other._numbers = (campaign,)
            other._within = {}
            self._within[campaign] = other
        return self._within[campaign]

    @property
    def own(self) -> list[int]:
        """Numbers of the campaigns of plans of this study."""
        names = [analysis.campaign.plan.name for analysis in self.analyses]
        return [at for at in self._numbers if names[at].startswith(f"{self.of.study} ")]

    def _find(self, value: PublishedValue) -> Found | Missing:
        rule, quantity = rule_of(self.of.derived, value), rule_of(self.of.quantities, value)
        if quantity is not None and quantity.as_ == "measure":  # it was measured, and need not be calculated
            found = self._measured(value)
            if isinstance(found, Found) or rule is None:
                return found
        made = Missing(NOT_YET) if rule is None else self._derived(value, rule)
        if isinstance(made, Missing):
            direct = self._measured(value)
            return made if isinstance(direct, Missing) and direct.reason == NOT_YET else direct
        return made

    def _derived(self, value: PublishedValue, rule: DerivedRule) -> Found | Missing:
        """From its sources, which must be of one environment. Missing for the reason of the first that is missing."""
        some = sources(value, rule)
        found = [self.find(one) for one in some]
        known = [one for one in found if isinstance(one, Found)]
        if len(known) < len(found):
            return next(one for one in found if isinstance(one, Missing))
        if not known or len({(one.campaign, one.by) for one in known}) > 1:
            return Missing(NOT_HERE)
        first = known[0]
        processors = self.cpus[first.campaign]

        def made(of: Sequence[Blocks]) -> Blocks:
            shared = set[int].intersection(*(set(one) for one in of))
            return {
                block: derived.derive(rule.by, [one[block] for one in of], value, some[0], processors)
                for block in sorted(shared)
            }

        compared = reference(value, self.of) is not None
        return Found(
            made([one.values for one in known]),
            made([one.against for one in known]) if compared and rule.by != "sum" else first.against,
            first.by,
            first.campaign,
        )

    def _measured(self, value: PublishedValue) -> Found | Missing:
        quantity, places = rule_of(self.of.quantities, value), rule_of(self.of.environments, value)
        if places is not None and places.unavailable:
            return Missing(places.unavailable)
        if quantity is None or places is None or quantity.unavailable:
            return Missing((quantity and quantity.unavailable) or NOT_YET)
        for campaign in self.campaigns_for(value):
            for place in self._places(campaign, places, value):
                found = self._in(campaign, place, quantity, value)
                if found is not None:
                    return found
        return Missing(NOT_HERE)

    def campaigns_for(self, value: PublishedValue) -> list[int]:
        """Numbers of the campaigns, in the order in which a cell is looked for: those of its item's experiments first.

        What an item compares was measured at one time then.
        """
        known = items(value.study)
        own = {f"{value.study} {one}" for one in known[value.item].experiments}
        others = {f"{value.study} {one}" for item in known.values() for one in item.experiments} - own

        def foreign(campaign: int) -> bool:
            plan = self.analyses[campaign].campaign.plan.name
            # An experiment may have several plans: ramspeed-marks-int. But parallel-net-disk is another experiment.
            return plan in others or not any(plan == name or plan.startswith(f"{name}-") for name in own)

        return sorted(self._numbers, key=foreign)

    def _places(self, campaign: int, rule: EnvironmentRule, value: PublishedValue) -> Iterator[Place]:
        """The environments of a campaign that may stand for a system, the best first: those with its bits."""
        known = {one.place.name: one.place for one in self.series[campaign]}
        for candidate in rule.kinds:
            for place in sorted(known.values(), key=lambda one: one.bits != value.bits):
                alike = rule.bits == "any" or value.bits is None or place.bits == value.bits
                alike = alike and rule.tuning in ("any", "some" if place.tuned else "none")
                if place.kind == candidate.kind and alike and holds(place.settings, candidate.wanted(value)):
                    yield place

    def _in(self, campaign: int, place: Place, rule: QuantityRule, value: PublishedValue) -> Found | None:
        situation = self._situation(campaign, place, value, instances=rule.scenario == "instances")
        if situation is None:
            return None
        against = self._reference_place(campaign, value)
        processors = 1.0
        mine: list[Blocks] = []
        theirs: list[Blocks] = []
        cpus: list[Blocks] = []
        for wanted in rule.works(value):
            some = [
                one
                for one in self.series[campaign]
                if one.place.name == place.name and one.situation == situation and holds(one.facts, wanted)
            ]
            some = [one for one in some if one.facts == some[0].facts]  # of works that fit alike the first one
            values = _of_members(some, self._number(value), rule, value)
            if not values:
                return None
            mine.append(values)
            cpus.append(some[0].cpus if situation == ALONE and rule.as_ not in _OF_HOST else {})
            if against is not None and against.name != place.name:
                theirs.append(self._beside(campaign, against, some[0], wanted, rule, value))
            if rule.as_ == "cpu-share":
                processors = statistics.fmean(some[0].of_measure(_processors(rule)).values())
        values = _of_run(_means(mine), value)
        if not values:
            return None
        used = _of_run(_means(cpus), value)
        return Found(values, _means(theirs), place.name, campaign, processors, used)

    def _beside(
        self,
        campaign: int,
        against: Place,
        one: Measured,
        wanted: Mapping[str, Level],
        rule: QuantityRule,
        value: PublishedValue,
    ) -> Blocks:
        """What a series is compared with: the same work in one guest of `against` alone. Empty where it is unknown."""
        alone = [
            other
            for other in self.series[campaign]
            if other.place.name == against.name and other.situation == ALONE and holds(other.facts, wanted)
        ]
        if not alone:
            return {}
        other = min(alone, key=lambda other: other.facts != one.facts)
        values = other.of_measure(rule.measure) if rule.measure else one.against(other)
        return _converted(other, values, rule, value)

    def _reference_place(self, campaign: int, value: PublishedValue) -> Place | None:
        """What stands for the cell that efficiencies are against; else the campaign's baseline."""
        known = {one.place.name: one.place for one in self.series[campaign]}
        printed = reference(value, self.of)
        rule = None if printed is None else rule_of(self.of.environments, printed)
        if printed is not None and rule is not None:
            for place in self._places(campaign, rule, printed):
                return place
        return known.get(self._baselines[campaign]) if value.better else None

    def _situation(self, campaign: int, place: Place, value: PublishedValue, *, instances: bool) -> Situation | None:
        """How guests must have been combined; None where no campaign has that."""
        guests = value.guests or 1
        if instances:
            count = value.threads_or_processes or 1
            return ALONE if count == 1 else Situation("instances", count)
        if value.target == "other-guest":
            return Situation("pair", target=(place.name, 2))
        if value.source in self.of.ends and value.target in self.of.ends:
            return self._pair(campaign, place, value)
        if value.load:
            return Situation("loaded", guests, loads=(value.load,) * (guests - 1))
        if value.beside:
            return Situation("mixed", guests, beside=(value.beside,))
        return ALONE if guests == 1 else Situation("together", guests)

    def _pair(self, campaign: int, place: Place, value: PublishedValue) -> Situation | None:
        """The path of a matrix: the target is of the same environment, or what stands for another role."""
        end = self.of.ends[value.target]
        if end.role == value.role:
            return Situation("pair", target=(place.name, end.number))
        turned = dataclasses.replace(value, role=end.role)
        rule = rule_of(self.of.environments, turned)
        if rule is not None:
            for other in self._places(campaign, rule, turned):
                return Situation("pair", target=(other.name, end.number))
        return None

    def _number(self, value: PublishedValue) -> int | None:
        """The number of the guest that a cell is about; None where it is about all, or about any."""
        if value.source in self.of.ends and value.target in self.of.ends:
            return self.of.ends[value.source].number
        return int(value.member) if value.member.isdigit() else None


def _of_members(some: Sequence[Measured], number: int | None, rule: QuantityRule, value: PublishedValue) -> Blocks:
    """The values of the guests that a cell is about, joined within each block as its member says."""
    by_guest: dict[int, Blocks] = {}
    for one in some:
        if number is None or one.number == number:
            by_guest.setdefault(one.number, _converted(one, one.of_measure(rule.measure), rule, value))
    of = [blocks for blocks in by_guest.values() if blocks]
    if not of or some[0].situation.scenario not in ("together", "mixed", "instances") or number is not None:
        return of[0] if of else {}
    shared = sorted(set[int].intersection(*(set(blocks) for blocks in of)))
    numbers = {block: [blocks[block] for blocks in of] for block in shared}
    if value.statistic == "sd" and not between_runs(value):
        return {block: sd for block, all_of in numbers.items() if (sd := derived.spread(all_of))}
    if value.member == "sum":
        return {block: math.fsum(all_of) for block, all_of in numbers.items()}
    return {block: statistics.fmean(all_of) for block, all_of in numbers.items()}


def _converted(one: Measured, values: Blocks, rule: QuantityRule, value: PublishedValue) -> Blocks:
    """Values in the unit of the cell, as the rule says."""
    if rule.as_ in ("host-cpu", "host-busy"):
        return one.cpus if rule.as_ == "host-cpu" else one.busy
    if rule.as_ == "by-host-cpu":
        return {block: rate / one.cpus[block] for block, rate in values.items() if one.cpus.get(block)}
    if rule.as_ == "of-one-thread":
        return {block: time * float(one.facts["threads"]) for block, time in values.items()}
    if rule.as_ == "cpu-share":
        of = one.of_measure(_processors(rule))
        return {block: use / of[block] for block, use in values.items() if of.get(block)}
    if rule.as_ == "record-cpu":
        each, size = one.of_measure(_CPU_BY_RECORD), float(one.facts.get("size", _RECORD))
        return {block: rate / size * each[block] for block, rate in values.items() if block in each}
    if rule.as_ == "bytes":
        size = float(one.facts["size"])
        return {block: rate * size for block, rate in values.items()}
    if rule.as_ in ("seconds", "completed"):
        work = _work(one.facts) * rule.runs * rule.sweeps
        took = {block: derived.seconds(work, rate) for block, rate in values.items()}
        if rule.as_ == "seconds":
            return took
        limit, planned = float(value.conditions.get("time_limit_s", math.inf)), value.n or 10
        return {block: float(derived.completed_runs(one_s, limit, planned)) for block, one_s in took.items()}
    return values


def _processors(rule: QuantityRule) -> str:
    """The measure with the number of processors of the end whose CPU use a rule names."""
    return rule.measure.replace("cpu-", "cpus-", 1)


def _work(facts: Mapping[str, Level]) -> float:
    if "interlines" in facts:
        return derived.sweep_work(float(facts["interlines"]))
    return derived.linpack_work(float(facts["order"]))


def between_runs(value: PublishedValue) -> bool:
    """Whether a cell is about how much the runs differ: the blocks of a campaign."""
    return value.options.get("between") == "runs"


def _of_run(values: Blocks, value: PublishedValue) -> Blocks:
    """The block that stands for the run of a cell; all of them where it is about none. Empty where there is none."""
    run = value.options.get("run")
    if run is None:
        return values
    return dict(sorted(values.items())[int(run) - 1 : int(run)])


def _means(of: Sequence[Blocks]) -> Blocks:
    """The arithmetic mean within each block that all have."""
    if not of:
        return {}
    shared = sorted(set[int].intersection(*(set(one) for one in of)))
    return {block: statistics.fmean(one[block] for one in of) for block in shared}
