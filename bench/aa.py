"""A real A/A: one environment under two names, through whole campaigns. None should come out different.

    python -m bench.aa [--campaigns 20] [--budget 60] [--kind native] [--file FILE]

Each campaign follows the product's own rule of stopping, measures its baseline twice in each block, and ends within its
budget. A campaign counts as "different" when any of its comparisons says slower or faster: at most 5 in 100 should.

The rows of each campaign are appended to the file at its end. A further call goes on, and the summary is that of the
whole file, for each kind and budget. The status is 1 where more campaigns are different than 5 in 100 can explain: the
95 % interval of their share lies above it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from scipy.stats import binomtest

from bench.campaigns import Measured, add_rows, next_number, plan_of, read_rows, run, share_text
from virtometer.analysis import analyse
from virtometer.errors import VirtometerError
from virtometer.model import Verdict

LIMIT = 0.05
_DIFFERENT = (Verdict.SLOWER, Verdict.FASTER)
_PLAN = """
virtometer: 1
name: A/A
baseline: first
environments:
  - {{name: first, kind: {kind}}}
  - {{name: second, kind: {kind}}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}}}
  - {{name: triad, workload: memory, op: triad, parameters: {{size: 32M}}}}
  - {{name: disk, workload: disk, op: random-read, parameters: {{size: 4K, direct: true}}}}
  - {{name: context switch, workload: os, op: context-switch, parameters: {{processes: 2}}}}
  - {{name: system call, workload: os, op: system-call}}
blocks: {blocks}
seconds: 0.25
slice_s: 0.008
fresh: block
disk_span: 256M
verdict: typical
budget_s: {budget}
"""


def plan_text(kind: str, budget: float, blocks: int = 6) -> str:
    """The plan of one campaign."""
    return _PLAN.format(kind=kind, budget=budget, blocks=blocks)


def rows_of(measured: Measured, number: int, kind: str) -> list[dict[str, object]]:
    """One row for each comparison of a campaign."""
    campaign = measured.campaign
    rows: list[dict[str, object]] = []
    for finding in analyse(campaign).findings:
        if finding.subject != "second":
            continue
        ratio = finding.decisive
        rows.append(
            {
                "campaign": number,
                "created_at": campaign.created_at,
                "kind": kind,
                "budget_s": campaign.plan.budget_s,
                "wall_s": round(measured.wall_s, 1),
                "workload": finding.workload,
                "ratio": ratio.value if ratio else "",
                "low": ratio.low if ratio and ratio.low is not None else "",
                "high": ratio.high if ratio and ratio.high is not None else "",
                "blocks": ratio.n if ratio else 0,
                "verdict": finding.verdict.value,
            }
        )
    return rows


def summary(rows: Sequence[Mapping[str, str]]) -> tuple[list[str], bool]:
    """Lines for each kind and budget; and whether 5 in 100 explains the campaigns that came out different."""
    lines, explained = [], True
    for kind, budget in sorted({(row["kind"], float(row["budget_s"])) for row in rows}):
        own = [row for row in rows if row["kind"] == kind and float(row["budget_s"]) == budget]
        campaigns = {row["campaign"] for row in own}
        different = {row["campaign"] for row in own if row["verdict"] in _DIFFERENT}
        verdicts = Counter(row["verdict"] for row in own)
        wall_s = max(float(row["wall_s"]) for row in own)
        share = binomtest(len(different), len(campaigns)).proportion_ci(method="wilson")
        explained = explained and share.low <= LIMIT
        lines.append(
            f"A/A ({kind}, budget {budget:g} s, the longest took {wall_s:.0f} s): "
            f"{share_text(len(different), len(campaigns))} campaigns came out different, at most {LIMIT:.0%} should"
        )
        lines.append("  " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
        for workload in dict.fromkeys(row["workload"] for row in own):
            known = [row for row in own if row["workload"] == workload and row["low"]]
            held = sum(float(row["low"]) <= 1 <= float(row["high"]) for row in known)
            lines.append(f"  {workload}: 1 is in the interval of {share_text(held, len(known))}")
    return lines, explained


def main() -> int:
    """Run campaigns and print the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--campaigns", type=int, default=20, help="further campaigns; 0: only the summary")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of a campaign")
    parser.add_argument("--kind", default="native")
    parser.add_argument("--file", type=Path, default=Path("results/aa.csv"))
    given = parser.parse_args()
    given.file.parent.mkdir(parents=True, exist_ok=True)
    text = plan_text(given.kind, given.budget)
    for _ in range(given.campaigns):
        number = next_number(read_rows(given.file))
        try:
            measured = run(plan_of(text), number, text)
        except VirtometerError as fault:
            print(f"A/A: campaign {number} FAILED: {fault.sentence}", file=sys.stderr)
            return 1
        rows = rows_of(measured, number, given.kind)
        add_rows(given.file, rows)
        told = ", ".join(f"{row['workload']} {row['verdict']}" for row in rows)
        print(f"A/A: campaign {number}, {measured.wall_s:.0f} s: {told}", flush=True)
    lines, explained = summary(read_rows(given.file))
    print("\n".join(lines))
    return 0 if explained else 1


if __name__ == "__main__":
    sys.exit(main())
