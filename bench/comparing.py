"""What comparing clocks costs during a run, in parts of one processor.

    python -m bench.comparing [--seconds 10] [KIND ...]

In one guest of each kind: probes as they are made during a run, at the period that the laboratory has chosen, in turns
with as long a time without any. The difference is what they cost: processor time of the laboratory's thread and of all
processes of the guest, by the host's account.
"""

from __future__ import annotations

import argparse
import select
import statistics
import sys
import time
from collections.abc import Iterator

from bench.kinds import opened, tell
from virtometer.environments.registry import KINDS
from virtometer.model import Limits
from virtometer.runner.execution.clock_monitor import ClockMonitor
from virtometer.runner.guests.running import RunningGuest

TARGET = 0.001
_TURNS = 5


def shares(kind: str, seconds: float) -> tuple[list[float], float]:
    """The parts of a processor in each turn, and the period in s."""
    with opened(kind) as starter:
        running_guest = starter.start()
        try:
            watch = ClockMonitor(running_guest.session, Limits(), running_guest.guest.cpu_ns, {})
            watch.before(seconds)
            watch.starting()
            turns = []
            for _ in range(_TURNS):
                idle = _used(running_guest, watch, seconds, ask=False)
                turns.append((_used(running_guest, watch, seconds, ask=True) - idle) / seconds)
            return turns, watch.period_s
        finally:
            running_guest.stop()


def _used(running_guest: RunningGuest, watch: ClockMonitor, seconds: float, ask: bool) -> float:
    """Processor seconds of the laboratory's thread and the guest's processes in a while, with probes or without."""
    began = time.monotonic()
    used_ns = time.thread_time_ns() + running_guest.guest.cpu_ns()
    while (left := began + seconds - time.monotonic()) > 0:
        select.select([running_guest.session], [], [], min(left, watch.period_s))
        if ask:
            watch.ping()
            running_guest.session.next_event(0.0)
    running_guest.session.pause(0.1)  # the last answer
    return (time.thread_time_ns() + running_guest.guest.cpu_ns() - used_ns) * 1e-9


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    arguments = parser.parse_args()

    def rows(kind: str) -> Iterator[str]:
        turns, period_s = shares(kind, arguments.seconds)
        share = statistics.median(turns)
        yield (
            f"comparing clocks costs {share:.3%} of a processor (target {TARGET:.1%}: "
            f"{'met' if share <= TARGET else 'MISSED'}), {min(turns):.3%} to {max(turns):.3%} in {len(turns)} turns of "
            f"{arguments.seconds:g} s, a probe every {period_s:.2f} s"
        )

    tell(arguments.kinds, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
