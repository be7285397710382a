"""Measure the agent's kernels side by side with the tools that users know.

    python -m bench.anchors [--only ROW ...] [--pairs N] [--seconds S] [--disk-seconds S] [--list]

Each row alternates the agent and its anchor, with the agent against itself as a control in the same blocks. Raw
figures go to results/bench-TIME/runs.jsonl as they come, the table to table.md beside it, also after Ctrl-C.
"""

from __future__ import annotations

import argparse
import datetime
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bench.anchors.alike import differences
from bench.anchors.measuring import Measured, Outcome, conclude, measure
from bench.anchors.parsers import agent_figure
from bench.anchors.program import CACHED, Place, Program
from bench.anchors.record import HEADINGS, Record, cells
from bench.anchors.rows import ROWS, Row
from bench.anchors.running import RunFailed, Runner
from bench.anchors.statistics import Verdict
from virtometer.errors import VirtometerError
from virtometer.runner.lab.agent import agent_path

GIB = 2**30
WIDTHS = (max(len(row.name) for row in ROWS), 6, 16, 7, 12, 5, 13, 13, 0)


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.anchors", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--only", metavar="ROW", action="append", default=[], help="rows or groups, by name or its beginning"
    )
    parser.add_argument("--pairs", type=int, help="pairs of each row (default 21)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a run (default 1)")
    parser.add_argument("--disk-seconds", type=float, help="length of a run of the disk rows (default: as the others)")
    parser.add_argument("--list", action="store_true", help="name the rows and their demands, and end")
    parser.add_argument("--out", type=Path, help="folder for the results (default results/bench-TIME)")
    parser.add_argument("--span", type=int, default=GIB, help="bytes of the file that disk rows use (default 1 GiB)")
    arguments = parser.parse_args()
    if arguments.pairs is not None and arguments.pairs < 1:
        parser.error("--pairs must be at least 1")
    if arguments.disk_seconds is None:
        arguments.disk_seconds = arguments.seconds
    if not all(0.01 <= seconds <= 60 for seconds in (arguments.seconds, arguments.disk_seconds)):
        parser.error("--seconds and --disk-seconds must be from 0.01 to 60")
    if arguments.span < 64 * 2**20 or arguments.span % 2**22:
        parser.error("--span must be a multiple of 4 MiB, at least 64 MiB")
    return arguments


def chosen(only: Sequence[str]) -> list[Row]:
    """The rows that these words name, which may be separated by commas or blanks: a whole name, or the beginning of
    several. All rows without any. Raises ValueError naming a word that fits no row."""
    names = [row.name for row in ROWS]
    wanted: set[str] = set()
    for word in (word for text in only for word in text.replace(",", " ").split()):
        found = {word} & set(names) or {name for name in names if name.startswith(word)}
        if not found:
            raise ValueError(f"no row's name begins with {word!r}; --list names them")
        wanted |= found
    return [row for row in ROWS if row.name in wanted or not wanted]


def block_s(row: Row, seconds: float) -> float:
    """How long a block of three runs takes, in s. Some anchors take whole seconds only."""
    anchor_s = max(1.0, seconds) if "{whole}" in row.anchor.arguments else seconds
    return 2 * (seconds + row.agent.overhead_s) + anchor_s + row.anchor.overhead_s


def forecast_s(rows: Sequence[Row], pairs: int | None, seconds_of: Callable[[Row], float]) -> float:
    """How long these rows take, in s."""
    return sum((pairs or row.noise.pairs) * block_s(row, seconds_of(row)) for row in rows)


def not_found(rows: Sequence[Row]) -> list[str]:
    """The tools that these rows want, that a user has to build, and that are not here."""
    missing = {row.anchor.file: row.anchor.missing() for row in rows if not row.anchor.package}
    absent = {what if file.startswith("{") else file for file, what in missing.items() if what is not None}
    return sorted(absent)


def place_in(folder: Path, arguments: argparse.Namespace) -> Place:
    """Where the runs are: the first processors that are allowed, and a file in the folder of the results."""
    cpus = sorted(os.sched_getaffinity(0))
    return Place(
        agent=agent_path(),
        python=Path(sys.executable),
        cpu=cpus[0],
        other=cpus[min(1, len(cpus) - 1)],
        seconds=arguments.seconds,
        file=folder.resolve() / "disk-file",
        span=arguments.span,
        cached=folder.resolve() / "cached-file",
    )


