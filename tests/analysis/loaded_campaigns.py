"""Campaigns of an open loop that is swept over its rate, in environments of known capacity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from virtometer.model import Campaign, Placement, Plan, Run

RATES = (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)


def offered(rates: tuple[int, ...] = RATES) -> list[Work]:
    return [
        Work(
            f"open loop {rate}", "net", "open-loop", "1/s", rate,
            parameters={"rate": rate, "arrivals": "fixed"}, of="open loop", levels={"rate": rate},
        )
        for rate in rates
    ]  # fmt: skip


def answered(capacities: Mapping[str, float], *, sd: float = 0.05, window_s: float = 0.5, seed: int = 3) -> Any:
    """What turns a run into one of an M/M/1 queue with the capacity of its environment; its latencies have noise."""
    rng = np.random.default_rng(seed)

    def change(run: Run) -> Run:
        rate = float(run.parameters["rate"])
        load = rate / capacities[run.placement.environment]
        mean = min(1e-4 / (1 - load), window_s) if load < 0.999 else max(window_s * (1 - 1 / load), 0.1)
        mean *= math.exp(rng.normal(0, sd))
        # Quantiles of an exponential distribution of 1000 requests.
        counts = [[round(-mean * math.log(1 - (step + 0.5) / 100) * 1e9), 10] for step in range(100)]
        return changed(
            run,
            value=rate * min(1.0, 1 / load) / run.scored.clock.rate,
            measures={"offered": {"unit": "1/s", "value": rate}},
            histograms={"latency": {"unit": "s", "digits": 3, "counts": counts}},
        )

    return change


def loaded(capacities: Mapping[str, float], *, sd: float = 0.05, seed: int = 3, **more: Any) -> Campaign:
    """Nine blocks of an open loop in environments with these capacities, the first of them the baseline."""
    places = [Place(name) for name in capacities]
    more = {"blocks": 9, "control": True} | more
    made = simulate(places, offered(more.pop("rates", RATES)), samples=2, **more)
    return with_runs(made, answered(capacities, sd=sd, seed=seed))


def growing() -> Campaign:
    """A box alone, and two boxes at once: they share the processors, and each has half of the capacity."""
    both = loaded({"native": 50_000, "box": 20_000}, control=False)
    half = with_runs(both, answered({"native": 50_000, "box": 10_000}))
    scenarios = [
        {"name": "alone", "type": "alone"},
        {"name": "growing", "type": "together", "environment": "box", "guests": [2]},
    ]
    plan = Plan.model_validate(both.plan.model_dump() | {"scenarios": scenarios})
    records = [replace(record, trial=replace(record.trial, scenario="alone")) for record in both.trials]
    for record in half.trials:
        (run,) = record.runs
        of = run.placement
        if of.environment == "box":
            two = tuple(Placement("box", of.workload, guest=number, ordinal=number - 1) for number in (1, 2))
            trial = replace(record.trial, scenario="growing", placements=two)
            records.append(replace(record, trial=trial, runs=tuple(replace(run, placement=one) for one in two)))
    return replace(both, plan=plan, trials=tuple(records), planned=tuple(one.trial for one in records))
