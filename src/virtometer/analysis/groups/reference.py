"""The reference of a group of guests: one guest with no other beside it, in the same block."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from virtometer.analysis.groups.members import GroupTrial
from virtometer.model import HostUse

STATES = ("user", "nice", "system", "irq", "softirq", "iowait", "steal", "idle")
"""What a processor of the host does, as the kernel counts it."""

Place = tuple[str, str, int]
"""Environment, workload and block."""


@dataclass(frozen=True, slots=True)
class Single:
    """One guest alone: its rate, its speed, the portion of its processors that it could have, CPU s by work.

    host: what the host's processors did meanwhile, as `worth` has it.
    """

    rate: float
    speed: float
    portion: float
    cost: float | None
    host: Mapping[str, float] = field(default_factory=dict)


class References:
    """The single guests of a campaign.

    A trial of the same scenario comes first, then those of scenarios with growing numbers of guests, then any other.
    Trials of one scenario are close in time and have windows of one kind.
    """

    def __init__(self, trials: Iterable[GroupTrial]) -> None:
        """Takes the trials with one member and nobody beside it; others are left out."""
        found: dict[tuple[str, Place], list[Single]] = {}
        for trial in trials:
            if not trial.single:
                continue
            (member,) = trial.members
            if not member.rate or not member.speed:
                continue
            single = Single(member.rate, member.speed, trial.portion(member), _cost(trial), worth([trial.host]))
            place = (member.environment, member.workload, trial.block)
            for source in (f"scenario {trial.scenario}", f"type {trial.type}", "any"):
                found.setdefault((source, place), []).append(single)
        self._found = {key: _mean(of) for key, of in found.items()}

    def of(self, scenario: str, place: Place) -> Single | None:
        """What a trial of a scenario is compared with; None where no single guest was measured in the block."""
        for source in (f"scenario {scenario}", "type together", "type alone", "any"):
            if (single := self._found.get((source, place))) is not None:
                return single
        return None

    def speed(self, scenario: str, place: Place) -> float | None:
        """The speed of what a trial of a scenario is compared with."""
        found = self.of(scenario, place)
        return None if found is None else found.speed


def worth(uses: Iterable[HostUse | None]) -> dict[str, float]:
    """Processors' worth of each of STATES, mean of the trials whose use is known; empty where none is."""
    known = [use for use in uses if use is not None and use.wall_s > 0]
    if not known:
        return {}
    return {state: statistics.fmean(float(getattr(use, state)) / use.wall_s for use in known) for state in STATES}


def mean_worth(hosts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of what `worth` knows of several."""
    known = [one for one in hosts if one]
    return {state: statistics.fmean(one[state] for one in known) for state in STATES} if known else {}


def _cost(trial: GroupTrial) -> float | None:
    """Host CPU seconds per unit of work."""
    (member,) = trial.members
    if member.host_cpu_s is None or member.host_cpu_s <= 0 or not member.rate or trial.window_s <= 0:
        return None
    return member.host_cpu_s / (member.rate * trial.window_s)


def _mean(of: Sequence[Single]) -> Single:
    costs = [one.cost for one in of if one.cost is not None]
    return Single(
        statistics.geometric_mean([one.rate for one in of]),
        statistics.geometric_mean([one.speed for one in of]),
        statistics.geometric_mean([one.portion for one in of]),
        statistics.geometric_mean(costs) if costs else None,
        mean_worth(one.host for one in of),
    )
