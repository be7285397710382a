"""How fast guests start, and what the laboratory adds to a trial in a guest that already runs.

    python -m bench.provisioning [--starts 10] [KIND ...]

Provisioning: from the first command that starts the guest to the agent's greeting. Overhead: from the beginning of a
trial to the beginning of the next one in the same guest, less the scored window and less what the agent needs to
prepare (to allocate and to calibrate, which in an emulated machine is slow): comparing clocks, messages, host, ledger.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.kinds import opened, tell
from bench.silent import Silent
from virtometer.design.plan.resolved import resolve
from virtometer.environments.registry import KINDS
from virtometer.model import Plan, Trial
from virtometer.runner.campaign.execute import begin

TARGET_S = {"runc": 0.3, "bubblewrap": 0.3, "gvisor": 1.0, "uml": 3.0, "qemu": 8.0}
TARGET_OVERHEAD_S = 0.050


def starts(kind: str, count: int) -> list[float]:
    """Seconds of so many starts of a kind with its default settings."""
    took = []
    with opened(kind) as starter:
        for _ in range(count):
            running_guest = starter.start()
            took.append(running_guest.record.provision_s)
            running_guest.stop()
    return took


class Watch(Silent):
    """Notes when each trial of a campaign begins."""

    def __init__(self) -> None:
        super().__init__()
        self.began: dict[int, float] = {}

    def trial_started(self, trial: Trial) -> None:
        """The moment."""
        self.began[trial.index] = time.monotonic()

    def message(self, text: str) -> None:
        """What failed."""
        print(f"    {text}")


def overheads(kind: str, trials: int) -> tuple[list[float], list[float]]:
    """For each trial in one guest of this kind, in s: what the laboratory adds, and what the agent needs to prepare."""
    plan = Plan.model_validate(
        {
            "virtometer": 1,
            "control": False,
            "name": "overhead",
            "baseline": kind,
            "environments": [{"name": kind, "kind": kind}],
            "workloads": [{"name": f"call {n}", "workload": "os", "op": "system-call"} for n in range(trials)],
            "blocks": 1,
            "seconds": 0.2,
            "fresh": "block",
        }
    )
    watch = Watch()
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder:
        begin(resolve(plan, KINDS), "", Path(folder) / "campaign", 1, watch)
    added, prepared = [], []
    records = {record.trial.index: record for record in watch.records}
    for index, began in watch.began.items():
        (run,) = records[index].runs
        if index and index + 1 in watch.began:  # a guest's first run has probes before it prepares
            window_s = (run.scored.window_end_host_ns - run.scored.window_start_host_ns) * 1e-9
            prepared.append(run.probes[0].sent_host_ns * 1e-9 - began)  # the first probe follows `ready`
            added.append(watch.began[index + 1] - began - window_s - prepared[-1])
    return added, prepared


def told(seconds: float, target: float | None) -> str:
    """A duration beside its target, in words."""
    verdict = "" if target is None else f" (target {target:g} s: {'met' if seconds < target else 'MISSED'})"
    return f"{seconds:.3f} s{verdict}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    arguments = parser.parse_args()

    def rows(kind: str) -> Iterator[str]:
        took = starts(kind, arguments.starts)
        spread = f"{min(took):.3f} to {max(took):.3f} s over {len(took)} starts"
        yield f"provisioning {told(statistics.median(took), TARGET_S.get(kind))}, {spread}"
        added, prepared = overheads(kind, 21)
        yield (
            f"overhead per trial {told(statistics.median(added), TARGET_OVERHEAD_S)}, at most {max(added):.3f} s; "
            f"the agent prepares in {statistics.median(prepared):.3f} s"
        )

    tell(arguments.kinds, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
