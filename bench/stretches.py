"""Short slices that work on stretches of large arrays, against whole passes: is that the same memory?

    python -m bench.stretches [--pairs 11] [--seconds 0.25] [--whole 2]

A triad in two native guests, which take turns in slices of 8 ms as those of `run --quick` do. There is no time for a
pass in them, so that each iteration works on the next stretches. Each array is twice the host's last-level cache, as in
the quick plan, and four times. Against it stands a triad in a long window (`--whole` seconds), whose iterations are
whole passes over arrays of four times the cache.

Every pair is a block of a campaign, with guests of its own. About as often slices come first as whole passes do, in
random order. Printed is the ratio of bandwidths with its 95 % interval over blocks. "within": the interval lies inside
of -3 % to +3 %. MISSED: the ratio itself lies outside.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from statistics import fmean

from bench.campaigns import plan_of, run
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.statistics.interval import interval
from virtometer.design.schedule.trials import schedule
from virtometer.errors import MissingProgram, VirtometerError
from virtometer.host.cpu.caches import last_cache_bytes
from virtometer.model import Campaign, Estimate, Plan, Trial

LIMIT = 0.03
WHOLE = "whole passes"
_TIMES = {"slices, 2x the cache": 2, "slices, 4x the cache": 4}
_SEEDS = 10_000
_PLAN = """
virtometer: 1
control: false
name: stretches
environments:
  - {{name: native, kind: native}}
  - {{name: native again, kind: native}}
workloads:
{workloads}
  - name: {whole}
    workload: memory
    op: triad
    parameters: {{size: {whole_size}}}
    scheduling: continuous
    seconds: {whole_s}
blocks: {pairs}
seconds: {seconds}
slice_s: 0.008
fresh: block
"""


def plan_text(cache: int, pairs: int, seconds: float, whole_s: float) -> str:
    """The plan of the campaign. cache: bytes of the last-level cache."""
    workloads = "\n".join(
        f'  - {{name: "{name}", workload: memory, op: triad, parameters: {{size: {times * cache}}}, '
        "scheduling: interleaved}"
        for name, times in _TIMES.items()
    )
    whole_size = 4 * cache
    return _PLAN.format(
        workloads=workloads, whole=WHOLE, whole_size=whole_size, whole_s=whole_s, pairs=pairs, seconds=seconds
    )


def slices_first(trials: Sequence[Trial]) -> dict[str, int]:
    """By workload in slices: how many guests have it before the whole passes of the same block."""
    at = {(one.block, each.environment, each.workload): one.index for one in trials for each in one.placements}
    whole = {key[:2]: index for key, index in at.items() if key[2] == WHOLE}
    return {name: sum(at[*guest, name] < index for guest, index in whole.items()) for name in _TIMES}


def balanced_seed(plan: Plan) -> int:
    """The first seed with which half of the guests begin with slices, whatever the size."""
    names = [one.name for one in plan.environments]
    return next(seed for seed in range(_SEEDS) if _even(slices_first(schedule(plan, names, seed)), plan.blocks))


def _even(first: Mapping[str, int], half: int) -> bool:
    return all(abs(count - half) <= 1 for count in first.values())


def compared(campaign: Campaign) -> list[tuple[str, Estimate]]:
    """By workload in slices: its bandwidth by that of whole passes, over the blocks in which both guests have both."""
    table = by_treatment(campaign)
    guests = [one.name for one in campaign.plan.environments]
    rows = []
    for name in _TIMES:
        both = [(table[name, guest].values, table[WHOLE, guest].values) for guest in guests]
        blocks = set[int].intersection(*(set(one) for pair in both for one in pair))
        logs = [fmean(math.log(own[block] / whole[block]) for own, whole in both) for block in sorted(blocks)]
        if (found := interval(logs)) is not None:
            rows.append((name, found))
    return rows


def line(name: str, found: Estimate) -> tuple[str, bool]:
    """One line on a ratio, and whether it lies within the limit."""
    bounds, word = "", ""
    if found.low is not None and found.high is not None:
        bounds = f" [{found.low:.3f}, {found.high:.3f}]"
        word = ", within" if found.low >= 1 - LIMIT and found.high <= 1 + LIMIT else ", the interval is wider"
    met = abs(found.value - 1) <= LIMIT
    return (
        f"{name}, by whole passes: {found.value:.3f}{bounds}, {found.n} pairs: {'met' + word if met else 'MISSED'}",
        met,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the rows. The status is 1 where a ratio lies outside of the limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.25, help="time in slices, of a trial")
    parser.add_argument("--whole", type=float, default=2.0, help="seconds of the long window")
    given = parser.parse_args(argv)
    try:
        cache = last_cache_bytes()
        if cache is None:
            raise MissingProgram("this host reports no cache")
        text = plan_text(cache, given.pairs, given.seconds, given.whole)
        plan = plan_of(text)
        seed = balanced_seed(plan)
        measured = run(plan, seed, text)
    except VirtometerError as fault:
        print(f"stretches: FAILED: {fault.sentence}", file=sys.stderr)
        return 1
    first = ", ".join(f"{count} ({name})" for name, count in slices_first(measured.campaign.planned).items())
    print(f"a cache of {cache >> 20} MiB, {measured.wall_s:.0f} s; slices before passes, of {2 * given.pairs}: {first}")
    rows = compared(measured.campaign)
    for name, found in rows:
        print(line(name, found)[0], flush=True)
    return 0 if len(rows) == len(_TIMES) and all(line(*row)[1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
