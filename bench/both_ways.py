"""Slices beside long windows, by the same guests in the same blocks, for every built-in operation that takes turns.

    python -m bench.both_ways [--minutes 60] [--seconds 0.25] [--only TEXT ...] [KIND ...]

Each operation of the agent's table stands twice in the plan, once interleaved and once continuous, and the guests live
for a block. What cannot pause by nature has long windows alone and is not here.

For each operation and environment: the ratio to native by slices and by long windows, and how far the first lies above
the second, with the 95 % interval over blocks. "differs" stands where the interval lies wholly outside of -1 % to +1 %,
"within" where it lies inside. The plan has as many blocks as the first one promises for the time, at least six.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bench.campaigns import plan_of, run
from virtometer.agent_table import operations
from virtometer.analysis.compare.blocks import by_treatment, counterpart, logs_by_block
from virtometer.analysis.statistics.interval import interval
from virtometer.errors import VirtometerError
from virtometer.model import Campaign, Estimate
from virtometer.workloads.registry import WORKLOADS

LIMIT = 0.01
_LONG = ", long window"
_KERNELS = ("linpack", "memory", "pde", "disk", "net", "os")
_PARAMETERS = {
    "linpack": {"classic": "size: 100", "left-looking": "size: 100", "blocked": "size: 500"},
    "memory": dict.fromkeys(operations("memory"), "size: 32M"),
    "disk": {
        "sequential-read": "size: 1M, direct: true",
        "random-read": "size: 4K, direct: true",
        "sequential-write": "size: 1M, direct: true",
        "random-write": "size: 4K, direct: true",
        "access": "size: 4K, direct: true",
    },
    "os": {"file-reread": "size: 16M", "page-fault": "size: 16M", "mmap": "size: 16M"},
}
"""What is not the default: small work, so that many iterations fit into a slice."""
_PLAN = """
virtometer: 1
control: false
name: both ways
environments:
  - {{name: native, kind: native}}
{environments}
unavailable: skip
limits: {{start_s: 30, prepare_s: 30, run_extra_s: 8}}
workloads:
{workloads}
blocks: {blocks}
seconds: {seconds}
slice_s: {slice_s}
fresh: block
disk_span: 256M
"""


def plan_text(kinds: Sequence[str], names: Sequence[tuple[str, str]], blocks: int, seconds: float, way: str) -> str:
    """The plan of operations, each named by its kernel and its name. way: `both`, which has each twice, or `auto`.

    `auto` has long slices: with short ones some work has long windows by default, which is what is to be seen.
    """
    environments = "\n".join(f"  - {{name: {kind}, kind: {kind}}}" for kind in kinds)
    ways = {"": "interleaved", _LONG: "continuous"} if way == "both" else {"": "auto"}
    workloads = "\n".join(
        f'  - {{name: "{kernel} {op}{suffix}", workload: {kernel}, op: {op}, '
        f"parameters: {{{_PARAMETERS.get(kernel, {}).get(op, '')}}}, scheduling: {scheduling}}}"
        for kernel, op in names
        for suffix, scheduling in ways.items()
    )
    slice_s = 0.008 if way == "both" else 0.0625
    return _PLAN.format(environments=environments, workloads=workloads, blocks=blocks, seconds=seconds, slice_s=slice_s)


def taking_turns(kinds: Sequence[str], seconds: float) -> list[tuple[str, str]]:
    """Kernel and name of each operation that the product interleaves automatically between these kinds."""
    names = [(kernel, op) for kernel in _KERNELS for op in WORKLOADS[kernel].operations]
    plan = plan_of(plan_text(kinds, names, 1, seconds, "auto"))
    return [(one.workload, one.op) for one in plan.workloads if one.scheduling == "interleaved"]


def compared(campaign: Campaign) -> list[tuple[str, str, Estimate, Estimate, Estimate]]:
    """Operation, environment, ratio by slices, ratio by long windows, and the first by the second, block by block."""
    table = by_treatment(campaign)
    rows = []
    for (workload, environment), data in table.items():
        twin = table.get((workload + _LONG, environment))
        if environment == "native" or twin is None or data.shape is None or twin.shape is None:
            continue
        better = data.shape[2]
        own, other = table[workload, "native"], table[workload + _LONG, "native"]
        # Where slices cannot stand for long windows, the product itself uses the long ones: no difference to show.
        both = data.values.keys() & own.values.keys() & twin.values.keys() & other.values.keys()
        both -= data.long_blocks | own.long_blocks
        only = {block: value for block, value in data.values.items() if block in both}
        only_twin = {block: value for block, value in twin.values.items() if block in both}
        short = [*logs_by_block(only, counterpart(data, own), better).values()]
        long = [*logs_by_block(only_twin, other.values, better).values()]
        found = [interval(logs) for logs in (short, long, [a - b for a, b in zip(short, long, strict=True)])]
        if found[0] is not None and found[1] is not None and found[2] is not None:
            rows.append((workload, environment, found[0], found[1], found[2]))
    return rows


def word(apart: Estimate) -> str:
    """`differs`, `within`, or nothing where the interval does not decide."""
    if apart.low is None or apart.high is None:
        return ""
    if apart.low > 1 + LIMIT or apart.high < 1 - LIMIT:
        return "differs"
    return "within" if apart.low >= 1 - LIMIT and apart.high <= 1 + LIMIT else ""


def table_of(campaign: Campaign) -> list[str]:
    """A line for each operation and environment, below a head."""
    lines = [f"{'operation':28}{'environment':14}{'slices':>10}{'windows':>10}{'slices by windows':>28}  blocks"]
    for workload, environment, short, long, apart in compared(campaign):
        shown = f"{apart.value - 1:+.1%}"
        if apart.low is not None and apart.high is not None:
            shown += f" [{apart.low - 1:+.1%}, {apart.high - 1:+.1%}]"
        ratios = f"{short.value:>10.4f}{long.value:>10.4f}"
        lines.append(f"{workload:28}{environment:14}{ratios}{shown:>28}  {apart.n:<3} {word(apart)}".rstrip())
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table. The status is 0: a difference is a result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=["runc", "gvisor", "uml"])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=0.25)
    parser.add_argument("--only", nargs="*", default=[], help="operations whose kernel and name contain one of these")
    given = parser.parse_args(argv)
    try:
        names = [
            name
            for name in taking_turns(given.kinds, given.seconds)
            if not given.only or any(text in " ".join(name) for text in given.only)
        ]
        first = plan_text(given.kinds, names, 1, given.seconds, "both")
        block_s = run(plan_of(first), 0, first).wall_s
        blocks = max(6, int(given.minutes * 60 / block_s) - 1)
        print(f"{len(names)} operations, {block_s:.0f} s a block, {blocks} blocks", flush=True)
        text = plan_text(given.kinds, names, blocks, given.seconds, "both")
        measured = run(plan_of(text), 1, text)
    except VirtometerError as fault:
        print(f"both ways: {fault.sentence}", file=sys.stderr)
        return 1
    failed = [one for one in measured.campaign.trials if one.failure is not None]
    print(f"{measured.wall_s / 60:.0f} min, {len(measured.campaign.trials)} trials, {len(failed)} not done")
    print("\n".join(table_of(measured.campaign)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
