"""How far each environment's clock can be believed: from the comparisons with the host's, and the workload `clock`."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis import extras
from virtometer.analysis.host_time import residual_s
from virtometer.model import CLOCK_ERROR, Campaign, ClockFault, ClockFit, FaultKind, PlacementResult

WORKLOAD = "clock"
LATENESS = "timer-lateness"
LONGEST_S = 3600.0  # the longest duration for which reports tell what believing a clock costs
_HAS_TSC = re.compile(r"x86_64|i[3-6]86")


@dataclass(frozen=True, slots=True)
class Drift:
    """What one guest's clock gained on the host's from one run to a later one, within ± `bound_s`; all in host s."""

    gained_s: float
    bound_s: float
    over_s: float

    @property
    def ppm(self) -> float:
        """The mean rate over all that time, as how much faster than the host's."""
        return self.gained_s / self.over_s * 1e6


@dataclass(frozen=True, slots=True)
class Belief:
    """One environment's clock. Rates are how much faster than the host's it runs, in ppm.

    `rate_ppm` is the median over the runs, `rate_low_ppm` and `rate_high_ppm` the extremes, `bound_ppm` the median of
    the runs' own bounds; `worst_ppm` is how far off a run's rate may be at most, its bound included, `proven_ppm` how
    far one is at least. All are NaN without a run. `drift` is that of the guest that was there for longest, None where
    none had two runs. `residual_s` is the largest error that no rate and offset explain. `faults` are those of the
    runs that failed by this clock, `set_aside` counts their samples and those of other runs that its error was too
    large for. `counter` names the processor's counter where it is the TSC. `measures` and `lateness` are empty without
    the workload.
    """

    environment: str
    source: str
    counter: str
    runs: int
    rate_ppm: float
    rate_low_ppm: float
    rate_high_ppm: float
    bound_ppm: float
    worst_ppm: float
    proven_ppm: float
    drift: Drift | None
    residual_s: float
    faults: Mapping[FaultKind, Sequence[ClockFault]]
    set_aside: int
    measures: Mapping[str, extras.Measured]
    lateness: extras.Times | None

    @property
    def steps(self) -> int:
        """How many runs failed by a step, found by comparing clocks or in the samples."""
        return len(self.faults.get("stepped", ())) + len(self.faults.get("went-back", ()))

    @property
    def step_s(self) -> float:
        """The largest step, in guest seconds; 0 without one."""
        return max((abs(one.size_s or 0.0) for found in self.faults.values() for one in found), default=0.0)

    @property
    def hopeless(self) -> bool:
        """Whether it may be wrong by anything: no run was right, or in one it stood still or contradicted itself."""
        return not self.runs or "stood-still" in self.faults or "contradicts" in self.faults

    @property
    def fixed_s(self) -> float | None:
        """What a duration is wrong by whatever its length: jump, resolution, a reading; None without the workload."""
        fine = self.measures.get("resolution-monotonic")
        cost = self.measures.get("cost-monotonic")
        return None if fine is None or cost is None else self._jump_s + fine.median + cost.median

    def error(self, seconds: float) -> float:
        """Relative error of believing this clock over a duration at worst, by what is known: short ones may be worse.

        It is the rate's and, divided by the length, `fixed_s`, or the jumps alone where that is not known; the whole
        duration where the clock is `hopeless`.
        """
        if self.hopeless:
            return 1.0
        fixed_s = self.fixed_s
        return self.worst_ppm * 1e-6 + (self._jump_s if fixed_s is None else fixed_s) / seconds

    def believable(self, limit: float) -> bool:
        """Whether believing this clock is right within the relative error `limit` for some length that is timed."""
        return not self.hopeless and self.error(LONGEST_S) < limit

    def believable_from_s(self, limit: float) -> float | None:
        """The length from which on it is right within `limit`; None where it never is, or the length is not known."""
        if not self.believable(limit) or self.fixed_s is None:
            return None
        return self.fixed_s / (limit - self.error(math.inf))

    @property
    def _jump_s(self) -> float:
        return max(self.residual_s, self.step_s)


