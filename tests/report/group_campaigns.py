"""A campaign with groups of guests, with known truth, built as the ledger would return it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.analysis.simulated_campaigns import Place, Work, at, changed, in_columns, plan_of, run_of
from virtometer.design.schedule.scenarios import groups
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.start_order import in_start_order
from virtometer.model import (
    Campaign,
    EnvironmentStatus,
    Failure,
    FailureKind,
    GuestStart,
    GuestUse,
    HostUse,
    Placement,
    Plan,
    Run,
    Traffic,
    Trial,
    TrialRecord,
)

CPUS = 2
LINPACK = Work("linpack", "linpack", "classic", "FLOP/s", 4e9, parameters={"size": 500})
DISK = Work("disk read", "disk", "random-read", "IO/s", 40_000)
NET = Work("stream", "net", "stream", "B/s", 1.2e9)
SWITCH = Work("switch", "os", "context-switch", "s", 3e-6)
WORKS = (LINPACK, DISK, NET, SWITCH)
PLACES = (Place("native"), Place("runc", "runc", {"": 0.97}, 1.05), Place("gVisor", "gvisor", {"": 0.6}, 1.6))
SCENARIOS: list[dict[str, Any]] = [
    {"name": "growing", "type": "together", "workloads": ["linpack"], "guests": [1, 2, 3, 4]},
    {"name": "switching", "type": "together", "environment": "runc", "workloads": ["switch"], "guests": [1, 2, 3]},
    {
        "name": "under load", "type": "loaded", "environment": "runc", "workloads": ["disk read", "stream"],
        "load": {"workload": "linpack", "guests": 2},
    },
    {"name": "guest to guest", "type": "pair", "environment": "runc", "workloads": ["stream"]},
    {"name": "network matrix", "type": "matrix", "members": ["native", "runc", "runc"], "workloads": ["stream"]},
    {
        "name": "disk and net", "type": "mixed", "environment": "runc", "workloads": ["disk read", "stream"],
        "guests": [1, 2, 3],
    },
    {"name": "copies", "type": "instances", "environment": "native", "workloads": ["linpack"], "count": [1, 2, 4]},
]  # fmt: skip
UNFAIR = {3: 0.8}  # the third guest of three gets less


def group_campaign(
    blocks: int = 8,
    seed: int = 7,
    scenarios: Sequence[Mapping[str, Any]] = SCENARIOS,
    sd: float = 0.02,
    first: float | None = None,
) -> Campaign:
    """Every scenario once a block, in the plan's order.

    first: guests are started in random order, and the first guest of a group has so many times its rate.
    """
    generator = Generator(seed)
    rng = np.random.default_rng(seed)
    plan = plan_of(PLACES, WORKS, blocks, scenarios=[dict(one) for one in scenarios])
    records: list[TrialRecord] = []
    names = [place.name for place in PLACES]
    for block in range(blocks):
        host = math.exp(rng.normal(0, 0.05))
        for scenario in plan.scenarios:
            for group in groups(plan, scenario, names):
                for placements in group if first is None else in_start_order(group, generator):
                    trial = Trial(len(records), block, len(records), block, placements, scenario=scenario.name)
                    records.append(_record(trial, plan, host, rng, sd, first or 1.0))
    if len(records) > 20:
        lost = records[20]
        failure = Failure(FailureKind.GUEST, "the guest ended", 0)
        records[20] = TrialRecord(lost.trial, failure, lost.started_at, 0.4, 0, None, (), ())
    return Campaign(
        plan=plan, plan_text="virtometer: 1\nname: groups\n", seed=seed, created_at="2026-01-02T03:04:05.678+00:00",
        host={"cpu_model": "Simulated 3000", "cpus": CPUS, "kernel": "6.1"}, versions={"virtometer": "0.1.0"},
        environments=tuple(EnvironmentStatus(one.name, one.kind, True, "", "", {}) for one in PLACES),
        planned=tuple(record.trial for record in records), trials=tuple(records), guests=_starts(records), commands=(),
    )  # fmt: skip


def _record(trial: Trial, plan: Plan, host: float, rng: np.random.Generator, sd: float, first: float) -> TrialRecord:
    working = [one for one in trial.placements if one.role != "service"]
    threads = len(working)
    part = min(1.0, CPUS / threads) * (0.98 ** (threads - 1))
    favoured = {0: first} if threads > 1 else {}
    runs = tuple(_run(trial, one, part * favoured.get(one.ordinal, 1.0), threads, host, rng, sd) for one in working)
    used = min(CPUS, sum({run.placement.guest_key: run.scored.guest_cpu_s or 0.0 for run in runs}.values()))
    use = HostUse(1.0, 0.8 * used, 0.0, 0.15 * used, CPUS - used - 0.02, 0.0, 0.01, 0.05 * used, 0.01, watch_s=0.002)
    skew = round(abs(rng.normal(0, 2e5))) * (threads > 1)
    return TrialRecord(trial, None, at(trial.index), 1.25, skew, use, (), runs)


def _run(
    trial: Trial, placement: Placement, part: float, threads: int, host: float, rng: np.random.Generator, sd: float
) -> Run:
    place = next(one for one in PLACES if one.name == placement.environment)
    work = next(one for one in WORKS if one.name == placement.workload)
    speed = place.efficiency.get("", 1.0) * host * part * math.exp(rng.normal(0, sd))
    if threads == 3 and placement.role == "measured":
        speed *= UNFAIR.get(placement.guest, 1.0)
    for service in placement.uses:
        target = trial.placements[service]
        speed *= 3.0 if target.guest_key == placement.guest_key else 1.4 if target.environment == "native" else 1.0
    value = work.level * speed if work.better == "higher" else work.level / speed
    made = run_of(place, work, value, trial.index, f"sim-{trial.index}-{placement.guest_key.name}", 4, rng)
    start = trial.index * 2_000_000_000
    begin, end = start - 1_000_000 * placement.ordinal, start + 1_000_000_000
    sharing = sum(one.guest_key == placement.guest_key and one.role != "service" for one in trial.placements)
    cpu_s = 0.99 * min(1.0, CPUS / threads) * sharing  # of the whole guest
    return replace(
        changed(
            made,
            guest_cpu_s=cpu_s,
            guest_use=_use(cpu_s, placement.environment),
            window_start_host_ns=start,
            window_end_host_ns=end,
        ),
        placement=placement,
        conditions={"guest_processors": "all"},
        samples=in_columns(
            [
                replace(
                    one,
                    start_ns=5_000_000_000 + round(begin - start + at_ * (end - begin) / 4),
                    end_ns=5_000_000_000 + round(begin - start + (at_ + 1) * (end - begin) / 4),
                )
                for at_, one in enumerate(made.samples)
            ]
        ),
    )


def _use(cpu_s: float, environment: str) -> GuestUse:
    """A quarter of gVisor's is its kernel's; runc alone has an interface."""
    vmm = 0.25 * cpu_s if environment == "gVisor" else 0.0
    traffic = Traffic(2_000_000, 2_000, 0, 1_000_000, 1_000, 3) if environment == "runc" else None
    return GuestUse(cpu_s - vmm, vmm, 0.0, 0.75 * cpu_s, 0.25 * cpu_s, "", traffic)


def _starts(records: Sequence[TrialRecord]) -> tuple[GuestStart, ...]:
    found = {}
    for record in records:
        for run in record.runs:
            place = next(one for one in PLACES if one.name == run.placement.environment)
            facts = {"facts": {"cpus_allowed": CPUS}}
            found[run.guest_id] = GuestStart(
                run.guest_id, place.name, place.kind, {}, facts, place.provision_s, record.started_at
            )
    return tuple(found.values())
