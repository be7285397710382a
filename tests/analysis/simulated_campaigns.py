"""Campaigns with known truth, built as the ledger would return them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from virtometer.model import (
    Better,
    Campaign,
    ClockFault,
    ClockFit,
    ClockProbe,
    CommandLine,
    EnvironmentStatus,
    Evidence,
    GuestStart,
    HostUse,
    Placement,
    PlacementResult,
    Plan,
    Sample,
    Trial,
    TrialRecord,
)

# (block, position of the trial within the campaign, random numbers) -> log of the factor that noise multiplies with
Noise = Callable[[int, float, np.random.Generator], float]


@dataclass(frozen=True)
class Work:
    """A workload of a simulated campaign: `level` is what the baseline reaches, in `unit`."""

    name: str = "memory triad 64 MB"
    workload: str = "memory"
    op: str = "triad"
    unit: str = "B/s"
    level: float = 18e9
    threads: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def better(self) -> Better:
        return "lower" if self.unit == "s" else "higher"


@dataclass(frozen=True)
class Place:
    """An environment: `efficiency` by workload name ("" for all others), cost factor, conditions by workload name."""

    name: str
    kind: str = "native"
    efficiency: Mapping[str, float] = field(default_factory=dict)
    cost: float | None = 1.0
    conditions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    works: bool = True
    reason: str = ""
    fails: Mapping[str, str] = field(default_factory=dict)  # workload name -> reason of every trial
    settings: Mapping[str, Any] = field(default_factory=dict)
    provision_s: float = 0.05


def quiet(_block: int, _time: float, _rng: np.random.Generator) -> float:
    return 0.0


def plan_of(places: Sequence[Place], works: Sequence[Work], blocks: int, **more: Any) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "simulated",
            "question": "What does each environment cost?",
            "environments": [{"name": p.name, "kind": p.kind, "settings": dict(p.settings)} for p in places],
            "workloads": [
                {"name": w.name, "workload": w.workload, "op": w.op, "parameters": dict(w.parameters)} for w in works
            ],
            "baseline": places[0].name,
            "blocks": blocks,
        }
        | more
    )


def lied(record: TrialRecord, fault: ClockFault, reason: str = "") -> TrialRecord:
    """A trial that was done, as if it had failed on a clock's account instead: it keeps all but its value."""
    left = tuple(
        Evidence(
            placement=result.placement,
            guest_id=result.guest_id,
            kernel=result.kernel,
            op=result.op,
            parameters=result.parameters,
            threads=result.threads,
            unit=result.unit,
            better=result.better,
            conditions=result.conditions,
            said={
                "unit": result.unit, "better": result.better, "value": result.agent_value, "check": result.check,
                "count": len(result.samples), "stopped": False, "cpu": {"user_ns": 1, "system_ns": 2},
                "conditions": {}, "measures": result.measures, "histograms": result.histograms, "output": None,
            },
            samples=tuple(replace(sample, used=False, mark=reason or fault.kind) for sample in result.samples),
            probes=(ClockProbe(0, 5, 6, 10), ClockProbe(10**9, 10**9 + 5, 10**9 + 6, 10**9 + 10)),
            fault=fault,
        )
        for result in record.results
    )  # fmt: skip
    why = reason or f"{record.trial.placements[0].environment}: its clock: {fault.kind}"
    return replace(record, status="failed", reason=why, start_skew_ns=0, host=None, results=(), evidence=left)


def simulate(
    places: Sequence[Place],
    works: Sequence[Work] = (Work(),),
    *,
    blocks: int = 8,
    seed: int = 1,
    noise: Noise = quiet,
    samples: int = 4,
    host: Mapping[str, Any] | None = None,
    marks: Mapping[int, tuple[str, ...]] | None = None,
    fail: Mapping[int, str] | None = None,
    **more: Any,
) -> Campaign:
    """Run every treatment once per block in random order. `marks` and `fail` are by trial index."""
    rng = np.random.default_rng(seed)
    plan = plan_of(places, works, blocks, **more)
    planned: list[Trial] = []
    records: list[TrialRecord] = []
    guests: list[GuestStart] = []
    treatments = [(place, work) for place in places if place.works for work in works]
    total = blocks * len(treatments)
    for block in range(blocks):
        for position, choice in enumerate(rng.permutation(len(treatments))):
            place, work = treatments[int(choice)]
            index = len(planned)
            trial = Trial(index, block, position, index, (Placement(place.name, work.name),))
            planned.append(trial)
            guest_id = f"sim-{index}"
            guests.append(
                GuestStart(
                    guest_id, place.name, place.kind, dict(place.settings), {"bits": "64"}, place.provision_s, at(index)
                )
            )
            reason = place.fails.get(work.name, "") or (fail or {}).get(index, "")
            if reason:
                records.append(TrialRecord(trial, "failed", reason, at(index), 0.4, 0, None, (), ()))
                continue
            level = work.level * math.exp(noise(block, index / total, rng))
            efficiency = place.efficiency.get(work.name, place.efficiency.get("", 1.0))
            value = level * efficiency if work.better == "higher" else level / efficiency
            result = result_of(place, work, value, index, guest_id, samples, rng)
            use = HostUse(1.0, 0.9, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0)
            records.append(
                TrialRecord(trial, "done", "", at(index), 1.25, 1000, use, (marks or {}).get(index, ()), (result,))
            )
    statuses = tuple(
        EnvironmentStatus(place.name, place.kind, place.works, place.reason, "", {"disk": True}) for place in places
    )
    return Campaign(
        plan=plan,
        plan_text="virtometer: 1\nname: simulated\n",
        seed=seed,
        created_at="2026-01-02T03:04:05.678+00:00",
        host=host if host is not None else {"cpu_model": "Simulated 3000", "cpus_online": 2, "kernel": "6.1"},
        versions={"virtometer": "0.1.0", "agent": "0.1.0"},
        environments=statuses,
        planned=tuple(planned),
        trials=tuple(records),
        guests=tuple(guests),
        commands=(CommandLine(at(0), "start a container", ("runc", "run", "--bundle", "/b <x>", "id"), 0),),
    )


