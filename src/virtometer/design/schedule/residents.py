"""Which guests of a block live at the same time, where the host has no memory for all of them. PURE.

Guests that take turns are resident at the same time. Where they need more memory than is free they are split into
groups. Each group has the baseline with all of its guests, so that a comparison never leaves its group. Where the plan
has factors, the guests of each group are drawn anew in each block: a group is then no level of a factor.

The guests of all environments whose trials of 1, 2, ... guests are interleaved (`growing_guests`) are resident at the
same time too. Where they need more than is free, the environments of the scenario work one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.scenarios import environments_of, in_rounds, work_alone, work_in_turns
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.trials import Groups
from virtometer.model import PlanEnvironment, PlanWorkload, rounded_size

_NAMED = 6  # guests whose names stand in a line
_DRAWS = 20  # of groups of a block that may be more than they need to be
_WHOLE = 1 << 20  # so that the arithmetic comes out as it is shown


@dataclass(frozen=True, slots=True)
class Residents:
    """The groups of a plan: names of the environments beside the baseline, and bytes that each of its guests takes.

    needs: bytes of one guest, by environment. baseline_guests: how many guests the baseline has in each group.
    extra: bytes that work in long windows takes, in one guest at a time, beyond what work in slices takes in all.
    room: bytes that may be taken at once. redrawn: who is in which group is drawn anew in each block.
    """

    groups: tuple[tuple[str, ...], ...]
    needs: dict[str, int]
    baseline: str
    baseline_guests: int
    extra: int
    room: int
    redrawn: bool = False

    @property
    def of_blocks(self) -> Groups:
        """The groups as a schedule takes them: those of all blocks, or what draws those of one."""
        return self.drawn if self.redrawn and len(self.groups) > 1 else self.groups

    def drawn(self, generator: Generator) -> list[list[str]]:
        """The groups of one block: each guest in the first group that has room for it, in random order (first fit).

        There are no more groups than in `groups`: where 20 orders all need more, the largest guests go first.
        """
        names = [name for group in self.groups for name in group]
        for _ in range(_DRAWS):
            found = self._first_fit(generator.shuffled(names))
            if len(found) <= len(self.groups):
                return found
        return self._first_fit(sorted(generator.shuffled(names), key=lambda one: -self.needs[one]))

    def _first_fit(self, names: Sequence[str]) -> list[list[str]]:
        groups: list[list[str]] = []
        for name in names:
            fitting = next((group for group in groups if self.taken([*group, name]) <= self.room), None)
            if fitting is None:
                groups.append([name])
            else:
                fitting.append(name)
        return groups

    def taken(self, group: Collection[str]) -> int:
        """Bytes of a group: the baseline's guests are a part of it."""
        return self.baseline_guests * self.needs[self.baseline] + sum(self.needs[name] for name in group) + self.extra

    def sentences(self) -> Iterator[str]:
        """The groups with their arithmetic, a line each after the first line; none where all guests fit at once."""
        if len(self.groups) < 2:
            return
        everything = self.taken([name for group in self.groups for name in group])
        drawn = "; who is in which is drawn anew in each block, for example:" if self.redrawn else ""
        yield (
            f"guests that take turns need {rounded_size(everything)} of memory in total, and "
            f"{rounded_size(self.room)} are free: each block has {len(self.groups)} groups, each with {self.baseline}"
            f"{drawn}"
        )
        for number, group in enumerate(self.groups, 1):
            yield f"  group {number}: {self.arithmetic(group)}"

    def arithmetic(self, group: Sequence[str]) -> str:
        """What a group takes: `2 x baseline 14M + vm 640M = 668M`; many guests by their sizes."""
        times = f"{self.baseline_guests} x " if self.baseline_guests > 1 else ""
        parts = [f"{times}{self.baseline} {rounded_size(self.needs[self.baseline])}"]
        if len(group) > _NAMED:
            sizes = Counter(rounded_size(self.needs[name]) for name in group)
            parts += [f"{count} x {size}" for size, count in sizes.items()]
        else:
            parts += [f"{name} {rounded_size(self.needs[name])}" for name in group]
        parts += [f"long windows {rounded_size(self.extra)}"] if self.extra else []
        return f"{' + '.join(parts)} = {rounded_size(self.taken(group))}"


