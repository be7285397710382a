"""Whether campaigns agree on what a system call and a context switch cost in gVisor and in user-mode Linux.

    python -m bench.agreement [--campaigns 10] [--processors auto all] [--file FILE] [KIND ...]

Processes of these guests may be spread over the processors of the host, or kept on one. Their operations have a speed
for each. Campaigns with `processors: auto` and with `all` alternate. For each of these settings, operation and kind:

- in how many campaigns the interval of the ratio to native overlaps with that of all campaigns jointly
- the range of the ratios
- how many blocks were measured in long windows because the speed changes within them
- how many times the speed of its beginning a long window reaches later

The rows of each campaign are appended to the file at its end. A further call goes on, and the summary is that of the
whole file.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.campaigns import Measured, add_rows, next_number, plan_of, read_rows, run
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import TreatmentData, by_treatment
from virtometer.analysis.score.slices import long_windows
from virtometer.analysis.score.window_level import level
from virtometer.analysis.statistics.interval import interval
from virtometer.errors import VirtometerError
from virtometer.model import Estimate

KINDS = ("gvisor", "uml")
_PLAN = """
virtometer: 1
name: agreement
environments:
  - {{name: native, kind: native, settings: {{processors: {processors}}}}}
{environments}
workloads:
  - {{name: system call, workload: os, op: system-call}}
  - {{name: context switch, workload: os, op: context-switch}}
blocks: {blocks}
seconds: {seconds}
fresh: block
unavailable: skip
"""


def plan_text(kinds: Sequence[str], processors: str, blocks: int, seconds: float) -> str:
    """The plan of one campaign."""
    environments = "\n".join(
        f"  - {{name: {kind}, kind: {kind}, settings: {{processors: {processors}}}}}" for kind in kinds
    )
    return _PLAN.format(environments=environments, processors=processors, blocks=blocks, seconds=seconds)


def rows_of(measured: Measured, number: int, processors: str) -> list[dict[str, object]]:
    """One row for each comparison of a campaign that has an interval."""
    table = by_treatment(measured.campaign)
    rows: list[dict[str, object]] = []
    for finding in analyse(measured.campaign).findings:
        ratio = finding.ratio.estimate
        if finding.subject == finding.ratio.reference or ratio is None or ratio.low is None or ratio.high is None:
            continue
        data = table[finding.workload, finding.subject]
        change = later_by_beginning(data, measured.campaign.plan.slice_s)
        rows.append(
            {
                "campaign": number,
                "processors": processors,
                "workload": finding.workload,
                "environment": finding.subject,
                "ratio": ratio.value,
                "low": ratio.low,
                "high": ratio.high,
                "blocks": ratio.n,
                "value": finding.value.estimate.value if finding.value.estimate else "",
                "long_blocks": len(data.long_blocks),
                "later_by_beginning": "" if change is None else change,
                "wall_s": round(measured.wall_s, 1),
            }
        )
    return rows


def later_by_beginning(data: TreatmentData, slice_s: float) -> float | None:
    """How many times the speed of its beginning a long window reaches later (median); None without any."""
    windows = [window for _, one in data.results for window in long_windows(one.samples).values()]
    found = [one for one in (level(window, round(slice_s * 1e9)) for window in windows) if one is not None]
    return statistics.median(one.later / one.beginning for one in found) if found else None


def pooled(rows: Sequence[Mapping[str, str]]) -> Estimate | None:
    """The ratio of all campaigns jointly: each counts as one."""
    return interval(math.log(float(row["ratio"])) for row in rows)


def summary(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """A line for each setting, operation and kind."""
    lines = []
    for key in dict.fromkeys((row["processors"], row["workload"], row["environment"]) for row in rows):
        own = [row for row in rows if (row["processors"], row["workload"], row["environment"]) == key]
        whole = pooled(own)
        assert whole is not None
        low, high = whole.low or whole.value, whole.high or whole.value
        agree = sum(float(row["low"]) <= high and float(row["high"]) >= low for row in own)
        ratios = [float(row["ratio"]) for row in own]
        changes = [float(row["later_by_beginning"]) for row in own if row["later_by_beginning"]]
        blocks = sum(int(row["blocks"]) for row in own)
        long = sum(int(row["long_blocks"]) for row in own)
        interval = f" [{whole.low:.4g}, {whole.high:.4g}]" if whole.low is not None else ""
        speeds = f"; later {min(changes):.2f} to {max(changes):.2f} times the beginning" if changes else ""
        lines.append(
            f"processors {key[0]}, {key[1]}, {key[2]}: {agree} of {len(own)} campaigns agree with the pooled ratio "
            f"{whole.value:.4g}{interval}; {min(ratios):.4g} to {max(ratios):.4g}; "
            f"{long} of {blocks} blocks in long windows{speeds}"
        )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run campaigns and print the summary. The status is 0: a disagreement is a result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--campaigns", type=int, default=10, help="further ones of each setting; 0: only the summary")
    parser.add_argument("--processors", nargs="*", default=["auto", "all"])
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.35, help="window of a trial")
    parser.add_argument("--file", type=Path, default=Path("results/agreement.csv"))
    given = parser.parse_args(argv)
    given.file.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(given.campaigns):
        for processors in given.processors:
            number = next_number(read_rows(given.file))
            text = plan_text(given.kinds, processors, given.blocks, given.seconds)
            try:
                measured = run(plan_of(text), number, text)
            except VirtometerError as fault:
                print(f"agreement: campaign {number} FAILED: {fault.sentence}", file=sys.stderr)
                return 1
            rows = rows_of(measured, number, processors)
            if not rows:
                print(f"agreement: none of {', '.join(given.kinds)} gave a ratio here", file=sys.stderr)
                return 1
            add_rows(given.file, rows)
            print(f"agreement: campaign {number}, processors {processors}, {measured.wall_s:.0f} s", flush=True)
    print("\n".join(summary(read_rows(given.file))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
