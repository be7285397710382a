"""Guests that take turns in slices against guests that have long windows: the same ratios, and how much less noise.

    python -m bench.slices [--pairs 3] [--blocks 6] [--seconds 0.4] [--slice 0.025] [--ways WAY ...]
        [--only WORKLOAD ...] [KIND ...]

Campaigns of three ways to measure alternate: `interleaved`, `continuous` (long windows, all else alike) and `former`
(long windows in random order, one start for each trial, guests on all processors). For each workload and environment:
the ratio to native by each, the difference of the first two with its 95 % interval (Welch), and the standard deviation
of a block's log ratio. At the end, for each workload, how many times smaller the variance of a log ratio is after the
same wall time, with the 95 % interval (F). The wall time of a block is that of a campaign, from the start of its first
guest to its end, by the number of blocks.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence

from scipy.stats import f as f_distribution

from bench.campaigns import Measured, plan_of, run
from virtometer.analysis.compare.blocks import by_treatment, counterpart, logs_by_block
from virtometer.analysis.score.typical import logs_by_block as typical_ratios
from virtometer.analysis.statistics import student
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.unpaired import difference

_PLAN = """
virtometer: 1
control: false
name: slices
environments:
  - {{name: native, kind: native, settings: {{processors: {processors}}}}}
{environments}
workloads:
  - {{name: linpack 100, workload: linpack, op: classic, parameters: {{size: 100}}, scheduling: {scheduling}}}
  - {{name: linpack 500, workload: linpack, op: classic, parameters: {{size: 500}}, scheduling: {scheduling}}}
  - {{name: triad, workload: memory, op: triad, parameters: {{size: 64M}}, scheduling: {scheduling}}}
  - {{name: disk, workload: disk, op: random-read, parameters: {{direct: true}}, scheduling: {scheduling}}}
  - {{name: context switch, workload: os, op: context-switch, scheduling: {scheduling}}}
  - {{name: system call, workload: os, op: system-call, scheduling: {scheduling}}}
