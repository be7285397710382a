"""The memory of a laboratory that times a command very often.

    python -m bench.timing.many_runs [--runs 100,10000] [--in native,bubblewrap]

Times `true` so often in each environment, by `virtometer time -r`, and writes its report. Prints the peak memory of the
laboratory's own process for each number of runs, without the program that draws its plots, and the size of its ledger.
The exit status is 1 above 200 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

_MOST_MB = 200.0


def peak_mb(runs: int, kinds: str, out: Path) -> tuple[float, int]:
    """Peak resident memory of a laboratory, MB, and its exit status. What it starts is not counted."""
    words = ["time", "--in", kinds, "-r", str(runs), "--beside", "--out", str(out), "true"]
    process = subprocess.Popen(
        [sys.executable, "-m", "virtometer", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak = max([peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
        time.sleep(0.02)
    return peak * 1024 / 1e6, process.returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line for each number of runs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", default="100,10000")
    parser.add_argument("--in", dest="kinds", default="native,bubblewrap", metavar="KINDS")
    options = parser.parse_args(arguments)
    sound = True
    with tempfile.TemporaryDirectory(prefix="virtometer-bench-many-runs-") as made:
        for runs in (int(one) for one in options.runs.split(",")):
            begun, out = time.monotonic(), Path(made) / f"out{runs}"
            peak, status = peak_mb(runs, options.kinds, out)
            ledger = sum(file.stat().st_size for file in out.glob("ledger.sqlite*")) / 1e6
            sound &= peak < _MOST_MB and status == 0
            print(
                f"{runs} runs in each of {options.kinds}: peak memory {peak:.0f} MB, ledger {ledger:.1f} MB, "
                f"status {status}, {time.monotonic() - begun:.0f} s",
                flush=True,
            )
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
