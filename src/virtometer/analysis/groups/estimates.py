"""Join the methods: trials in which guests work at the same time become groups, with sums, shares and slowdowns.

A group is all trials of one scenario with the same guests doing the same work: the blocks are the replicates. Several
trials of a block, each of another guest alone, are one value: their geometric mean.
Guests are kept apart: each has a value of its own, and every average is named. All ratios are within blocks.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from virtometer.analysis.compare.values import METRICS
from virtometer.analysis.groups import conservation, fairness, further, interference, order
from virtometer.analysis.groups.fairness import FairnessEstimates
from virtometer.analysis.groups.member_estimates import MemberEstimate, spent
from virtometer.analysis.groups.members import GroupTrial, Member, Shape, cpu_s
from virtometer.analysis.groups.order import Rank
from virtometer.analysis.groups.reference import References, Single, mean_worth, worth
from virtometer.analysis.statistics import arithmetic
from virtometer.analysis.statistics.interval import interval
from virtometer.counted import counted
from virtometer.model import MIN_BLOCKS, Better, Estimate, Quantity

_UNLIKE = 1.1  # max/min from which on a note says that no guest in particular gets less
_GROWING = ("together", "instances")


@dataclass(frozen=True, slots=True)
class Group:
    """A group of guests, over the blocks.

    guests: all that worked, loads included. sum, mean: of the measured guests. Against one guest alone, the ideal for
    this number of processors, and the baseline with `baseline_guests` guests: by sums. ideal: the sum that fair
    processors would give, by the geometric mean of the blocks. cost: host CPU seconds per unit of work;
    cost_against_one: the same by that of one guest. host: processors' worth of each of STATES. overlap_s: median of the
    stretch in which all worked. watch_share: median of the part of one processor that watching the host took. None:
    unknown. skew_p99_ns: of the starts; skew_bound_ns: of its error. sums: by block. alone: value of one guest with
    nobody beside it in the same blocks; alone_rate: its rate; alone_host: processors' worth of each of STATES
    meanwhile. trials: those with a value of each guest. follows_alone: whether tables have that guest alone in a row
    before this group: before the first one of its place, where no group consists of it.
    """

    scenario: str
    type: str
    environment: str
    workload: str
    guests: int
    n: int
    sum: Quantity[Estimate | None]
    mean: Quantity[Estimate | None]
    ideal: Estimate | None
    against_one: Estimate | None
    against_ideal: Estimate | None
    against_baseline: Estimate | None
    baseline_guests: int
    fairness: FairnessEstimates | None
    ranks: tuple[Rank, ...]
    cost: Estimate | None
    cost_against_one: Estimate | None
    host: Mapping[str, float]
    skew_p99_ns: int
    skew_bound_ns: int
    overlap_s: float | None
    watch_share: float | None
    members: tuple[MemberEstimate, ...]
    notes: tuple[str, ...]
    sums: Mapping[int, float]
    alone: Quantity[Estimate | None]
    alone_rate: Quantity[Estimate | None]
    alone_host: Mapping[str, float]
    trials: tuple[GroupTrial, ...]
    follows_alone: bool = False

    def of(self, trial: GroupTrial) -> list[Member]:
        """Its measured guests in one of its trials."""
        return [one for one in trial.of(self.workload) if one.environment == self.environment]


def groups(
    trials: Sequence[GroupTrial], references: References, failed: Mapping[tuple[str, Shape], int], baseline: str
) -> tuple[Group, ...]:
    """Every group, in the order of the trials' scenarios and then of the number of guests.

    failed: trials that failed, by scenario and shape. A single guest is a group of scenarios with growing numbers; of
    others it is only what they are compared with.
    """
    found: dict[tuple[str, Shape], list[GroupTrial]] = {}
    for trial in trials:
        if trial.type in _GROWING or (trial.type in ("loaded", "mixed", "pair") and not trial.single):
            found.setdefault((trial.scenario, trial.shape), []).append(trial)
    made = []
    for key, of in found.items():
        for environment, workload in dict.fromkeys((one.environment, one.workload) for one in of[0].measured):
            made.append(_Grouped(of, environment, workload, references).group(failed.get(key, 0)))
    scenarios = list(dict.fromkeys(trial.scenario for trial in trials))
    places = list(dict.fromkeys((group.environment, group.workload) for group in made))
    made.sort(
        key=lambda one: (scenarios.index(one.scenario), places.index((one.environment, one.workload)), one.guests)
    )
    return _after_alone(_against_baseline(one, made, references, baseline) for one in made)


def _after_alone(found: Iterable[Group]) -> tuple[Group, ...]:
    """With `follows_alone`. found: in their order."""
    by_place: dict[tuple[str, str, str], list[Group]] = {}
    for one in found:
        by_place.setdefault((one.scenario, one.environment, one.workload), []).append(one)
    for some in by_place.values():
        consists = some[0].type in _GROWING and any(one.guests == 1 for one in some)
        some[0] = replace(some[0], follows_alone=some[0].alone.estimate is not None and not consists)
    return tuple(one for some in by_place.values() for one in some)


class _Grouped:
    """The trials of one group and one workload."""

    def __init__(self, trials: Sequence[GroupTrial], environment: str, workload: str, references: References) -> None:
        self.trials = trials
        self.environment = environment
        self.workload = workload
        self.references = references
        self.complete = [trial for trial in trials if all((one.rate or 0.0) > 0 for one in self._mine(trial))]
        self.by_block: dict[int, list[GroupTrial]] = {}
        for trial in self.complete:
            self.by_block.setdefault(trial.block, []).append(trial)
        self.sums = {
            block: statistics.geometric_mean([self._sum(trial) for trial in some])
            for block, some in self.by_block.items()
        }

    def group(self, failed: int) -> Group:
        """The estimates. failed: trials without a result."""
        first = self.trials[0]
        mine = self._mine(first)
        count, member = len(mine), mine[0]
        rates = [{one.guest: one.rate or 0.0 for one in self._mine(trial)} for trial in self.complete]
        fair = fairness.over_blocks(self.environment, [[*of.values()] for of in rates])
        total, ranks = interval(map(math.log, self.sums.values())), order.ranks(rates)
        singles, costs = self._singles(), self._costs()
        alone = [one.speed if member.better == "higher" else 1 / one.speed for one in singles.values()]
        rate = member.rate_unit
        return Group(
            scenario=first.scenario,
            type=first.type,
            environment=self.environment,
            workload=self.workload,
            guests=first.guests,
            n=len(self.by_block),
            sum=self._quantity("sum", rate, "higher", total),
            mean=self._mean(total, member, count),
            ideal=interval(math.log(ideal) for ideal in self._ideals().values()),
            against_one=self._against({block: one.rate for block, one in singles.items()}),
            against_ideal=self._against(self._ideals()),
            against_baseline=None,
            baseline_guests=0,
            fairness=fair,
            ranks=ranks,
            cost=interval(map(math.log, costs.values())),
            cost_against_one=interval(
                math.log(cost / own)
                for block, cost in costs.items()
                if block in singles and (own := singles[block].cost) is not None
            ),
            host=worth(trial.host for trial in self.trials),
            skew_p99_ns=_p99([trial.skew_ns for trial in self.trials]),
            skew_bound_ns=_p99([trial.skew_bound_ns for trial in self.trials]),
            overlap_s=_median([trial.overlap_s for trial in self.trials]),
            watch_share=_median([None if trial.host is None else trial.host.watch_share for trial in self.trials]),
            members=self._members(),
            notes=tuple(self._notes(failed, ranks, fair)),
            sums=dict(self.sums),
            alone=self._quantity("one guest", member.unit, member.better, interval(map(math.log, alone))),
            alone_rate=self._quantity(
                "one guest", rate, "higher", interval(math.log(one.rate) for one in singles.values())
            ),
            alone_host=mean_worth(one.host for one in singles.values()),
            trials=tuple(self.complete),
        )

    def _quantity(
        self, statistic: str, unit: str, better: Better, of: Estimate | None, subject: str = ""
    ) -> Quantity[Estimate | None]:
        return Quantity(subject or self.environment, METRICS.get(unit, unit), unit, better, statistic, of)

    def _mean(self, total: Estimate | None, member: Member, count: int) -> Quantity[Estimate | None]:
        """The sum by the number of guests; of times the time that this mean rate means."""
        timed = member.unit == "s" and not member.latency
        if total is not None:
            low, high = (total.high, total.low) if timed else (total.low, total.high)
            total = replace(
                total,
                value=count / total.value if timed else total.value / count,
                low=low and (count / low if timed else low / count),
                high=high and (count / high if timed else high / count),
            )
        return self._quantity("mean", "s" if timed else member.rate_unit, "lower" if timed else "higher", total)

    def _sum(self, trial: GroupTrial) -> float:
        return math.fsum(one.rate or 0.0 for one in self._mine(trial))

    def _mine(self, trial: GroupTrial) -> list[Member]:
        return [one for one in trial.of(self.workload) if one.environment == self.environment]

    def _singles(self) -> dict[int, Single]:
        scenario = self.trials[0].scenario
        found = {
            block: self.references.of(scenario, (self.environment, self.workload, block)) for block in self.by_block
        }
        return {block: one for block, one in found.items() if one is not None}

    def _ideals(self) -> dict[int, float]:
        """The sum that the processors allow, by block: what one guest reaches, for each, by their portions."""
        ideals = {}
        for block, single in self._singles().items():
            trial = self.by_block[block][0]
            ideals[block] = single.rate * math.fsum(map(trial.portion, self._mine(trial))) / single.portion
        return ideals

    def _against(self, other: Mapping[int, float]) -> Estimate | None:
        return interval(math.log(self.sums[block] / value) for block, value in other.items())

    def _costs(self) -> dict[int, float]:
        """Host CPU seconds per unit of work by block; none where a guest does other work too, or has no account."""
        found: dict[int, list[float]] = {}
        for trial in self.complete:
            mine = self._mine(trial)
            other = {one.whose for one in trial.members if one.workload != self.workload}
            if (used := cpu_s(mine)) and other.isdisjoint(one.whose for one in mine) and trial.window_s > 0:
                found.setdefault(trial.block, []).append(used / (self._sum(trial) * trial.window_s))
        return {block: statistics.geometric_mean(some) for block, some in found.items()}

    def _members(self) -> tuple[MemberEstimate, ...]:
        """The measured ones of this workload, then the loads."""
        found: dict[tuple[str, str, str], list[tuple[GroupTrial, Member]]] = {}
        for trial in self.trials:
            for one in (*self._mine(trial), *trial.loads):
                found.setdefault((one.role, one.guest, one.workload), []).append((trial, one))
        figures = 2 * len(found)  # share and slowdown of each
        first: dict[str, tuple[str, str, str]] = {}
        for key, of in found.items():
            first.setdefault(of[0][1].whose, key)
        return tuple(self._member(of, figures, tells_use=first[of[0][1].whose] == key) for key, of in found.items())

    def _member(self, of: Sequence[tuple[GroupTrial, Member]], figures: int, *, tells_use: bool) -> MemberEstimate:
        first = of[0][1]
        slowdowns = []
        for trial, one in of:
            single = self.references.of(trial.scenario, (one.environment, one.workload, trial.block))
            if single is not None and one.speed:
                slowdowns.append(math.log(single.speed / one.speed))
        complete = {trial.index for trial in self.complete}
        shares = [
            (one.rate or 0.0) / self._sum(trial)
            for trial, one in of
            if one.role == "measured" and trial.index in complete
        ]
        used = [(trial.window_s, one.host_cpu_s) for trial, one in of if one.host_cpu_s is not None and tells_use]
        return MemberEstimate(
            guest=first.guest,
            role=first.role,
            workload=first.workload,
            value=self._quantity(
                "geometric mean",
                first.unit,
                first.better,
                interval((math.log(one.value) for _, one in of if one.value), jointly=figures),
                first.guest,
            ),
            share=arithmetic.interval(shares, figures, least=0.0, most=1.0),
            slowdown=interval(slowdowns, jointly=figures),
            host_cpu_s=_median(cpu_s for _, cpu_s in used),
            processors=_median(cpu_s / window_s for window_s, cpu_s in used if window_s > 0),
            of=first.whose,
            measures=further.over_blocks(of, first.guest, host=tells_use),
            **spent(of if tells_use else []),
        )

    def _notes(self, failed: int, ranks: Sequence[Rank], fair: FairnessEstimates | None) -> list[str]:
        said = [f"{member} exchanges data with {target}" for member, target in self.trials[0].services]
        tried = len(self.trials) + failed
        if failed:
            said.append(f"{failed} of {counted(tried, 'trial')} failed, and left their blocks incomplete")
        if (unusable := len(self.trials) - len(self.complete)) > 0:
            said.append(f"{unusable} of {counted(tried, 'trial')} lack the value of a guest")
        if (repeated := sum(trial.repeated for trial in self.trials)) > 0:
            some = f"{repeated} of {counted(len(self.trials), 'trial')}"
            said.append(f"{some} repeated with longer windows, because the guests had hardly run at the same time")
        if len(self.by_block) < MIN_BLOCKS:
            said.append(f"{counted(len(self.by_block), 'complete block')}: no interval below {MIN_BLOCKS}")
        if len(self._singles()) == 0:
            said.append("no guest was measured alone in the same block: slowdown and efficiency are not known")
        elif (first := self.trials[0]).offered < first.demanded:
            said.append(f"the guests' work can use {first.demanded:g} processors, the host offers {first.offered}")
        unlike = fair is not None and (fair.max_over_min is None or fair.max_over_min.estimate.value > _UNLIKE)
        if (told := order.sentence(ranks)) and (any(rank.gets_less for rank in ranks) or unlike):
            said.append(told)
        said += self._by_other_labels(ranks)
        said += self._loads()
        said += conservation.broken_in(self.trials)
        return said

    def _by_other_labels(self, ranks: Sequence[Rank]) -> list[str]:
        """Who gets less by place in the order of starts and by processor, where these are not the guests' numbers."""
        said = []
        by_order = [{str(one.order + 1): one for one in self._mine(trial)} for trial in self.complete]
        if len({tuple(sorted((at, one.guest) for at, one in labels.items())) for labels in by_order}) > 1:
            found = order.ranks([_sorted({at: one.rate or 0.0 for at, one in labels.items()}) for labels in by_order])
            if any(rank.gets_less for rank in found):
                said.append(f"by place in the order of starts: {order.sentence(found, 'place')}")
        by_processor = [
            {_processors(one): one.rate or 0.0 for one in self._mine(trial) if one.on is not None}
            for trial in self.complete
        ]
        whole = [labels for labels in by_processor if len(labels) == len(ranks)]
        if whole and len(whole) == len(by_processor) and len({frozenset(labels) for labels in whole}) == 1:
            found = order.ranks([_sorted(labels) for labels in whole])
            if any(rank.gets_less for rank in found):
                said.append(f"by processor: {order.sentence(found, 'processor')}")
        return said

    def _loads(self) -> list[str]:
        """That the load was really there: what of the host it took."""
        if not self.trials[0].loads:
            return []
        shares = [share for trial in self.trials if (share := interference.intensity(trial)) is not None]
        if not shares:
            return ["the CPU time of the load could not be read"]
        return [f"the load took {100 * statistics.fmean(shares):.3g} % of the host's processor time"]