blocks: {blocks}
seconds: {seconds}
slice_s: {slice_s}
fresh: {fresh}
disk_span: 256M
"""

WAYS = {
    "interleaved": {"scheduling": "interleaved", "fresh": "block", "processors": "auto"},
    "continuous": {"scheduling": "continuous", "fresh": "block", "processors": "auto"},
    "former": {"scheduling": "continuous", "fresh": "trial", "processors": "all"},
}

Key = tuple[str, str]
Logs = dict[tuple[str, Key], list[list[float]]]
"""By way (`typical` too), workload and environment: the log ratios of the blocks of each campaign."""


def plan_text(kinds: Sequence[str], way: str, blocks: int, seconds: float, slice_s: float = 0.025) -> str:
    """The plan of one campaign."""
    how = WAYS[way]
    environments = "\n".join(
        f"  - {{name: {kind}, kind: {kind}, settings: {{processors: {how['processors']}}}}}" for kind in kinds
    )
    return _PLAN.format(environments=environments, blocks=blocks, seconds=seconds, slice_s=slice_s, **how)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the comparison. The status is 0: a difference is a result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=["runc", "bubblewrap"])
    parser.add_argument("--pairs", type=int, default=3, help="campaigns of each way")
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--slice", type=float, default=0.025, help="seconds of a slice")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--only", nargs="*", default=[], help="names of workloads; all without")
    given = parser.parse_args(argv)
    named = [one.name for one in plan_of(plan_text(given.kinds, given.ways[0], given.blocks, given.seconds)).workloads]
    if unknown := [name for name in given.only if name not in named]:
        parser.error(f"no workload {', '.join(unknown)}; there are {', '.join(named)}")
    logs: Logs = defaultdict(list)
    walls: defaultdict[str, list[float]] = defaultdict(list)
    for pair in range(given.pairs):
        for way in given.ways:
            text = plan_text(given.kinds, way, given.blocks, given.seconds, given.slice)
            plan = plan_of(text)
            chosen = [one for one in plan.workloads if not given.only or one.name in given.only]
            measured = run(plan.model_copy(update={"workloads": chosen}), pair, text)
            walls[way].append(measured.wall_s / given.blocks)
            print(f"{way} {pair + 1}/{given.pairs}: {measured.wall_s:.0f} s", flush=True)
            collect(measured, way, logs)
    for line in [*ratios(logs), *gains(logs, {way: sum(found) / len(found) for way, found in walls.items()})]:
        print(line)
    return 0


def collect(measured: Measured, way: str, logs: Logs) -> None:
    """Add the log ratios of a campaign."""
    table = by_treatment(measured.campaign)
    for key, data in table.items():
        against = table[key[0], "native"]
        if data.environment == "native" or data.shape is None:
            continue
        better = data.shape[2]
        logs[way, key].append([*logs_by_block(data.values, counterpart(data, against), better).values()])
        if data.rounds:
            logs["typical", key].append([*typical_ratios(data.rounds, against.rounds, better).values()])


def ratios(logs: Logs) -> list[str]:
    """A line for each workload and environment, below a head."""
    ways = [way for way in (*WAYS, "typical") if any(one == way for one, _ in logs)]
    lines = [f"{'workload':16}{'environment':14}{'ratio: ' + ', '.join(ways):>52}{'difference':>24}{'sd':>36}"]
    for key in dict.fromkeys(key for _, key in logs):
        found = {way: pooled(logs[way, key]) for way in ways if logs.get((way, key))}
        shown = ""
        if "interleaved" in found and "continuous" in found:
            of = difference(found["interleaved"], found["continuous"])
            apart = None if of is None else student.of_spread(of)
            if apart is not None and apart.low is not None and apart.high is not None:
                shown = f"{apart.value - 1:+.1%} [{apart.low - 1:+.1%}, {apart.high - 1:+.1%}]"
        values = ", ".join(f"{math.exp(found[way].mean):.4f}" if way in found else "-" for way in ways)
        sds = ", ".join(f"{found[way].sd:.4f}" if way in found else "-" for way in ways)
        lines.append(f"{key[0]:16}{key[1]:14}{values:>52}{shown:>24}{sds:>36}")
    return lines


def gains(logs: Logs, block_s: Mapping[str, float]) -> list[str]:
    """Lines: the wall time of a block, and by workload how many times smaller the variance for the same wall time is.

    block_s: wall time of a block, by way.
    """
    lines = [f"wall time of a block: {', '.join(f'{way} {seconds:.2f} s' for way, seconds in block_s.items())}"]
    for workload in dict.fromkeys(key[0] for _, key in logs):
        for before in ("former", "continuous"):
            told = []
            for way in ("interleaved", "typical"):
                old, new = (_variance(logs, one, workload) for one in (before, way))
                seconds = block_s.get("interleaved")
                if old is None or new is None or seconds is None or before not in block_s:
                    continue
                gain = old[0] * block_s[before] / (new[0] * seconds)
                low, high = (gain / float(f_distribution.ppf(at, old[1], new[1])) for at in (0.975, 0.025))
                told.append(f"{'total' if way == 'interleaved' else way} {gain:.1f} [{low:.1f}, {high:.1f}]")
            if told:
                lines.append(
                    f"{workload}: variance of the log ratio for the same wall time, times smaller than {before}: "
                    f"{', '.join(told)}"
                )
    return lines


def _variance(logs: Logs, way: str, workload: str) -> tuple[float, int] | None:
    """The variance of a block's log ratio over all environments, and its degrees of freedom; None where unknown."""
    series = [one for (name, key), found in logs.items() if name == way and key[0] == workload for one in found]
    parts = [part for one in series if (part := spread(one)) is not None and part.n > 1]
    freedom = sum(part.n - 1 for part in parts)
    total = sum(part.sd**2 * (part.n - 1) for part in parts)
    return (total / freedom, freedom) if freedom and total > 0 else None


def pooled(series: Sequence[Sequence[float]]) -> Spread:
    """Mean over all blocks, and the standard deviation within campaigns."""
    whole = spread([log for one in series for log in one])
    assert whole is not None
    parts = [part for one in series if (part := spread(list(one))) is not None and part.n > 1]
    freedom = sum(part.n - 1 for part in parts)
    sd = math.sqrt(sum(part.sd**2 * (part.n - 1) for part in parts) / freedom) if freedom else 0.0
    return Spread(whole.mean, sd, whole.n)


if __name__ == "__main__":
    sys.exit(main())
