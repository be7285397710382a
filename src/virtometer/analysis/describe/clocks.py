"""The quality of each environment's clock: from the comparisons with the host's, and the workload `clock`."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.describe.measures import Times, further_measures, histograms
from virtometer.clock.intervals import residual_s
from virtometer.model import Campaign, ClockFault, Estimate, Excluded, FaultKind, Quantity, Run, columns_of

WORKLOAD = "clock"
LATENESS = "timer-lateness"
LONGEST_S = 3600.0  # the longest duration for which reports say how wrong a clock is
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
class ClockQuality:
    """One environment's clock. Rates are how much faster than the host's it runs, in ppm; NaN without a run.

    `rate_ppm` is the median over the runs, `rate_low_ppm` and `rate_high_ppm` the extremes, `bound_ppm` the median of
    the runs' own bounds; `max_abs_ppm` is how far off a run's rate may be, its bound included, `min_abs_ppm` how far
    one is at least. `drift` is that of the guest that was there for longest, None where none had two runs.
    `residual_s` is the largest error that no rate and offset explain. `faults` are those of the runs that failed by
    this clock, `rejected` counts their samples and those of other runs that its error was too large for. `counter`
    names the processor's counter where it is the TSC. `measures` and `lateness` are empty without the workload.
    """

    environment: str
    source: str
    counter: str
    runs: int
    rate_ppm: float
    rate_low_ppm: float
    rate_high_ppm: float
    bound_ppm: float
    max_abs_ppm: float
    min_abs_ppm: float
    drift: Drift | None
    residual_s: float
    faults: Mapping[FaultKind, Sequence[ClockFault]]
    rejected: int
    measures: Mapping[str, Quantity[Estimate]]
    lateness: Times | None

    @property
    def steps(self) -> int:
        """How many runs failed by a step, found by comparing clocks or in the samples."""
        return len(self.faults.get("stepped", ())) + len(self.faults.get("went-back", ()))

    @property
    def step_s(self) -> float:
        """The largest step, in guest seconds; 0 without one."""
        return max((abs(one.size_s or 0.0) for found in self.faults.values() for one in found), default=0.0)

    @property
    def unusable(self) -> bool:
        """Whether it may be wrong by anything: no run was right, or in one it stood still or contradicted itself."""
        return not self.runs or "stood-still" in self.faults or "contradicts" in self.faults

    @property
    def fixed_s(self) -> float | None:
        """The error of a duration of any length: jump, resolution, a reading; None without the workload."""
        fine = self.measures.get("resolution-monotonic")
        cost = self.measures.get("cost-monotonic")
        return None if fine is None or cost is None else self._jump_s + fine.estimate.value + cost.estimate.value

    def error(self, seconds: float) -> float:
        """Relative error of a duration by this clock at worst, by what is known: that of short ones may be larger.

        It is the rate's and, divided by the length, `fixed_s`, or the jumps alone where that is not known; the whole
        duration where the clock is `unusable`.
        """
        if self.unusable:
            return 1.0
        fixed_s = self.fixed_s
        return self.max_abs_ppm * 1e-6 + (self._jump_s if fixed_s is None else fixed_s) / seconds

    def within_limit(self, limit: float) -> bool:
        """Whether some length that is timed is right within the relative error `limit`."""
        return not self.unusable and self.error(LONGEST_S) < limit

    def within_limit_from_s(self, limit: float) -> float | None:
        """The length from which on it is right within `limit`; None where it never is, or the length is not known."""
        if not self.within_limit(limit) or self.fixed_s is None:
            return None
        return self.fixed_s / (limit - self.error(math.inf))

    @property
    def _jump_s(self) -> float:
        return max(self.residual_s, self.step_s)


def clock_qualities(campaign: Campaign) -> tuple[ClockQuality, ...]:
    """One for every environment that ran, in the plan's order; the same for guest-timed results."""
    campaign = campaign.recorded or campaign
    return tuple(_qualities(campaign))


def _qualities(campaign: Campaign) -> Iterator[ClockQuality]:
    workload = next((one.name for one in campaign.plan.workloads if one.workload == WORKLOAD), "")
    measures, times = further_measures(campaign), histograms(campaign)
    for name in (environment.name for environment in campaign.plan.environments):
        found = [run for record in campaign.trials for run in record.runs if run.placement.environment == name]
        runs = [run for run in found if run.score is not None]
        faults: dict[FaultKind, list[ClockFault]] = {}
        rejected = sum(int(columns_of(run.samples).excluded_by(Excluded.CLOCK_ERROR).sum()) for run in runs)
        for run in found:
            if run.fault is not None:
                faults.setdefault(run.fault.kind, []).append(run.fault)
                rejected += len(run.samples)
        if not runs and not faults:
            continue
        # A bound is in guest seconds per host second, as the rates are.
        fits = [run.scored.clock for run in runs]
        rates = [((1 / fit.rate - 1) * 1e6, fit.relative_bound / fit.rate * 1e6) for fit in fits]
        rates = rates or [(math.nan, math.nan)]
        architectures = _facts(campaign, name, "architecture")
        yield ClockQuality(
            environment=name,
            source=" | ".join(_facts(campaign, name, "clock_source")),
            counter="TSC" if architectures and all(map(_HAS_TSC.fullmatch, architectures)) else "",
            runs=len(runs),
            rate_ppm=statistics.median(rate for rate, _ in rates),
            rate_low_ppm=min(rate for rate, _ in rates),
            rate_high_ppm=max(rate for rate, _ in rates),
            bound_ppm=statistics.median(bound for _, bound in rates),
            max_abs_ppm=max(abs(rate) + bound for rate, bound in rates),
            min_abs_ppm=max(abs(rate) - bound for rate, bound in rates),
            drift=_drift(runs),
            residual_s=max(map(residual_s, runs), default=0.0),
            faults=faults,
            rejected=rejected,
            measures=measures.get((workload, name), {}),
            lateness=times.get((workload, name), {}).get(LATENESS),
        )


def _drift(runs: Sequence[Run]) -> Drift | None:
    """From the first to the last run of the same guest: both clocks' references, where each fit is at its best."""
    found = []
    for guest in dict.fromkeys(run.guest_id for run in runs):
        fits = sorted(
            (run.scored.clock for run in runs if run.guest_id == guest), key=lambda fit: fit.reference_host_ns
        )
        first, last = fits[0], fits[-1]
        over_ns = last.reference_host_ns - first.reference_host_ns
        if over_ns > 0:
            gained_ns = last.reference_guest_ns - first.reference_guest_ns - over_ns
            found.append(Drift(gained_ns * 1e-9, (first.bound_ns + last.bound_ns) * 1e-9, over_ns * 1e-9))
    return max(found, key=lambda drift: drift.over_s, default=None)


def _facts(campaign: Campaign, environment: str, name: str) -> list[str]:
    """What the guests of an environment said of themselves, each answer once."""
    told = (guest.effective.get("facts", {}).get(name) for guest in campaign.guests if guest.environment == environment)
    return list(dict.fromkeys(str(fact) for fact in told if fact))
