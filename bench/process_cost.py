"""What a process of Virtometer takes, here and beside another checkout."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took: wall time and processor time (user and system) in seconds, memory in bytes."""

    wall_s: float
    cpu_s: float
    memory: int

    def __str__(self) -> str:
        return f"{self.wall_s:.2f} s ({self.cpu_s:.2f} s of processor time), {self.memory / 1e6:.0f} MB"


@dataclass(frozen=True, slots=True)
class Goal:
    """What was wanted, and whether it is so."""

    name: str
    met: bool

    def __str__(self) -> str:
        return f"; goal {self.name}: {'met' if self.met else 'MISSED'}"


def best(found: Sequence[Cost]) -> Cost:
    """The shortest times of some processes, and their largest memory. ValueError for none."""
    return Cost(min(one.wall_s for one in found), min(one.cpu_s for one in found), max(one.memory for one in found))


def beside(here: Cost, there: Cost) -> str:
    """What another checkout took, and what this one takes of that."""
    shares = here.wall_s / there.wall_s, here.cpu_s / there.cpu_s, here.memory / there.memory
    of = ", ".join(f"{name} x {share:.2f}" for name, share in zip(("time", "processor", "memory"), shares, strict=True))
    return f"; there {there}: {of}"


def measure(words: Sequence[str], out: Path, checkout: Path | None = None, status: int = 0) -> Cost:
    """The cost of a process of Virtometer with these words. `checkout`: whose sources; None: those of this process.

    out: where its standard output goes. Raises CalledProcessError for another exit status than `status`.
    """
    command = [sys.executable, "-m", "virtometer", *words]
    environment = dict(os.environ) if checkout is None else os.environ | {"PYTHONPATH": str(checkout.resolve() / "src")}
    with out.open("wb") as file:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, env=environment)
        _, ended, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode != status:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def in_turns(
    words: Sequence[str], folder: Path, repeat: int, against: Path | None, status: int = 0
) -> tuple[Cost, Cost | None, str]:
    """The best cost here, that of another checkout where there is one, and what is said of the two side by side.

    folder: where both outputs go, which must be the same. status: as `measure` takes it.
    """
    here, there = folder / "here", folder / "there"
    found, others = [], []
    for _ in range(repeat):
        found.append(measure(words, here, status=status))
        if against is not None:
            others.append(measure(words, there, against, status=status))
    if not others:
        return best(found), None, ""
    differs = "" if here.read_bytes() == there.read_bytes() else ": ANOTHER OUTPUT"
    return best(found), best(others), beside(best(found), best(others)) + differs


def arguments_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """What the command line says, with --repeat and --against, which names another checkout."""
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout, for comparison")
    arguments = parser.parse_args()
    if arguments.against is not None and not (arguments.against / "src" / "virtometer").is_dir():
        parser.error(f"{arguments.against} is no checkout of Virtometer")
    return arguments
