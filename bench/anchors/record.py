"""What a bench leaves behind: facts.json, one line of runs.jsonl for every run, and table.md."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.anchors.alike import differences
from bench.anchors.measuring import Outcome, Side
from bench.anchors.program import Program
from bench.anchors.rows import Row
from bench.anchors.running import Run
from virtometer.runner.lab.agent import agent_digest

KEPT = 20_000  # characters of what a run printed that are kept
VERSIONS = {"likwid-bench": "-v", "netserver": "-V", "netperf": "-V", "qperf": "--version", "iperf3": "--version"}
_FIGURES = ("ratio", "interval", "demand", "A/A", "pairs", "agent", "anchor")
HEADINGS = ("row", *_FIGURES, "verdict", "alike", "in use", "compared")


class Record:
    """A folder of one bench. Every run is on the disk before the next begins."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder; it must not exist."""
        folder.mkdir(parents=True)
        self.folder = folder
        self._runs = (folder / "runs.jsonl").open("a")

    def facts(self, agent: Path, rows: Sequence[Row], options: object) -> None:
        """What the figures depend on: host, versions of the tools, options."""
        programs = {row.anchor.file for row in rows if not row.anchor.file.startswith("{")}
        told = {
            "began": _now(),
            "options": options,
            "host": _host(),
            "agent": {"version": _says([str(agent), "--version"]), "sha256": agent_digest(agent)},
            "tools": {name: _says([name, VERSIONS.get(name, "--version")]) for name in sorted(programs)},
            "libraries": sorted({str(p) for row in rows for n in row.anchor.needs for p in Path("/").glob(n)}),
        }
        (self.folder / "facts.json").write_text(json.dumps(told, indent=1) + "\n")

    def run(self, row: Row, block: int, side: Side, run: Run) -> None:
        """Keep one run. Of the agent's single samples only their number is kept."""
        program = row.anchor if side == "anchor" else row.agent
        told = {"row": row.name, "block": block, "side": side, "at": _now(), "figure": run.figure, "unit": row.unit}
        told |= {"argv": run.argv, "pages": run.pages, "server": program.server, "wall_s": round(run.wall_s, 4)}
        told |= {"environment": dict(program.environment), "in_use": run.in_use, "differs": differences(row)}
        told["output"] = _shortened(program, run.output)
        self._runs.write(json.dumps(told) + "\n")
        self._runs.flush()

    def table(self, outcomes: Iterable[Outcome]) -> None:
        """Write the table of what is known so far."""
        lines = [HEADINGS, tuple("---" for _ in HEADINGS), *(cells(outcome) for outcome in outcomes)]
        text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        (self.folder / "table.md").write_text(f"{text}\n{EXPLANATION}\n")

    def close(self) -> None:
        """Nothing more will be kept."""
        self._runs.close()


EXPLANATION = """\
Ratio: the median over the pairs of agent / anchor, for times anchor / agent; above 1 the agent is better. The
interval is the exact order-statistic interval of that median (from the k-th smallest to the k-th largest ratio,
coverage at least 95 %). A/A: the agent against itself in the same blocks. `met`: the whole interval reaches the
demand; `missed`: none of it does; `inconclusive`: it holds the demand, or A/A is out of its tolerance. Figures are
medians. Alike: whether both sides do the same work under the same conditions, or in what they differ. In use: what the
programs said that their figures depend on."""


def cells(outcome: Outcome) -> tuple[str, ...]:
    """The cells of a line, as in HEADINGS."""
    row, ratio, control = outcome.row, outcome.ratio, outcome.control
    verdict = f"{outcome.verdict.word}: {outcome.verdict.reason}" if outcome.verdict.reason else outcome.verdict.word
    verdict = " ".join(verdict.replace("|", "/").split())
    demand = f">= {row.demand:.2f}"
    differs = differences(row)
    last = (f"no: {differs}" if differs else "yes", outcome.in_use.replace("|", "/"), row.compared)
    if ratio is None or control is None or outcome.agent is None or outcome.anchor is None:
        return (row.name, "", "", demand, "", "", "", "", verdict, *last)
    interval = "" if ratio.low is None else f"{ratio.low:.3f} to {ratio.high:.3f}"
    checked = f"{control.median:.3f} (±{row.noise.tolerance:.0%})"
    figures = (told(outcome.agent, row.unit), told(outcome.anchor, row.unit))
    return (row.name, f"{ratio.median:.3f}", interval, demand, checked, str(ratio.n), *figures, verdict, *last)


def told(value: float, unit: str) -> str:
    """A figure with a prefix of SI: 12.3 GB/s, 456 ns, 20.8 k/s."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")):
        if value >= factor:
            return f"{value / factor:.4g} {prefix}{unit.removeprefix('1') if prefix else unit}"
    return f"{value:g} {unit}"


def _shortened(program: Program, output: str) -> object:
    if program.file != "{agent}":
        return output[:KEPT]
    answer = json.loads(output)
    return {**answer, "samples": len(answer["samples"]), "facts": None}


def _says(argv: list[str]) -> str:
    """The first line that a program says about its version; empty where it says nothing."""
    try:
        ran = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next((line.strip() for line in (ran.stdout + ran.stderr).splitlines() if line.strip()), "")


def _host() -> dict[str, object]:
    described = Path("/proc/cpuinfo").read_text()
    models = sorted(
        {line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name")}
    )
    pages = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return {
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu": models,
        "cpus": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "transparent_hugepage": pages.read_text().strip() if pages.exists() else "",
        "load": list(os.getloadavg()),
    }


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
