"""How far each environment's clock can be believed: from the comparisons with the host's, and the workload `clock`."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis import extras
from virtometer.model import Campaign, ClockFit, ClockProbe, PlacementResult

WORKLOAD = "clock"
LATENESS = "timer-lateness"
_STEP = re.compile(r"clock stepped by about ([-+0-9.e]+) s")


@dataclass(frozen=True, slots=True)
class Belief:
    """One environment's clock. Rates are how much faster than the host's it runs, in ppm.

    `rate_ppm` is the median over the runs, `rate_low_ppm` and `rate_high_ppm` the extremes, `bound_ppm` the median of
    the runs' own bounds. `residual_s` is the largest error that no rate and offset explain, `step_s` the largest step
    of the runs that failed by one, `steps` how many did. `measures` and `lateness` are empty without the workload.
    """

    environment: str
    source: str
    runs: int
    rate_ppm: float
    rate_low_ppm: float
    rate_high_ppm: float
    bound_ppm: float
    residual_s: float
    steps: int
    step_s: float
    set_aside: int
    measures: Mapping[str, extras.Measured]
    lateness: extras.Times | None

    @property
    def drift_s_per_hour(self) -> float:
        """How much the clock gains on the host's in an hour; negative where it falls behind."""
        return self.rate_ppm * 1e-6 * 3600

    def error(self, seconds: float) -> float:
        """The relative error of believing this clock over a duration: its rate, its steps, and how fine it is."""
        fine = self.measures.get("resolution-monotonic")
        cost = self.measures.get("cost-monotonic")
        fixed = max(self.residual_s, self.step_s) + (fine.median if fine else 0.0) + (cost.median if cost else 0.0)
        return max(abs(self.rate_ppm), abs(self.rate_low_ppm), abs(self.rate_high_ppm)) * 1e-6 + fixed / seconds


def beliefs(campaign: Campaign) -> tuple[Belief, ...]:
    """One for every environment that ran, in the plan's order."""
    measures, lateness = _of_the_workload(campaign)
    made = []
    for environment in campaign.plan.environments:
        results = [
            result
            for record in campaign.trials
            for result in record.results
            if result.placement.environment == environment.name
        ]
        steps = [
            abs(float(found[1]))
            for record in campaign.trials
            if record.status == "failed"
            and any(placement.environment == environment.name for placement in record.trial.placements)
            and (found := _STEP.search(record.reason))
        ]
        if not results and not steps:
            continue
        rates = sorted((1 / result.clock.rate - 1) * 1e6 for result in results) or [0.0]
        made.append(
            Belief(
                environment=environment.name,
                source=_source(campaign, environment.name),
                runs=len(results),
                rate_ppm=statistics.median(rates),
                rate_low_ppm=rates[0],
                rate_high_ppm=rates[-1],
                bound_ppm=statistics.median(result.clock.relative_bound * 1e6 for result in results)
                if results
                else 0.0,
                residual_s=max((residual_s(result.clock, result.probes) for result in results), default=0.0),
                steps=len(steps),
                step_s=max(steps, default=0.0),
                set_aside=sum(_aside(result) for result in results),
                measures=measures.get(environment.name, {}),
                lateness=lateness.get(environment.name),
            )
        )
    return tuple(made)


def residual_s(fit: ClockFit, probes: Sequence[ClockProbe]) -> float:
    """How far the fitted line misses the interval that the worst probe proves: 0 where one line explains them all."""
    worst_ns = 0.0
    for probe in probes:
        early = probe.sent_host_ns - fit.to_host_ns(probe.received_guest_ns)
        late = fit.to_host_ns(probe.sent_guest_ns) - probe.received_host_ns
        worst_ns = max(worst_ns, early, late)
    # A line through the corner of the corridor misses it by what arithmetic loses.
    return worst_ns * 1e-9 if worst_ns > 1.0 else 0.0


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
    names = (guest.given.get("facts", {}) for guest in campaign.guests if guest.environment == environment)
    return " | ".join(dict.fromkeys(str(facts["clock_source"]) for facts in names if facts.get("clock_source")))


def _aside(result: PlacementResult) -> int:
    return sum(not sample.used and sample.mark.startswith("clock error") for sample in result.samples)
