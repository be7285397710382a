"""A real A/A: one environment under two names, through whole campaigns. None should come out different.

    python -m bench.aa [--campaigns 20] [--kind native]

A campaign counts as "different" when any of its comparisons says slower or faster. At least 95 in 100 should not.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

VIRTOMETER = str(Path(sys.executable).with_name("virtometer"))

PLAN = """\
virtometer: 1
control: false
name: A/A
baseline: first
environments:
  - {{name: first, kind: {kind}}}
  - {{name: second, kind: {kind}}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 300}}}}
  - {{name: memory, workload: memory, op: triad, parameters: {{size: 16M}}}}
  - {{name: context switch, workload: os, op: context-switch}}
  - {{name: system call, workload: os, op: system-call}}
blocks: 8
seconds: 0.1
fresh: block
"""


def campaign(plan: Path, directory: Path, seed: int) -> list[str]:
    """Run one campaign; the verdicts on `second` against `first`, one for each workload."""
    run = [VIRTOMETER, "run", str(plan), "--out", str(directory), "--seed", str(seed)]
    subprocess.run(run, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    report = [VIRTOMETER, "report", str(directory), "--format", "json"]
    told = json.loads(subprocess.run(report, stdout=subprocess.PIPE, check=True).stdout)
    return [finding["verdict"] for finding in told["findings"] if finding["subject"] == "second"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=20)
    parser.add_argument("--kind", default="native")
    arguments = parser.parse_args()
    verdicts: collections.Counter[str] = collections.Counter()
    different = 0
    with tempfile.TemporaryDirectory(prefix="virtometer-aa-") as folder:
        plan = Path(folder) / "plan.yaml"
        plan.write_text(PLAN.format(kind=arguments.kind))
        for number in range(arguments.campaigns):
            try:
                found = campaign(plan, Path(folder) / f"campaign-{number}", number)
            except subprocess.CalledProcessError as fault:
                print(f"A/A: campaign {number} FAILED: {(fault.stderr or b'').decode(errors='replace').strip()[-500:]}")
                return 1
            verdicts.update(found)
            different += bool({"slower", "faster"} & set(found))
            print(f"A/A: campaign {number}: {', '.join(found)}", flush=True)
    share = 1 - different / arguments.campaigns
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    print(f"A/A ({arguments.kind}): {share:.0%} of {arguments.campaigns} campaigns came out not different ({counted})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
