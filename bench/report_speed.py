"""How long the reports of a large campaign take, and how much memory.

    python -m bench.report_speed [--samples 1000000] [--repeat 3] [--keep DIR] [--against CHECKOUT]

A campaign is made up (ten blocks, four environments, five workloads, three of which are measured in slices) and
recorded as the laboratory records it. Each report is then made by a new process. A line has the shortest wall time, the
least processor time and the largest memory of the processes; `met` or `MISSED` says whether the goals for 1,000,000
samples are met, which are of processor time and memory: on a busy machine wall time means nothing.

With --against another checkout makes the same reports of the same campaign, in turns with this one: the line has its
numbers too, and this one's divided by them. A change may take at most MOST_TIMES the processor time of the checkout
before it. Both texts must be the same.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.process_cost import Cost, Goal, arguments_of, in_turns
from virtometer.analysis.score.of_run import score
from virtometer.analysis.score.slices import without_warm_up
from virtometer.model import (
    AgentReport,
    Campaign,
    ClockFit,
    GuestStart,
    HostUse,
    Placement,
    Plan,
    RoundTrip,
    Run,
    Sample,
    Trial,
    TrialRecord,
)
from virtometer.store.ledger import Ledger

BLOCKS = 10
SPEED = {"native": 1.0, "container": 0.99, "sandbox": 0.93, "emulator": 0.41}  # against the first one
WORKLOADS = ("copy", "scale", "add", "triad", "read")
SLICED = frozenset(WORKLOADS[:3])
EACH_NS = 10_000_000  # one sample
IN_A_SLICE = 3  # samples
PING_NS = 250_000_000
BYTES_PER_S = 12e9
MOST_TIMES = 1.5
"""Processor time of a report by that of the checkout before a change."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is asked for, and the processor seconds and the bytes that it may take for 1,000,000 samples; None: any."""

    name: str
    options: Sequence[str]
    goal_s: float | None
    goal_bytes: int | None


REPORTS = (
    Report("table", (), 3.0, 300_000_000),
    Report("json", ("--format", "json"), 3.0, 300_000_000),
    Report("html", ("--format", "html", "--out", "-"), 6.0, 500_000_000),
    Report("samples-csv", ("--format", "samples-csv"), None, None),
)


def campaign(samples_a_run: int) -> Campaign:
    """The campaign without its trials."""
    plan = Plan.model_validate(
        {
            "virtometer": 1,
            "name": "report speed",
            "environments": [{"name": name, "kind": "native"} for name in SPEED],
            "workloads": [
                {
                    "name": name, "workload": "memory", "op": name,
                    "scheduling": "interleaved" if name in SLICED else "continuous",
                }
                for name in WORKLOADS
            ],
            "blocks": BLOCKS,
            "seconds": samples_a_run * EACH_NS * 1e-9,
            "fresh": "block",
        }
    )  # fmt: skip
    planned: list[Trial] = []
    for block in range(BLOCKS):
        for workload in WORKLOADS:
            turns = len(planned) if workload in SLICED else None
            for environment in SPEED:
                index = len(planned)
                where = (Placement(environment, workload),)
                planned.append(Trial(index, block, index % (len(SPEED) * len(WORKLOADS)), block, where, turns))
    versions = {"virtometer": "bench"}
    return Campaign(
        plan, "virtometer: 1\n", 1, _moment(0), {"kernel": "6.1", "cpus": 2}, versions, (), tuple(planned), (), (), ()
    )


