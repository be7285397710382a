"""Whether linpack of small orders tells of user-mode Linux what pde tells, although the clock is dear there.

    python -m bench.small_orders [--blocks 7] [--seconds 0.4] [--kind uml]

One campaign, whose guests take turns in every block: `linpack classic` of orders 25 to 500 and `pde`, which reads the
clock twice within an iteration. Each efficiency stands with its 95 % interval, and beside it the quotient by that of
`pde` with an interval from both: `met` where the interval is within 10 % of 1, `MISSED` where all of it is not,
otherwise `undecided`, which is what a busy machine gives.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

VIRTOMETER = str(Path(sys.executable).with_name("virtometer"))

ORDERS = (25, 50, 100, 200, 500)
TOLERANCE = 0.1
PDE = "pde"

PLAN = """\
virtometer: 1
control: false
name: small orders
baseline: native
environments:
  - {{name: native, kind: native}}
  - {{name: guest, kind: {kind}}}
workloads:
  - {{name: pde, workload: pde, op: gauss-seidel, parameters: {{interlines: 40}}}}
{orders}
blocks: {blocks}
seconds: {seconds}
fresh: block
"""
ORDER = "  - {{name: order {order}, workload: linpack, op: classic, parameters: {{size: {order}}}}}"


def findings(kind: str, blocks: int, seconds: float, folder: Path) -> dict[str, dict[str, Any]]:
    """Run one campaign in `folder`; what it found of the guest, by the workload's name."""
    orders = "\n".join(ORDER.format(order=order) for order in ORDERS)
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.format(kind=kind, orders=orders, blocks=blocks, seconds=seconds))
    run = [VIRTOMETER, "run", str(plan), "--out", str(folder / "campaign")]
    subprocess.run(run, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    report = [VIRTOMETER, "report", str(folder / "campaign"), "--format", "json"]
    told = json.loads(subprocess.run(report, stdout=subprocess.PIPE, check=True).stdout)
    return {finding["workload"]: finding for finding in told["findings"] if finding["subject"] == "guest"}


def line(name: str, found: dict[str, Any], pde: dict[str, Any]) -> tuple[str, str]:
    """A row of the table, and whether its efficiency is within the tolerance of that of pde: met, undecided or MISSED.

    The halves of both intervals, as logarithms, are added as those of independent estimates.
    """
    quotient = found["ratio"] / pde["ratio"]
    half = math.hypot(*(math.log(one["high"] / one["low"]) / 2 for one in (found, pde)))
    low, high = quotient * math.exp(-half), quotient * math.exp(half)
    if low >= 1 - TOLERANCE and high <= 1 + TOLERANCE:
        verdict = "met"
    else:
        verdict = "MISSED" if high < 1 - TOLERANCE or low > 1 + TOLERANCE else "undecided"
    interval = f"{found['ratio']:.3f} [{found['low']:.3f}, {found['high']:.3f}] {found['verdict']}"
    return f"{name}: {interval}; {quotient:.3f} [{low:.3f}, {high:.3f}] of pde's: {verdict}", verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--blocks", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--kind", default="uml")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="virtometer-small-") as folder:
        try:
            found = findings(arguments.kind, arguments.blocks, arguments.seconds, Path(folder))
        except subprocess.CalledProcessError as fault:
            print(f"small orders: FAILED: {(fault.stderr or b'').decode(errors='replace').strip()[-500:]}")
            return 1
    missing = {PDE, *(f"order {order}" for order in ORDERS)} - {
        name for name, finding in found.items() if finding["ratio"] is not None and finding["low"] is not None
    }
    if missing:
        print(f"small orders: FAILED: no interval of {', '.join(sorted(missing))}")
        return 1
    pde = found.pop(PDE)
    print(f"small orders ({arguments.kind}): {PDE}: {pde['ratio']:.3f} [{pde['low']:.3f}, {pde['high']:.3f}]")
    rows = [line(name, finding, pde) for name, finding in found.items()]
    print("\n".join(f"small orders ({arguments.kind}): {row}" for row, _ in rows))
    return 0 if all(verdict == "met" for _, verdict in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
