"""The command line as users meet it: a process with standard output, standard error and an exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("virtometer")


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


def virtometer(*words: str | Path, cwd: Path = ROOT, **environment: str) -> Outcome:
    """Run `virtometer WORDS` to its end."""
    result = subprocess.run(
        [PROGRAM, *map(str, words)],
        capture_output=True, text=True, check=False, cwd=cwd, timeout=200, stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment},
    )  # fmt: skip
    return Outcome(result.returncode, result.stdout, result.stderr)