def _against_baseline(of: Group, all_groups: Iterable[Group], references: References, baseline: str) -> Group:
    """With the sum by that of the baseline: as many copies of the baseline where some were measured, else one alone."""
    if of.environment == baseline:
        return of
    base, count = baseline_sums(of, all_groups, baseline), of.guests
    if base is None:
        base, count = alone_rates(of, references, baseline), 1
    found = interval(math.log(total / base[block]) for block, total in of.sums.items() if block in base)
    return of if found is None else replace(of, against_baseline=found, baseline_guests=count)


def baseline_sums(of: Group, all_groups: Iterable[Group], baseline: str) -> Mapping[int, float] | None:
    """The sums of as many guests of the baseline that do the same, by block; None where none were measured."""
    alike = (
        one.sums
        for one in all_groups
        if (one.environment, one.workload, one.guests) == (baseline, of.workload, of.guests)
        and one.type == of.type
        and (of.type in _GROWING or one.scenario == of.scenario)  # of mixed work beside the same other work
    )
    return next(alike, None) if of.type in (*_GROWING, "mixed") else None


def alone_rates(of: Group, references: References, environment: str) -> dict[int, float]:
    """The rate of one guest of an environment with nobody beside it, for the work of a group, by block."""
    singles = {block: references.of(of.scenario, (environment, of.workload, block)) for block in of.sums}
    return {block: single.rate for block, single in singles.items() if single is not None}


def _median(values: Iterable[float | None]) -> float | None:
    """Of those that are known; None without any."""
    return statistics.median(known) if (known := [one for one in values if one is not None]) else None


def _p99(skews: Sequence[int]) -> int:
    return int(np.quantile(np.array(skews, dtype=np.int64), 0.99, method="higher")) if skews else 0


def _processors(one: Member) -> str:
    return ",".join(str(number) for number in sorted(one.on or ()))


def _sorted(labels: Mapping[str, float]) -> dict[str, float]:
    return {label: labels[label] for label in sorted(labels, key=lambda label: (len(label), label))}
