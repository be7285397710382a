"""The same work by three clocks: the guest's, the guest's corrected, and one outside of the guest."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.score.alone import alone_in
from virtometer.model import Campaign, Run, columns_of


@dataclass(frozen=True, slots=True)
class Timed:
    """Medians over the trials of one workload in one environment. Rates are in `unit`.

    own: by the guest's clock. corrected: by comparing it with the host's. reference: by the time server. difference: of
    reference from corrected, as a fraction. round_trip: of one request, s of that clock; None where not reported.
    """

    unit: str
    own: float
    corrected: float
    reference: float
    difference: float
    round_trip: float | None
    trials: int


def timed(campaign: Campaign) -> dict[Key, Timed]:
    """Work that a reference clock timed too, by workload and environment. Raw values have the same comparison."""
    found: dict[Key, list[tuple[float, float, float, Run]]] = {}
    alone = alone_in(campaign.plan)
    for record in (campaign.recorded or campaign).trials:
        for run in record.scored if alone(record.trial) else ():
            told = run.reported.measures
            rates = [float(told.get(name, {}).get("value", 0)) for name in ("guest-rate", "reference-rate")]
            if run.placement.role == "measured" and all(rate > 0 for rate in rates):
                own, reference = rates
                key = (run.placement.workload, run.placement.environment)
                found.setdefault(key, []).append((own, own * _corrected(run), reference, run))
    return {key: _together(trials) for key, trials in found.items()}


def _corrected(run: Run) -> float:
    """Factor from a rate by the guest's clock to one in host time, over the trial's own samples."""
    of = columns_of(run.samples)
    guest_s: float = sum((of.end_ns - of.start_ns)[of.used].tolist()) * 1e-9
    return run.scored.value * guest_s / run.scored.work


def _together(trials: list[tuple[float, float, float, Run]]) -> Timed:
    trips = [
        float(run.reported.measures["reference-round-trip"]["value"])
        for *_, run in trials
        if "reference-round-trip" in run.reported.measures
    ]
    return Timed(
        str(trials[0][3].reported.measures["reference-rate"]["unit"]),
        statistics.median(own for own, *_ in trials),
        statistics.median(corrected for _, corrected, *_ in trials),
        statistics.median(reference for _, _, reference, _ in trials),
        statistics.median(reference / corrected - 1 for _, corrected, reference, _ in trials),
        statistics.median(trips) if trips else None,
        len(trials),
    )