def result_of(
    place: Place, work: Work, value: float, index: int, guest_id: str, samples: int, rng: np.random.Generator
) -> PlacementResult:
    """A result whose samples spread by 1 % around its value, in a guest whose clock runs 100 ppm slow."""
    start = 5_000_000_000
    each_ns = 1_000_000_000 // samples
    taken = []
    for number in range(samples):
        begin = start + number * each_ns
        rate = (
            value * math.exp(rng.normal(0, 0.01)) if work.better == "higher" else math.exp(rng.normal(0, 0.01)) / value
        )
        taken.append(Sample(begin, begin + each_ns, max(1, round(rate * each_ns * 1e-9)), "ok"))
    done = sum(sample.work for sample in taken)
    native_rate = work.level if work.better == "higher" else 1 / work.level
    return PlacementResult(
        placement=Placement(place.name, work.name), guest_id=guest_id, kernel=work.workload, op=work.op,
        parameters={**work.parameters, "size": 64 << 20}, threads=work.threads, unit=work.unit, better=work.better,
        value=value, agent_value=value, samples=tuple(taken), probes=(),
        clock=ClockFit(start, index * 2_000_000_000, 1.0001, 20_000.0, 1e-6, 32),
        window_start_host_ns=index * 2_000_000_000, window_end_host_ns=index * 2_000_000_000 + 1_000_000_000,
        work=done, guest_cpu_s=None if place.cost is None else place.cost * done / native_rate,
        agent_cpu_s=0.98, check={"kind": "checksum", "value": "ok", "passed": True},
        conditions={"simd": "avx2", **place.conditions.get(work.name, {})}, measures={}, histograms={},
    )  # fmt: skip


def at(index: int) -> str:
    """A time of day for the record: two seconds a trial."""
    minutes, seconds = divmod(index * 2, 60)
    return f"2026-01-02T03:{minutes % 60:02d}:{seconds:02d}.000+00:00"


# --- families of noise ----------------------------------------------------------------------------------------


def gaussian(sd: float) -> Noise:
    return lambda _block, _time, rng: rng.normal(0, sd)


def skewed(sd: float) -> Noise:
    """Never much faster than usual, sometimes much slower: an exponential tail towards slow."""
    return lambda _block, _time, rng: -sd * (rng.exponential() - 1.0)


def outliers(sd: float) -> Noise:
    """One trial in twenty is slower by ten spreads, which is what a neighbour's burst looks like."""
    return lambda _block, _time, rng: rng.normal(0, sd) - (10 * sd if rng.random() < 0.05 else 0.0)


def heavy(sd: float) -> Noise:
    """Student's t with 2 degrees of freedom: no variance at all."""
    return lambda _block, _time, rng: sd * rng.standard_t(2)


def drifting(sd: float) -> Noise:
    """The host gets slower by ten spreads over the campaign and swings three times, beside skewed noise."""
    inner = skewed(sd)
    return lambda block, time, rng: inner(block, time, rng) - 10 * sd * time + 3 * sd * math.sin(6 * math.pi * time)


def bimodal(sd: float) -> Noise:
    """Two modes, such as two NUMA nodes: which one a start gets is chance."""
    return lambda _block, _time, rng: rng.normal(0, sd / 4) + (sd if rng.random() < 0.5 else -sd)


FAMILIES: dict[str, Callable[[float], Noise]] = {
    "gaussian": gaussian,
    "skewed": skewed,
    "outliers": outliers,
    "heavy": heavy,
    "drifting": drifting,
    "bimodal": bimodal,
}