def residents(resolved: ResolvedPlan, names: Collection[str], room: int) -> Residents:
    """Split the environments `names` into groups of at most `room` bytes, the largest guests first (first fit).

    One group where no workload is interleaved. An environment that does not fit beside the baseline is a group by
    itself: `impossible_here` refuses what no group of the host can hold.
    """
    plan = resolved.plan
    known = [one for one in plan.environments if one.name in names or one.name == plan.baseline]
    others = [one.name for one in known if one.name != plan.baseline]
    made = Residents(
        (tuple(others),),
        {one.name: need(one, resolved, _largest(work_in_turns(plan), resolved)) for one in known},
        plan.baseline,
        2 if plan.control and others else 1,
        _extra(resolved),
        room,
        redrawn=bool(plan.factors),
    )
    if not work_in_turns(plan) or made.taken(others) <= room:
        return made
    groups = made._first_fit(sorted(others, key=lambda one: -made.needs[one]))
    # In the order of the plan.
    ordered = sorted((sorted(group, key=others.index) for group in groups), key=lambda group: others.index(group[0]))
    return replace(made, groups=tuple(tuple(group) for group in ordered))


@dataclass(frozen=True, slots=True)
class GrowingGuests:
    """A scenario of which trials of 1, 2, ... guests are interleaved. guests: of each environment.

    needs: bytes of one guest, by environment. room: bytes that may be taken at once.
    """

    scenario: str
    guests: int
    needs: dict[str, int]
    room: int

    @property
    def taken(self) -> int:
        """Bytes of all guests of all environments."""
        return self.guests * sum(self.needs.values())

    @property
    def apart(self) -> bool:
        """Whether the environments work one after the other, because their guests do not fit at the same time."""
        return len(self.needs) > 1 and self.taken > self.room

    @property
    def sentence(self) -> str:
        """Why they work one after the other, with the arithmetic; empty where they do not."""
        if not self.apart:
            return ""
        parts = [f"{self.guests} x {name} {rounded_size(need)}" for name, need in self.needs.items()]
        whole = f"{' + '.join(parts)} = {rounded_size(self.taken)}"
        return (
            f"the guests of '{self.scenario}' need {whole} of memory in total, "
            f"and {rounded_size(self.room)} are free: its environments work one after the other"
        )


def growing_guests(resolved: ResolvedPlan, names: Collection[str], room: int) -> list[GrowingGuests]:
    """The scenarios of which numbers of guests are interleaved, in the environments `names`."""
    plan, found = resolved.plan, []
    for scenario in plan.scenarios:
        work = [one for one in plan.workloads if one.name in scenario.workloads and in_rounds(plan, scenario, one.name)]
        measured = [one for one in environments_of(plan, scenario) if one in names] if work else []
        if measured:
            needs = {
                one.name: need(one, resolved, _largest(work, resolved))
                for one in plan.environments
                if one.name in measured
            }
            found.append(GrowingGuests(scenario.name, max(scenario.guests), needs, room))
    return found


def need(environment: PlanEnvironment, resolved: ResolvedPlan, work: int) -> int:
    """Bytes of the host that a guest takes: a machine all of its memory, another guest what its work takes (`work`).

    With what a guest of its kind takes beside it (`own_memory`).
    """
    kind = resolved.kind(environment)
    own = resolved.settings[environment.name].guest_memory or 0
    return kind.own_memory + (own if kind.machine else work)


def _extra(resolved: ResolvedPlan) -> int:
    apart = [one for one in work_alone(resolved.plan) if one.scheduling != "interleaved"]
    return max(_largest(apart, resolved) - _largest(work_in_turns(resolved.plan), resolved), 0)


def _largest(workloads: Collection[PlanWorkload], resolved: ResolvedPlan) -> int:
    """Whole MiB that the work takes which takes the most."""
    return whole(max((resolved.works[one.name].demand.memory for one in workloads), default=0))


def whole(size: int) -> int:
    """Bytes, rounded up to whole MiB, so that sums are those of the numbers that are shown."""
    return -(-size // _WHOLE) * _WHOLE
