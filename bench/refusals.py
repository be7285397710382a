"""How many ordinary trials are refused because of the guest's clock: none should be.

    python -m bench.refusals [--trials 600] [--fresh block|trial] [--load 2] [--add FILE] [KIND ...]

Runs trials with windows of 0.02 to 0.2 s through the real runner, in guests whose clocks are ordinary, beside `--load`
busy processes. A trial is refused when the clock is the reason of its failure; samples are excluded when their clock
error exceeds the limit. Natively and in containers the guest's clock is the host's, so that its true rate is 1: The row
says how many samples have a true error within their bound. `--add` appends the counts to a file and reports the
totals of the file, so that many short calls make one long measurement.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.kinds import NotHere, tell
from bench.silent import Silent
from virtometer.clock import intervals
from virtometer.design.plan.resolved import resolve
from virtometer.environments import registry
from virtometer.errors import EnvironmentFailed
from virtometer.model import Excluded, Plan, TrialRecord
from virtometer.runner.campaign.execute import begin

KINDS = ("native", "bubblewrap", "runc", "gvisor", "uml")
HAS_HOST_CLOCK = frozenset({"native", "bubblewrap", "runc"})
_WINDOWS_S = (0.02, 0.05, 0.1, 0.2)
_WORKLOADS = (
    {"workload": "os", "op": "system-call"},
    {"workload": "linpack", "op": "classic", "parameters": {"size": 50}},
    {"workload": "memory", "op": "triad", "parameters": {"size": "1M"}},
)


def plan(kind: str, trials: int, fresh: str) -> Plan:
    """At least so many trials, each window with each workload in every block."""
    workloads = [
        {"name": f"{work['op']} {seconds:g} s", "seconds": seconds, **work}
        for seconds in _WINDOWS_S
        for work in _WORKLOADS
    ]
    return Plan.model_validate(
        {
            "virtometer": 1,
            "control": False,
            "name": "refusals",
            "baseline": kind,
            "environments": [{"name": kind, "kind": kind}],
            "workloads": workloads,
            "blocks": math.ceil(trials / len(workloads)),
            "fresh": fresh,
        }
    )


def counts(kind: str, records: Sequence[TrialRecord]) -> Counter[str]:
    """Trials and samples by what became of them; `ppm` is the largest bound of a used sample."""
    found: Counter[str] = Counter(trials=len(records))
    for record in records:
        by_clock = any(run.fault is not None for run in record.runs)
        if record.status == "failed":
            found["refused" if by_clock else "failed"] += 1
            print(f"{kind}: {record.reason}", file=sys.stderr)
        for run in record.scored:
            found["history"] += run.scored.clock.probes > len(run.probes)
            for sample, stretch in zip(run.samples, intervals.of_run(run), strict=True):
                found["samples"] += 1
                found["aside"] += sample.excluded is Excluded.CLOCK_ERROR
                if sample.used:
                    found["ppm"] = max(found["ppm"], round(stretch.relative_bound * 1e6))
                if kind in HAS_HOST_CLOCK:
                    lasted_s = (sample.end_ns - sample.start_ns) * 1e-9
                    found["known"] += 1
                    found["within"] += abs(stretch.duration_s - lasted_s) <= stretch.bound_s
    return found


def row(found: Counter[str]) -> str:
    """One line: refused trials, excluded samples, bounds, and whether they hold where the truth is known."""
    holds = f"; {found['within']} of {found['known']} true errors within the bound" if found["known"] else ""
    return (
        f"{found['refused']} of {found['trials']} trials refused by the clock, {found['failed']} failed otherwise; "
        f"{found['aside']} of {found['samples']} samples excluded; bound at most {found['ppm']} ppm; "
        f"history used in {found['history']}{holds}"
    )


@contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that are always busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def added(file: Path, key: str, found: Counter[str]) -> Counter[str]:
    """Append the counts of one call to a file. Returns the totals of all calls with this key."""
    with file.open("a") as out:
        out.write(json.dumps({"key": key, **found}) + "\n")
    total: Counter[str] = Counter()
    for line in file.read_text().splitlines():
        one = json.loads(line)
        if one.pop("key") == key:
            ppm = max(total["ppm"], one["ppm"])
            total.update(one)
            total["ppm"] = ppm
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=600)
    parser.add_argument("--fresh", choices=["block", "trial"], default="block")
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--add", type=Path)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    refused = missing = 0

    def rows(kind: str) -> Iterator[str]:
        nonlocal refused, missing
        watch = Silent()
        with tempfile.TemporaryDirectory(prefix="virtometer-") as folder, load(arguments.load):
            try:
                resolved = resolve(plan(kind, arguments.trials, arguments.fresh), registry.KINDS)
                begin(resolved, "", Path(folder) / "campaign", 1, watch)
            except EnvironmentFailed as cause:
                raise NotHere(cause.sentence) from cause
        found = counts(kind, watch.records)
        name = f"fresh {arguments.fresh}, {arguments.load} busy processes"
        if arguments.add is not None:
            found = added(arguments.add, f"{kind}, {name}", found)
        refused += found["refused"] + found["aside"]
        missing += max(arguments.trials - len(watch.records), 0) + found["failed"]
        yield f"{name}: {row(found)}"

    sound = tell(arguments.kinds, rows)
    return 0 if sound and not refused and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