def record(trial: Trial, samples_a_run: int) -> tuple[TrialRecord, GuestStart]:
    """One trial that is done, with its guest."""
    placement = trial.placements[0]
    draw = random.Random(trial.index)
    level = BYTES_PER_S * SPEED[placement.environment] * draw.lognormvariate(0, 0.01)
    begin_ns, samples = 1_000_000_000_000 + trial.index * 10**11, []
    for number in range(samples_a_run):
        start_ns = begin_ns + number * EACH_NS
        end_ns = start_ns + EACH_NS - draw.randrange(20_000)
        work = round(level * draw.lognormvariate(0, 0.02) * (end_ns - start_ns) * 1e-9)
        round_of = number // IN_A_SLICE if trial.turns is not None else None
        samples.append(Sample(start_ns, end_ns, work, f"{draw.randrange(4):x}", slice=round_of))
    used = without_warm_up(samples) if trial.turns is not None else tuple(samples)
    end_ns = samples[-1].end_ns
    clock = ClockFit(begin_ns, begin_ns + 5_000, 1.0, 20_000.0, 1e-6, 300)
    guest = GuestStart(f"bench-{trial.index}", placement.environment, "native", {}, {"bits": 64}, 0.1, _moment(0))
    run = Run(
        placement, guest.guest_id, "memory", placement.workload, {"size": 1 << 26}, 1, "B/s", "higher",
        {"pinned": "no"}, used, tuple(_pings(begin_ns, end_ns)),
        AgentReport(level, (end_ns - begin_ns) * 1e-9, {}, {}, {}),
    )  # fmt: skip
    window = (clock.to_host_ns(begin_ns), clock.to_host_ns(end_ns))
    run = Run(**{name: getattr(run, name) for name in run.__slots__} | {"score": score(run, clock, window, 1.0)})
    seconds = samples_a_run * EACH_NS * 1e-9
    use = HostUse(seconds, seconds, 0.0, 0.1, seconds, 0.0, 0.0, 0.0, 0.0)
    return TrialRecord(trial, None, _moment(trial.index), seconds, 0, use, (), (run,)), guest


def _pings(begin_ns: int, end_ns: int) -> list[RoundTrip]:
    at = [("before", begin_ns - 10**6), *(("during", ns) for ns in range(begin_ns, end_ns, PING_NS)), ("after", end_ns)]
    return [RoundTrip(kind, ns - 15_000, ns, ns + 2_000, ns + 25_000) for kind, ns in at]  # type: ignore[arg-type]


def _moment(index: int) -> str:
    minutes, seconds = divmod(index * 7, 60)
    return f"2026-01-02T{3 + minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}.000+00:00"


def write(directory: Path, samples: int) -> int:
    """Record the whole campaign; the number of its samples."""
    each = max(30, samples // (BLOCKS * len(SPEED) * len(WORKLOADS)))
    of = campaign(each)
    with Ledger.create(directory, of) as ledger:
        for trial in of.planned:
            done, guest = record(trial, each)
            ledger.record([done], [guest], [])
    return each * len(of.planned)


def goals(report: Report, here: Cost, there: Cost | None) -> list[Goal]:
    """The goals of a report. there: another checkout's cost, None where there is none."""
    found = []
    if report.goal_s is not None:
        found.append(Goal(f"{report.goal_s:g} s of processor time", here.cpu_s <= report.goal_s))
    if report.goal_bytes is not None:
        found.append(Goal(f"{report.goal_bytes / 1e6:.0f} MB", here.memory <= report.goal_bytes))
    if there is not None:
        found.append(Goal(f"processor x {MOST_TIMES:g}", here.cpu_s <= MOST_TIMES * there.cpu_s))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="where the campaign is made, and found again, if not in a new folder")
    arguments = arguments_of(parser)
    missed = False
    with tempfile.TemporaryDirectory(prefix="virtometer-reports-") as folder:
        directory = arguments.keep or Path(folder) / "campaign"
        if not directory.exists():
            print(f"reports: {write(directory, arguments.samples):,} samples are recorded", flush=True)
        for report in REPORTS:
            words = ["report", str(directory), *report.options]
            cost, other, said = in_turns(words, Path(folder), arguments.repeat, arguments.against)
            wanted = goals(report, cost, other)
            missed |= not all(goal.met for goal in wanted)
            print(f"reports: {report.name}: {cost}{''.join(map(str, wanted))}{said}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