def fill(place: Place, rows: Sequence[Row]) -> None:
    """Make the files that rows use. Raises RunFailed."""
    if any("{cached}" in row.anchor.arguments for row in rows):
        place.cached.write_bytes(bytes(CACHED))
    if any("{file}" in row.agent.arguments for row in rows):
        print(f"fills {place.file} with {2 * place.span / GIB:g} GiB", flush=True)
        measure = f"measure disk --op fill --file {{file}} --span {2 * place.span} --json"
        Runner(place).run(Program("{agent}", measure, agent_figure("B/s"), cpus=""))


def measure_rows(
    rows: Sequence[Row], runner_for: Callable[[Row], Runner], pairs: int | None, record: Record
) -> list[Outcome]:
    """Measure row after row, and print and keep each outcome as soon as it is known; fewer after Ctrl-C."""
    outcomes: list[Outcome] = []
    print(line(HEADINGS))
    for row in rows:
        measured, interrupted = Measured(row), False
        absent = row.anchor.missing()
        try:
            if absent is None:
                measure(measured, runner_for(row), pairs or row.noise.pairs, record.run)
        except KeyboardInterrupt:
            interrupted = True
        if not interrupted or measured.figures["agent"]:
            outcomes.append(conclude(measured) if absent is None else Outcome(row, Verdict("anchor missing", absent)))
            print("\n".join(lines(cells(outcomes[-1]))), flush=True)
            record.table(outcomes)
        if interrupted:
            print(f"interrupted in {row.name}", flush=True)
            break
    return outcomes


def line(texts: Sequence[str]) -> str:
    """One line of the table for a terminal, up to the verdict."""
    return "  ".join(text.ljust(width) for text, width in zip(texts, WIDTHS, strict=False)).rstrip()


def lines(texts: Sequence[str]) -> list[str]:
    """A row for a terminal: its line, and below it in what its sides differ and what was in use, if anything."""
    named = dict(zip(HEADINGS, texts, strict=True))
    differs, in_use = named["alike"].partition("no: ")[2], named["in use"]
    below = [f"    not alike: {differs}"] * bool(differs) + [f"    in use: {in_use}"] * bool(in_use)
    return [line(texts), *below]


def main() -> int:
    arguments = options()
    try:
        wanted = chosen(arguments.only)
    except ValueError as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return 2
    rows = [row for row in wanted if row.anchor.package or row.anchor.missing() is None]
    if arguments.list:
        for row in rows:
            alike = "not alike" if differences(row) else "alike"
            print(f"{row.name:<{WIDTHS[0]}} >= {row.demand:.2f}  {row.noise.pairs} pairs  {alike:<9}  {row.compared}")
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = arguments.out or Path("results") / f"bench-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    place = place_in(folder, arguments)
    record = Record(folder)

    def seconds_of(row: Row) -> float:
        return float(arguments.disk_seconds if row.group == "disk" else arguments.seconds)

    minutes = forecast_s(rows, arguments.pairs, seconds_of) / 60
    print(f"{len(rows)} rows, about {minutes:.0f} minutes on an idle machine; raw figures go to {folder}", flush=True)
    if absent := not_found(wanted):
        missing = f"{len(wanted) - len(rows)} rows are left out, not found: {', '.join(absent)}"
        print(f"{missing} (see docs/kernels/other-tools.md)")
    told = {name: getattr(arguments, name) for name in ("only", "pairs", "seconds", "disk_seconds", "span")}
    record.facts(place.agent, rows, told)
    outcomes = []
    try:
        fill(place, rows)
        outcomes = measure_rows(
            rows, lambda row: Runner(replace(place, seconds=seconds_of(row))), arguments.pairs, record
        )
    finally:
        place.file.unlink(missing_ok=True)
        place.cached.unlink(missing_ok=True)
        record.close()
    print(f"The table is in {folder / 'table.md'}, raw figures in {folder / 'runs.jsonl'}.")
    return 1 if any(outcome.verdict.word in {"missed", "failed"} for outcome in outcomes) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (VirtometerError, RunFailed, OSError) as fault:
        sys.exit(f"bench: {getattr(fault, 'sentence', fault)}")
    except KeyboardInterrupt:
        sys.exit(130)
