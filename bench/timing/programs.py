"""Programs that users time, by `virtometer time` in each kind of environment: do they work there, with one answer?

    python -m bench.timing.programs [--in native,runc,bubblewrap,gvisor,uml,qemu] [--runs 2] [--only find ...]

Python, a loop of bash, gzip, SQLite with fsync, make of a small project in C, find over /usr/include, and openssl
speed, whose value is compared. /usr has twenty times as many files, which take minutes by 9p in an emulated guest. Each
is a campaign of the command line. Prints a row for each program: the time of a run in each environment, and whether all
runs had the same answer. The exit status is 1 where an answer differs or is missing, a file was left in the directory,
or a process, a mount or a guest was left on the host. Needs gcc, make, sqlite3 and openssl.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.campaigns import runs_by_kind
from bench.traces import VARIABLE, Laboratories, traces
from virtometer.analysis.describe.samples import timed_samples
from virtometer.store.ledger import Ledger

_KINDS = "native,runc,bubblewrap,gvisor,uml,qemu"
_MAKEFILE = """\
objects := a.o b.o c.o
program: $(objects)
\tcc -o $@ $(objects)
%.o: %.c
\tcc -O2 -c -o $@ $<
"""
_SOURCES = {
    "a.c": "int b(int); int c(int); int main(void) { return b(1) + c(2) != 9; }\n",
    "b.c": '#include <stdio.h>\nint b(int n) { printf("%d\\n", n); return n + 1; }\n',
    "c.c": "#include <string.h>\nint c(int n) { char of[64]; memset(of, n, sizeof of); return of[n] + 5; }\n",
}
_ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)"
_SQL = "".join(
    ["PRAGMA synchronous=FULL; CREATE TABLE t(i INTEGER PRIMARY KEY, v TEXT);"]
    + [f"INSERT INTO t(v) {_ROWS} SELECT hex(i * {number}) FROM n;" for number in range(20)]
    + ["SELECT count(*), sum(length(v)) FROM t;"]
)

_MADE = {"data.gz", "rows.db", "program", "a.o", "b.o", "c.o"}
"""What the programs make natively, in the directory itself."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command with the options of `virtometer time` that it needs.

    unit: of the value that it prints, which is the result instead of the time. `--runs` does not hold then.
    """

    name: str
    words: Sequence[str]
    unit: str = ""


PROGRAMS = (
    Program("Python", ["python3 -c 'sum(range(10**7))'"]),
    Program("bash", ["bash -c 'for i in {1..100000}; do :; done'"]),
    Program("gzip", ["--prepare", "rm -f data.gz", "--check-file", "data.gz", "gzip -k data"]),
    Program("SQLite with fsync", ["--prepare", "rm -f rows.db", f'sqlite3 rows.db "{_SQL}"']),
    Program("make", ["--prepare", "rm -f program a.o b.o c.o", "make"]),
    Program("find", ["-S", "sh", "find /usr/include -name '*.h' | sort | sha256sum"]),
    Program(
        "openssl speed",
        ["--output-may-differ", "--value", r"^sha256 +([0-9.]+)k", "--unit", "kB/s", "--better", "higher",
         "openssl speed -seconds 1 -bytes 16384 sha256"],
        unit="kB/s",
    ),
)  # fmt: skip


def prepare(folder: Path) -> None:
    """Files for all programs: 4 MB that compress to about a third, and a project."""
    (folder / "data").write_text("".join(f"{number * number} {number:x}\n" for number in range(250_000))[: 4 << 20])
    (folder / "Makefile").write_text(_MAKEFILE)
    for name, text in _SOURCES.items():
        (folder / name).write_text(text)


def measured(
    one: Program, kinds: str, runs: int, folder: Path, out: Path, variables: Mapping[str, str], pids: list[int]
) -> Mapping[str, tuple[float, set[str]]]:
    """By kind: the median time of the timed runs, s, or the median value, and all answers.

    pids: gets the laboratory's id.
    """
    length = ["--budget", "1s"] if one.unit else ["-r", str(runs)]
    words = ["time", "--in", kinds, *length, "--beside", "--out", str(out), *one.words]
    process = subprocess.Popen(
        [sys.executable, "-m", "virtometer", *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, **variables},
    )  # fmt: skip
    pids.append(process.pid)
    _, said = process.communicate()
    if process.returncode:
        print(f"{one.name}: status {process.returncode}: {said[-2000:]}", file=sys.stderr)
    if not (out / "ledger.sqlite").exists():
        return {}
    with Ledger.open(out) as ledger:
        campaign = ledger.read()
    times: dict[str, list[float]] = {}
    answers: dict[str, set[str]] = {}
    for kind, run in runs_by_kind(campaign):
        values = [run.scored.value] if one.unit else timed_samples(run).rate.tolist()
        times.setdefault(kind, []).extend(values)
        answers.setdefault(kind, set()).add(str(run.conditions.get("answer", "not compared")))
    return {kind: (statistics.median(some), answers[kind]) for kind, some in times.items() if some}


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all programs, print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--in", dest="kinds", default=_KINDS, metavar="KINDS")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[one.name for one in PROGRAMS], help="of programs")
    options = parser.parse_args(arguments)
    kinds = options.kinds.split(",")
    programs = [one for one in PROGRAMS if not options.only or one.name in options.only]
    faults: list[str] = []
    print(f"| program | {' | '.join(kinds)} | answers | took |\n|---|{'---|' * (len(kinds) + 2)}", flush=True)
    pids: list[int] = []
    with tempfile.TemporaryDirectory(prefix="virtometer-bench-programs-") as made:
        folder, temporary, mark = Path(made) / "here", Path(made) / "temporary", uuid.uuid4().hex
        Path(made).chmod(0o711)  # below a directory that others cannot enter runsc does not start
        for new in (folder, temporary):
            new.mkdir()
        variables = {VARIABLE: mark, "TMPDIR": str(temporary)}
        prepare(folder)
        known = {path.name for path in folder.iterdir()} | _MADE
        for number, one in enumerate(programs):
            begun, out = time.monotonic(), Path(made) / f"out{number}"
            found = measured(one, options.kinds, options.runs, folder, out, variables, pids)
            answers = set().union(*(some for _, some in found.values()))
            missing = [kind for kind in kinds if kind not in found]
            same = len(answers) == 1 and not missing
            if not same:
                faults.append(f"{one.name}: {len(answers)} answers; missing: {', '.join(missing) or 'none'}")
            cells = [f"{found[kind][0]:.3g} {one.unit or 's'}" if kind in found else "missing" for kind in kinds]
            verdict = f"{'one' if same else 'DIFFERENT'} ({', '.join(sorted(answers))})"
            print(f"| {one.name} | {' | '.join(cells)} | {verdict} | {time.monotonic() - begun:.0f} s |", flush=True)
            faults += [f"after {one.name}: {line}" for line in traces(Laboratories(pids, mark, [out, temporary]))]
        faults += [f"{name} was left" for name in sorted({path.name for path in folder.iterdir()} - known)]
    print("\n".join(faults) or f"{len(programs)} programs x {len(kinds)} environments: one answer each, nothing left")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
