"""Predictions of profiles beside measurements: programs that do one thing, and find, make and sqlite3.

    python -m bench.timing.profiles [--in runc,gvisor,uml] [--budget 20s] [--out DIR]

For each program and environment it prints the measured and the predicted slowdown, the class that explains most, and
what is unexplained. For planted programs it prints whether the class is the planted one. The exit status is 1 where a
prediction for them is not within 20 % of the measurement, or the class is another although one is slower by more than
10 %. Run it on an idle host; the load is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.timing.planted import planted

_WITHIN = 0.2
_SLOWER = 1.1  # of less, a class explains too little to be told from others
_STEPS = {"calls": 20_000, "faults": 20_000, "network": 5_000, "computing": 1_500_000_000}  # more than a start takes
_CLASSES = {"calls": "simple calls", "faults": "page faults", "network": "network", "computing": "computing"}
_SQL = (
    "create table t(a integer primary key, b text); "
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) "
    "insert into t select i, hex(i) from n; select count(*), sum(length(b)) from t where b like '%1%';"
)


def words_of(program: Path, folder: Path) -> dict[str, list[str]]:
    """The commands by name. Files of make are made in the folder."""
    (folder / "Makefile").write_text("all: " + " ".join(f"t{n}" for n in range(20)) + "\nt%:\n\t@true $@; echo $@\n")
    return {
        **{name: [str(program), name, str(steps)] for name, steps in _STEPS.items()},
        "find": ["find", "/usr/lib/python3", "-name", "*.so"],
        "make": ["make", "-C", str(folder), "-B", "all"],
        "sqlite3": ["sqlite3", ":memory:", _SQL],
    }


def profiles(commands: Mapping[str, Sequence[str]], kinds: str, budget: str, out: Path) -> list[dict[str, Any]]:
    """The profiles of commands, as the JSON report has them. CalledProcessError where they cannot be measured."""
    own = [sys.executable, "-m", "virtometer"]
    options = ["--profile", "--beside", "--in", kinds, "--budget", budget, "--out", str(out)]
    names = [word for name in commands for word in ("-n", name)]
    lines = [shlex.join(words) for words in commands.values()]
    subprocess.run([*own, "time", *options, *names, *lines], check=True, stdout=sys.stderr)
    made = subprocess.run([*own, "report", str(out), "--format", "json"], check=True, capture_output=True, text=True)
    found: list[dict[str, Any]] = json.loads(made.stdout)["profiles"]
    return found


def line_of(name: str, there: dict[str, Any]) -> str:
    """A row of the table of the record."""
    off = there["predicted"] / there["measured"] - 1
    bounds = f"{there['predicted']:.3g} [{there['predicted_low']:.3g}, {there['predicted_high']:.3g}]"
    row = f"| {name} | {there['subject']} | {there['measured']:.3g} | {bounds} | {there['dominant'] or 'nothing'} |"
    planted_one = _CLASSES.get(name)
    right = "" if planted_one is None else f"{'yes' if there['dominant'] == planted_one else 'no'}"
    return f"{row} {100 * there['rest']:+.3g} % | {100 * off:+.2g} % | {right} |"


def wrong(name: str, there: Mapping[str, Any]) -> bool:
    """Whether the prediction for a planted program is: its value, or the class that explains most."""
    if name not in _CLASSES:
        return False
    if there["measured"] > _SLOWER and there["dominant"] != _CLASSES[name]:
        return True
    return bool(abs(there["predicted"] / there["measured"] - 1) > _WITHIN)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line for each program and environment; status 1 where a planted one is predicted wrongly."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--in", dest="kinds", default="runc,gvisor,uml")
    parser.add_argument("--budget", default="20s")
    parser.add_argument("--only", default="", help="names of programs, with commas")
    parser.add_argument("--out", type=Path, help="keep the results directory")
    options = parser.parse_args(arguments)
    wanted, faults = [name for name in options.only.split(",") if name], 0
    print(
        "| program | environment | measured | predicted | explains most | unexplained | predicted / measured | right |"
    )
    with planted() as program, TemporaryDirectory(dir=Path.home()) as folder:
        commands = words_of(program, Path(folder))
        chosen = {name: words for name, words in commands.items() if not wanted or name in wanted}
        out = (options.out or Path(folder) / "out").absolute()
        for found in profiles(chosen, options.kinds, options.budget, out):
            name = found["workload"]
            for there in found["predictions"]:
                print(line_of(name, there))
                faults += wrong(name, there)
            slowed = found["counts"]["counted_s"] / found["counts"]["wall_s"]
            print(f"{name}: counting took {slowed:.1f} times as long")
    print(f"load at the end: {os.getloadavg()[0]:.1f}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
