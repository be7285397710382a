"""Marks of trials where nothing disturbed them, and where something did.

    python -m bench.false_marks [--trials 40] [--load 1]

So many trials of native with nothing beside them, and as many beside busy loops; each in slices and in long windows. No
quiet trial should have a mark, and every other one should. Foreign load that a quiet trial had is printed: on a host
with other users a mark may be right.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Sequence

from bench.campaigns import plan_of, run
from bench.refusals import load
from virtometer.errors import VirtometerError
from virtometer.model import MarkKind, TrialRecord

_PLAN = """
virtometer: 1
name: false marks
control: false
environments:
  - {{name: native, kind: native}}
  - {{name: native again, kind: native}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}, scheduling: {scheduling}}}
blocks: {blocks}
seconds: {seconds}
fresh: block
"""
_NOT_BY_OTHERS = frozenset({MarkKind.BESIDE, MarkKind.AGAIN})


def plan_text(scheduling: str, trials: int, seconds: float) -> str:
    """The plan of so many trials, two in each block."""
    return _PLAN.format(scheduling=scheduling, blocks=(trials + 1) // 2, seconds=seconds)


def line(records: Sequence[TrialRecord], *, quiet: bool) -> tuple[str, bool]:
    """How many trials were marked and why, the foreign load of all, and whether it is as it should be."""
    kinds: Counter[str] = Counter()
    marked = 0
    for record in records:
        own = {mark.kind for mark in record.marks} - _NOT_BY_OTHERS
        marked += bool(own)
        kinds.update(kind.value for kind in own)
    foreign = [
        record.host.foreign / record.host.wall_s
        for record in records
        if record.host is not None and record.host.foreign is not None and record.host.wall_s > 0
    ]
    why = f" ({', '.join(f'{count} {kind}' for kind, count in kinds.most_common())})" if kinds else ""
    failed = sum(record.failure is not None for record in records)
    loads = f"; foreign load {statistics.median(foreign):.3f}, at most {max(foreign):.3f}" if foreign else ""
    met = not failed and (marked == 0 if quiet else marked == len(records))
    text = f"{marked} of {len(records)} trials marked{why}{loads}{f'; {failed} failed' if failed else ''}"
    return f"{text}: {'met' if met else 'MISSED'}", met


def main(argv: Sequence[str] | None = None) -> int:
    """Print the rows. The status is 1 where one is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.4, help="window of a trial")
    parser.add_argument("--load", type=int, default=1, help="busy loops beside the trials that are not quiet")
    given = parser.parse_args(argv)
    sound = True
    for quiet in (True, False):
        for scheduling in ("interleaved", "continuous"):
            try:
                text = plan_text(scheduling, given.trials, given.seconds)
                with load(0 if quiet else given.load):
                    found = run(plan_of(text), 1, text)
            except VirtometerError as fault:
                print(f"false marks: FAILED: {fault.sentence}", file=sys.stderr)
                return 1
            said, met = line(found.campaign.trials, quiet=quiet)
            sound = sound and met
            beside = "quiet" if quiet else f"beside {given.load} busy"
            print(f"marks, {beside}, {scheduling}: {said}", flush=True)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
