"""The product as its users start it, by a bench that may be ended amid it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence


def virtometer(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run one command to its end. Where this process is interrupted, the command is too, and cleans up."""
    argv = [sys.executable, "-m", "virtometer", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            out, err = process.communicate()
        except BaseException:
            process.terminate()
            process.communicate()
            raise
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


def interrupted_by_sigterm() -> None:
    """SIGTERM ends this process as Ctrl-C does: what it made is removed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
