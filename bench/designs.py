"""What eight factors take in a fraction, and one at a time, for the same interval: both run for real.

    python -m bench.designs [--rounds 1] [--blocks 8] [--control]

In each round the same eight settings of an emulated machine are measured in a fraction of 16 combinations and one at a
time, in nine; the order of both changes from round to round. Time is that of the whole campaign from the first guest's
start on. Intervals become narrower with the root of the time, so what an interval takes is seconds times the square of
its half, as a mean over the factors. A line for each workload says how much of the time of one at a time the fraction
takes for the same interval, and the last line says it for all workloads.

Without `--control` the baseline is measured once a block in both, as in studies that change one factor at a time. A
second guest of the baseline helps these, because each of their effects leans on the baseline.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from statistics import fmean

from bench.campaigns import Measured, plan_of, run
from virtometer.analysis import analyse
from virtometer.analysis.effects.effect import Effects
from virtometer.errors import VirtometerError

GOAL = 0.25
DESIGNS = ("fraction", "one at a time")
_PLAN = """
virtometer: 1
name: designs
environments:
  - {{name: qemu, kind: qemu, settings: {{cpus: 1, memory: 128M}}}}
factors:
  - {{name: bus, setting: disk_device, levels: [virtio, virtio-scsi]}}
  - {{name: cache, setting: disk_cache, levels: [none, writeback]}}
  - {{name: requests, setting: disk_aio, levels: [threads, io_uring]}}
  - {{name: format, setting: disk_format, levels: [raw, qcow2]}}
  - {{name: machine, setting: machine, levels: [pc, q35]}}
  - {{name: emulation, setting: tcg_thread, levels: [multi, single]}}
  - {{name: mitigations, levels: {{on: {{}}, off: {{kernel_parameters: mitigations=off}}}}}}
  - {{name: dummy, levels: {{this: {{}}, that: {{}}}}}}
design: {{type: {design}, terms: [main]}}
workloads:
  - {{name: 4k random read, workload: disk, op: random-read, parameters: {{size: 4K, direct: true}}}}
  - {{name: system call, workload: os, op: system-call}}
margin: 0.05
blocks: {blocks}
seconds: 0.5
fresh: block
disk_span: 64M
control: {control}
"""


def plan_text(design: str, blocks: int, control: bool) -> str:
    """The plan of one of both designs."""
    return _PLAN.format(design=design, blocks=blocks, control=str(control).lower())


def squares(effects: Effects) -> dict[str, float]:
    """The square of half the 95 % interval of an effect's logarithm, by workload: a mean over the main effects."""
    found = {}
    for metric in effects.metrics:
        halves = [
            math.log((100 + one.change.estimate.high) / (100 + one.change.estimate.low)) / 2
            for effect in metric.effects
            if len(effect.factors) == 1
            for one in effect.contrasts
            if one.change.estimate.low is not None and one.change.estimate.high is not None
        ]
        if halves and not metric.beside:
            found[metric.metric] = fmean(half**2 for half in halves)
    return found


def shares(times_s: Mapping[str, float], of: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """How much of the time of one at a time the fraction takes for the same interval, by workload."""
    fraction, single = (of[design] for design in DESIGNS)
    ratio = times_s[DESIGNS[0]] / times_s[DESIGNS[1]]
    return {name: ratio * fraction[name] / single[name] for name in fraction if name in single}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines. The status is 1 where the fraction takes more than a quarter."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=1, help="each has a campaign of both designs")
    parser.add_argument("--blocks", type=int, default=8, help="blocks of each campaign")
    parser.add_argument("--control", action="store_true", help="measure the baseline twice in each block")
    given = parser.parse_args(argv)
    logs: dict[str, list[float]] = {}
    for number in range(given.rounds):
        times_s, found = {}, {}
        for design in DESIGNS if number % 2 == 0 else reversed(DESIGNS):
            text = plan_text(design, given.blocks, given.control)
            try:
                measured: Measured = run(plan_of(text), number + 1, text)
            except VirtometerError as fault:
                print(f"designs: FAILED: {fault.sentence}", file=sys.stderr)
                return 1
            times_s[design] = measured.wall_s
            found[design] = squares(analyse(measured.campaign).effects)
            halves = ", ".join(f"{name} {math.sqrt(value):.2%}" for name, value in found[design].items())
            print(f"designs: {design}: {measured.wall_s:.0f} s, half intervals of effects: {halves}", flush=True)
        for name, share in shares(times_s, found).items():
            logs.setdefault(name, []).append(math.log(share))
    if not logs:
        print("designs: no workload has intervals: intervals take six blocks", file=sys.stderr)
        return 1
    for name, values in logs.items():
        print(f"designs: {name}: {math.exp(fmean(values)):.3f} of the time")
    whole = math.exp(fmean(fmean(values) for values in logs.values()))
    print(f"designs: all: {whole:.3f} of the time: {'met' if whole <= GOAL else 'MISSED'} (at most {GOAL:g})")
    return 0 if whole <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
