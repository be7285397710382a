"""How many tables and figures of the published studies can their plans fill, where every trial succeeds?

    python -m bench.study_plans [--short]

Nothing is measured. For each plan in plans/studies/ a campaign is made up in which every environment works and every
trial reached some value. The states of the items are those of bench.study_items. What is not rebuilt here, no run of
these plans can fill. --short: by the short forms of the plans.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bench.study_items import say
from virtometer import agent_table
from virtometer.analysis import analyse
from virtometer.cli.plan.files import load
from virtometer.cli.study.experiments import plans_of
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.schedule.trials import schedule
from virtometer.model import (
    AgentReport,
    Campaign,
    ClockFit,
    EnvironmentStatus,
    GuestStart,
    HostUse,
    Placement,
    Run,
    Sample,
    Score,
    ServiceAccount,
    Trial,
    TrialRecord,
)
from virtometer.studies.data import studies

_MOMENT = "2026-01-02T03:00:00.000+00:00"
_RATE = 1e6
_WINDOW_NS = 100_000_000
_SLICES = 4


def campaign(resolved: ResolvedPlan) -> Campaign:
    """A campaign of a plan in which trials differ by 2 % from block to block, and by 1 % from guest to guest."""
    plan = resolved.plan
    planned = schedule(plan, [one.name for one in plan.environments], 0)
    guests: dict[str, GuestStart] = {}
    trials = tuple(_record(resolved, trial, guests) for trial in planned)
    return Campaign(
        plan, "virtometer: 1\n", 0, _MOMENT, {"cpus": 2, "kernel": "6.1"}, {"virtometer": "bench"},
        tuple(EnvironmentStatus(one.name, one.kind, True, "", "", {}) for one in plan.environments),
        planned, trials, tuple(guests.values()), (),
    )  # fmt: skip


def _record(resolved: ResolvedPlan, trial: Trial, guests: dict[str, GuestStart]) -> TrialRecord:
    runs = []
    for one in trial.placements:
        guest = f"{trial.block}-{one.guest_key.name}-{one.instance}"
        environment = next(known for known in resolved.plan.environments if known.name == one.environment)
        guests.setdefault(
            guest, GuestStart(guest, one.environment, environment.kind, dict(environment.settings), {}, 0.1, _MOMENT)
        )
        runs.append(_run(resolved, trial, one, guest))
    wall = _WINDOW_NS * 1e-9
    use = HostUse(wall, wall, 0.0, 0.1 * wall, wall, 0.0, 0.0, 0.0, 0.0, overlap_s=wall)
    return TrialRecord(trial, None, _MOMENT, wall, 0, use, (), tuple(runs))


def _run(resolved: ResolvedPlan, trial: Trial, placement: Placement, guest: str) -> Run:
    workload = next(one for one in resolved.plan.workloads if one.name == placement.workload)
    work = resolved.works[placement.workload]
    unit, better = work.workload.agent_metric(workload.op)
    # Guests differ by 1 % each, so that they have a spread.
    rate = _RATE * (1.02 if trial.block % 2 else 0.98) * (1 - 0.01 * (placement.guest + placement.instance))
    each_ns = _WINDOW_NS // _SLICES
    done = round(rate * each_ns * 1e-9)
    in_slices = trial.turns is not None
    samples = tuple(
        Sample(at * each_ns, (at + 1) * each_ns, done, "ok", slice=at if in_slices else None) for at in range(_SLICES)
    )
    value = 1 / rate if unit == "s" else rate
    begin = trial.index * 10**10
    clock = ClockFit(0, begin, 1.0, 20_000.0, 1e-6, 32)
    kernel, op = work.workload.kernel, work.workload.agent_op(workload.op)
    known = {} if work.workload.program else agent_table.operation(kernel, op).measures
    measures = {name: {"unit": one.unit, "value": 1.0} for name, one in known.items()}
    scored = placement.role != "service"
    return Run(
        placement, guest, kernel, op, dict(workload.parameters),
        workload.threads, unit, better, {}, samples, (),
        AgentReport(value, 0.1, {"passed": True}, measures, {}),
        Score(value, done * _SLICES, clock, begin, begin + _WINDOW_NS, 0.05) if scored else None,
        account=None if scored else ServiceAccount(0.05, None),
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.study_plans", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--short", action="store_true", help="by the short forms of the plans")
    options = parser.parse_args(arguments)
    plans = [plan for study in studies() for plan in plans_of(study).values()]
    say([analyse(campaign(load(plan, short=options.short)[0])) for plan in plans])
    return 0


if __name__ == "__main__":
    sys.exit(main())
