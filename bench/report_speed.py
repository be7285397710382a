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
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.analysis.score import score
from virtometer.analysis.slices import without_run_in
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
    used = without_run_in(samples) if trial.turns is not None else tuple(samples)
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


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took: wall time and processor time (user and system) in seconds, memory in bytes."""

    wall_s: float
    cpu_s: float
    memory: int

    def __str__(self) -> str:
        return f"{self.wall_s:.2f} s ({self.cpu_s:.2f} s of processor time), {self.memory / 1e6:.0f} MB"


def best(found: Sequence[Cost]) -> Cost:
    """The shortest times of some processes, and their largest memory. ValueError for none."""
    return Cost(min(one.wall_s for one in found), min(one.cpu_s for one in found), max(one.memory for one in found))


def verdict(report: Report, here: Cost, there: Cost | None) -> str:
    """The goals of a report, and which of them are missed. there: another checkout's, None where there is none."""
    goals = [
        (f"{report.goal_s:g} s of processor time", here.cpu_s <= report.goal_s) if report.goal_s else None,
        (f"{report.goal_bytes / 1e6:.0f} MB", here.memory <= report.goal_bytes) if report.goal_bytes else None,
        (f"processor x {MOST_TIMES:g}", here.cpu_s <= MOST_TIMES * there.cpu_s) if there else None,
    ]
    return "".join(f"; goal {name}: {'met' if met else 'MISSED'}" for name, met in filter(None, goals))


def beside(here: Cost, there: Cost) -> str:
    """What another checkout took, and what this one takes of that."""
    shares = here.wall_s / there.wall_s, here.cpu_s / there.cpu_s, here.memory / there.memory
    of = ", ".join(f"{name} x {share:.2f}" for name, share in zip(("time", "processor", "memory"), shares, strict=True))
    return f"; there {there}: {of}"


def measure(words: Sequence[str], out: Path, checkout: Path | None = None, status: int = 0) -> Cost:
    """The cost of a process of Virtometer with these words. `checkout`: whose sources; None: those of this process.

    out: where its standard output goes. Raises CalledProcessError for another exit status than `status`.
    """
    command = [sys.executable, "-m", "virtometer", *words]
    environment = dict(os.environ) if checkout is None else os.environ | {"PYTHONPATH": str(checkout.resolve() / "src")}
    with out.open("wb") as file:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, env=environment)
        _, ended, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode != status:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="where the campaign is made, and found again, if not in a new folder")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout, for comparison")
    arguments = parser.parse_args()
    if arguments.against is not None and not (arguments.against / "src" / "virtometer").is_dir():
        parser.error(f"{arguments.against} is no checkout of Virtometer")
    missed = False
    with tempfile.TemporaryDirectory(prefix="virtometer-reports-") as folder:
        directory = arguments.keep or Path(folder) / "campaign"
        if not directory.exists():
            print(f"reports: {write(directory, arguments.samples):,} samples are recorded", flush=True)
        here, there = Path(folder) / "here", Path(folder) / "there"
        for report in REPORTS:
            words = ["report", str(directory), *report.options]
            found, others = [], []
            for _ in range(arguments.repeat):
                found.append(measure(words, here))
                if arguments.against is not None:
                    others.append(measure(words, there, arguments.against))
            cost, other = best(found), best(others) if others else None
            said = verdict(report, cost, other) + (beside(cost, other) if other else "")
            if other and here.read_bytes() != there.read_bytes():
                said += ": ANOTHER REPORT"
            missed |= "MISSED" in said
            print(f"reports: {report.name}: {cost}{said}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
