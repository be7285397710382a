"""Guests that take turns in slices against guests that have a long window each: the same ratios, and how much noise.

    python -m bench.slices [--pairs 3] [--blocks 6] [--seconds 0.4] [KIND ...]

Campaigns of both kinds alternate. For each workload and environment: the ratio to native by either, their difference
with its 95 % interval (Welch), and the standard deviation of a block's log ratio. At the end, for each workload, how
many times smaller the variance is for the same time of measuring; what the campaigns take is counted, starts included.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from bench.silent import Silent
from virtometer.analysis.blocks import cells, counterpart, log_ratios
from virtometer.analysis.interval import Spread, estimate, spread
from virtometer.analysis.typical import log_ratios as typical_ratios
from virtometer.analysis.unpaired import difference
from virtometer.design.parse import parse_plan
from virtometer.model import Campaign
from virtometer.runner.campaign import begin
from virtometer.runner.catalogue import catalogue

_PLAN = """
virtometer: 1
control: false
name: slices
environments:
  - {{name: native, kind: native}}
{environments}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 500}}, scheduling: {scheduling}}}
  - {{name: triad, workload: memory, op: triad, parameters: {{size: 64M}}, scheduling: {scheduling}}}
  - {{name: disk, workload: disk, op: random-read, parameters: {{direct: true}}, scheduling: {scheduling}}}
  - {{name: context switch, workload: os, op: context-switch, scheduling: {scheduling}}}
  - {{name: system call, workload: os, op: system-call, scheduling: {scheduling}}}
blocks: {blocks}
seconds: {seconds}
fresh: block
disk_span: 256M
"""

Key = tuple[str, str]


def run(kinds: list[str], scheduling: str, blocks: int, seconds: float, seed: int) -> tuple[Campaign, float]:
    """One campaign, and the seconds that it took."""
    environments = "\n".join(f"  - {{name: {kind}, kind: {kind}}}" for kind in kinds)
    text = _PLAN.format(environments=environments, scheduling=scheduling, blocks=blocks, seconds=seconds)
    plan = parse_plan(text, "slices.yaml", catalogue())
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        campaign = begin(plan, text, Path(directory) / "r", seed, Silent(), beside=True)
    return campaign, time.monotonic() - begun


def main() -> int:
    """Print the comparison. The status is 0: a difference is a result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=["runc", "bubblewrap"])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.4)
    given = parser.parse_args()
    logs: defaultdict[tuple[str, Key], list[list[float]]] = defaultdict(list)
    took_s: defaultdict[str, float] = defaultdict(float)
    for pair in range(given.pairs):
        for scheduling in ("interleaved", "continuous"):
            campaign, seconds = run(given.kinds, scheduling, given.blocks, given.seconds, pair)
            took_s[scheduling] += seconds
            print(f"{scheduling} {pair + 1}/{given.pairs}: {seconds:.0f} s")
            _collect(campaign, scheduling, logs)
    _print(logs, took_s)
    return 0


def _collect(campaign: Campaign, scheduling: str, logs: dict[tuple[str, Key], list[list[float]]]) -> None:
    table = cells(campaign)
    for key, cell in table.items():
        against = table[key[0], "native"]
        if cell.environment == "native" or cell.shape is None:
            continue
        better = cell.shape[2]
        logs[scheduling, key].append(log_ratios(cell.values, counterpart(cell, against), better))
        if cell.rounds:
            logs["typical", key].append(typical_ratios(cell.rounds, against.rounds, better))


def _print(logs: dict[tuple[str, Key], list[list[float]]], took_s: dict[str, float]) -> None:
    ways = ("continuous", "interleaved", "typical")
    keys = list(dict.fromkeys(key for _, key in logs))
    head = f"{'workload':16}{'environment':14}{'long windows':>14}{'slices':>9}{'difference':>24}"
    print(f"{head}{'sd: ' + ', '.join(ways):>44}")
    variances: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for key in keys:
        found = {way: _pooled(logs[way, key]) for way in ways if logs[way, key]}
        long, slices = found["continuous"], found["interleaved"]
        apart = estimate(difference(slices, long))
        shown = ""
        if apart is not None and apart.low is not None and apart.high is not None:
            shown = f"{apart.value - 1:+.1%} [{apart.low - 1:+.1%}, {apart.high - 1:+.1%}]"
        sds = ", ".join(f"{found[way].sd:.4f}" if way in found else "-" for way in ways)
        print(f"{key[0]:16}{key[1]:14}{math.exp(long.mean):14.4f}{math.exp(slices.mean):9.4f}{shown:>24}{sds:>44}")
        for way, of in found.items():
            variances[way, key[0]].append(of.sd**2)
    per_s = {way: took_s["continuous" if way == "continuous" else "interleaved"] for way in ways}
    for workload in dict.fromkeys(workload for workload, _ in keys):
        base = statistics.median(variances["continuous", workload]) * per_s["continuous"]
        gains = ", ".join(
            f"{way} {base / (statistics.median(variances[way, workload]) * per_s[way]):.1f}"
            for way in ways[1:]
            if variances[way, workload]
        )
        print(f"{workload}: variance for the same time, times smaller than with long windows: {gains}")


def _pooled(series: list[list[float]]) -> Spread:
    """Mean over all blocks, and the standard deviation within campaigns."""
    whole = spread([log for one in series for log in one])
    assert whole is not None
    parts = [part for one in series if (part := spread(one)) is not None and part.n > 1]
    freedom = sum(part.n - 1 for part in parts)
    sd = math.sqrt(sum(part.sd**2 * (part.n - 1) for part in parts) / freedom) if freedom else 0.0
    return Spread(whole.mean, sd, whole.n)


if __name__ == "__main__":
    sys.exit(main())
