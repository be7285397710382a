"""The product as a bench starts it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from bench.product import virtometer
from tests.waiting import wait_until

BENCH = """
import sys
from bench.product import interrupted_by_sigterm, virtometer
interrupted_by_sigterm()
virtometer(["time", "--in", "native", "--beside", "--out", sys.argv[1], "-S", "sh", ": " + sys.argv[1] + "; sleep 99"])
"""


def test_a_command_of_the_product_ends() -> None:
    ended = virtometer(["--help"])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "time" in ended.stdout
    assert virtometer(["no-such-command"]).returncode == 2


def running(word: str) -> list[list[str]]:
    """The words of processes, one of which has this in it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_text(errors="replace").split("\0")
            found += [words] if any(word in one for one in words) else []
    return found


def test_it_ends_with_the_bench(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", BENCH, str(tmp_path / "out")]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as bench:
        wait_until(lambda: any(words[0] == "sh" for words in running(str(tmp_path))), 20)
        bench.terminate()
        _, said = bench.communicate(timeout=60)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert running(str(tmp_path)) == []
