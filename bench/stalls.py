"""A guest that stands still for 100 ms every second: is that in its total ratio, and is it named?

    python -m bench.stalls [--stop 0.1] [--every 1] [--blocks 8] [--seconds 2]

The guest is native. A process beside it stops the agent by SIGSTOP and lets it go on by SIGCONT. Its true total ratio
is 1 - stop / every, and its typical ratio, in slices, is 1. Printed for slices and for long windows: both ratios with
their intervals, and what the notes say of stops.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from bench.campaigns import extra_kinds, plan_of, run
from virtometer.analysis import analyse
from virtometer.environments.base import Guest, Settings
from virtometer.environments.native import Native, NativeSettings
from virtometer.environments.process_guest import ProcessGuest
from virtometer.errors import VirtometerError
from virtometer.model import Estimate, Finding

_PLAN = """
virtometer: 1
name: stalls
environments:
  - {{name: native, kind: native}}
  - {{name: stops, kind: stopped, settings: {{stop_s: {stop}, every_s: {every}}}}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}, scheduling: {scheduling}}}
  - {{name: system call, workload: os, op: system-call, scheduling: {scheduling}}}
blocks: {blocks}
seconds: {seconds}
fresh: block
"""

_STOPPER = """
import os, signal, sys, time
pid, stop, every = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
at = time.monotonic()
try:
    while True:
        at += every
        time.sleep(max(at - stop - time.monotonic(), 0))
        os.kill(pid, signal.SIGSTOP)
        time.sleep(max(at - time.monotonic(), 0))
        os.kill(pid, signal.SIGCONT)
except ProcessLookupError:
    pass
"""


class StoppedSettings(NativeSettings):
    """Native with stops."""

    stop_s: float = Field(default=0.1, gt=0, description="seconds of each stop")
    every_s: float = Field(default=1.0, gt=0, description="seconds from one stop to the next")


class Stopped(Native):
    """The host itself, with an agent that is stopped again and again."""

    kind: ClassVar[str] = "stopped"
    title: ClassVar[str] = "native, stopped"
    settings_type: ClassVar[type[Settings]] = StoppedSettings

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent, and beside it what stops it."""
        guest = super().start(settings, guest_id)
        if not isinstance(settings, StoppedSettings):  # the check of the kind
            return guest
        assert isinstance(guest, ProcessGuest) and guest.process is not None
        argv = [sys.executable, "-c", _STOPPER, str(guest.process.pid), str(settings.stop_s), str(settings.every_s)]
        stopper = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
        guest.on_stop(lambda: _end(stopper))
        return guest


def _end(stopper: subprocess.Popen[bytes]) -> None:
    stopper.kill()
    stopper.wait()


def plan_text(scheduling: str, stop: float, every: float, blocks: int, seconds: float) -> str:
    """The plan of one campaign."""
    return _PLAN.format(scheduling=scheduling, stop=stop, every=every, blocks=blocks, seconds=seconds)


def line(finding: Finding, truth: float) -> tuple[str, bool]:
    """One line on a finding, and whether its total ratio holds the truth and its notes name stops."""
    said = [note for note in finding.notes if "stops" in note]
    total = finding.ratio
    holds = total is not None and total.low is not None and total.high is not None and total.low <= truth <= total.high
    met = holds and bool(said)
    text = f"{finding.workload}: total {_shown(total)}, truth {truth:.3f}; typical {_shown(finding.typical)}; "
    return text + f"{' | '.join(said) or 'no note names stops'}: {'met' if met else 'MISSED'}", met


def _shown(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    interval = "" if estimate.low is None else f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{estimate.value:.3f}{interval}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the rows. The status is 1 where one is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stop", type=float, default=0.1, help="seconds of each stop")
    parser.add_argument("--every", type=float, default=1.0, help="seconds from one stop to the next")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2.0, help="window of a trial")
    given = parser.parse_args(argv)
    sound = True
    with extra_kinds(Stopped):
        for scheduling in ("interleaved", "continuous"):
            text = plan_text(scheduling, given.stop, given.every, given.blocks, given.seconds)
            try:
                measured = run(plan_of(text), 1, text)
            except VirtometerError as fault:
                print(f"stalls, {scheduling}: FAILED: {fault.sentence}", file=sys.stderr)
                return 1
            for finding in analyse(measured.campaign).findings:
                if finding.subject == "stops":
                    said, met = line(finding, 1 - given.stop / given.every)
                    sound = sound and met
                    print(f"stalls, {scheduling}, {measured.wall_s:.0f} s: {said}", flush=True)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