def beliefs(campaign: Campaign) -> tuple[Belief, ...]:
    """One for every environment that ran, in the plan's order; raw values leave them as they are."""
    campaign = campaign.recorded or campaign
    measures, lateness = _of_the_workload(campaign)
    made = []
    for environment in campaign.plan.environments:
        results = [
            result
            for record in campaign.trials
            for result in record.results
            if result.placement.environment == environment.name
        ]
        faults, of_failed = _faults(campaign, environment.name)
        if not results and not faults:
            continue
        # A bound is told of guest seconds per host second, as the rates are.
        rates = [((1 / one.clock.rate - 1) * 1e6, one.clock.relative_bound / one.clock.rate * 1e6) for one in results]
        rates = rates or [(math.nan, math.nan)]
        made.append(
            Belief(
                environment=environment.name,
                source=_source(campaign, environment.name),
                counter=_counter(campaign, environment.name),
                runs=len(results),
                rate_ppm=statistics.median(rate for rate, _ in rates),
                rate_low_ppm=min(rate for rate, _ in rates),
                rate_high_ppm=max(rate for rate, _ in rates),
                bound_ppm=statistics.median(bound for _, bound in rates),
                worst_ppm=max(abs(rate) + bound for rate, bound in rates),
                proven_ppm=max(abs(rate) - bound for rate, bound in rates),
                drift=_drift(results),
                residual_s=max(map(residual_s, results), default=0.0),
                faults=faults,
                set_aside=of_failed + sum(map(_set_aside, results)),
                measures=measures.get(environment.name, {}),
                lateness=lateness.get(environment.name),
            )
        )
    return tuple(made)


def _set_aside(result: PlacementResult) -> int:
    return sum(sample.mark.startswith(CLOCK_ERROR) for sample in result.samples)


def _drift(results: Sequence[PlacementResult]) -> Drift | None:
    """From the first to the last run of the same guest: both clocks' references, where each fit is at its best."""
    by_guest: dict[str, list[ClockFit]] = {}
    for result in results:
        by_guest.setdefault(result.guest_id, []).append(result.clock)
    found = []
    for fits in by_guest.values():
        first, last = min(fits, key=_moment), max(fits, key=_moment)
        over_ns = last.reference_host_ns - first.reference_host_ns
        if over_ns > 0:
            gained_ns = last.reference_guest_ns - first.reference_guest_ns - over_ns
            found.append(Drift(gained_ns * 1e-9, (first.bound_ns + last.bound_ns) * 1e-9, over_ns * 1e-9))
    return max(found, key=lambda drift: drift.over_s, default=None)


def _moment(fit: ClockFit) -> int:
    return fit.reference_host_ns


def _of_the_workload(
    campaign: Campaign,
) -> tuple[dict[str, dict[str, extras.Measured]], dict[str, extras.Times]]:
    """Measures and lateness by environment, of the first workload of the kind."""
    name = next((one.name for one in campaign.plan.workloads if one.workload == WORKLOAD), None)
    if name is None:
        return {}, {}
    measures = {place: found for (work, place), found in extras.measures(campaign).items() if work == name}
    times = {place: found for (work, place), found in extras.histograms(campaign).items() if work == name}
    return measures, {place: found[LATENESS] for place, found in times.items() if LATENESS in found}


def _source(campaign: Campaign, environment: str) -> str:
    """The guest's own name for its clock source; where guests differ, all of them."""
    return " | ".join(_facts(campaign, environment, "clock_source"))


def _counter(campaign: Campaign, environment: str) -> str:
    found = _facts(campaign, environment, "architecture")
    return "TSC" if found and all(map(_HAS_TSC.fullmatch, found)) else ""


def _facts(campaign: Campaign, environment: str, name: str) -> list[str]:
    """What the guests of an environment said of themselves, each answer once."""
    told = (guest.given.get("facts", {}).get(name) for guest in campaign.guests if guest.environment == environment)
    return list(dict.fromkeys(str(fact) for fact in told if fact))


def _faults(campaign: Campaign, environment: str) -> tuple[dict[FaultKind, list[ClockFault]], int]:
    """What was wrong with a clock in the runs that failed by it, by kind, and how many samples these had."""
    faults: dict[FaultKind, list[ClockFault]] = {}
    samples = 0
    for record in campaign.trials:
        for left in record.evidence:
            if left.placement.environment == environment and left.fault is not None:
                faults.setdefault(left.fault.kind, []).append(left.fault)
                samples += len(left.samples)
    return faults, samples
