"""Measures one row in blocks, and says what came of it.

A block is three runs: control, agent, anchor, and in every second block in the opposite order. So agent and anchor
alternate AB BA, the control (the agent once more) meets the agent in just the same way, and what drifts slowly falls
out of both ratios.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from bench.anchors.rows import Row
from bench.anchors.running import Run, RunFailed, Runner
from bench.anchors.statistics import Estimate, Verdict, estimate, ratios, verdict

Side = Literal["control", "agent", "anchor"]
ORDERS: tuple[tuple[Side, ...], ...] = (("control", "agent", "anchor"), ("anchor", "agent", "control"))


@dataclass(slots=True)
class Measured:
    """The figures of a row's complete blocks, by side, in the row's unit; and why it ended early, if it did."""

    row: Row
    figures: dict[Side, list[float]] = field(default_factory=lambda: {"control": [], "agent": [], "anchor": []})
    failure: str = ""
    in_use: dict[Side, set[str]] = field(default_factory=lambda: {"control": set(), "agent": set(), "anchor": set()})


@dataclass(frozen=True, slots=True)
class Outcome:
    """A line of the table. Ratios and the medians of both figures are None where nothing can be said. `in_use` says
    what the figures of both sides depend on."""

    row: Row
    verdict: Verdict
    ratio: Estimate | None = None
    control: Estimate | None = None
    agent: float | None = None
    anchor: float | None = None
    in_use: str = ""


def measure(measured: Measured, runner: Runner, pairs: int, keep: Callable[[Row, int, Side, Run], None]) -> None:
    """Run so many blocks. `keep` is told every run at once, and `measured` holds every complete block, also when this
    is interrupted. A run that fails ends the row."""
    row = measured.row
    for block in range(pairs):
        runs: dict[Side, Run] = {}
        for side in ORDERS[block % 2]:
            # What an earlier run has written would be written back during this one.
            os.sync()
            try:
                program = row.anchor if side == "anchor" else row.agent
                runs[side] = runner.run(program, row.pages_of(side))
            except RunFailed as failed:
                measured.failure = str(failed)
                return
            keep(row, block, side, runs[side])
        for side, run in runs.items():
            measured.figures[side].append(run.figure)
            measured.in_use[side] |= {run.in_use} - {""}


def conclude(measured: Measured) -> Outcome:
    """The ratios and the verdict of what was measured; a row that failed has none, whatever it measured before."""
    row, figures = measured.row, measured.figures
    if measured.failure or not figures["agent"]:
        return Outcome(row, Verdict("failed", measured.failure or "no block was completed"))
    lower = row.unit == "s"
    ratio = estimate(ratios(figures["agent"], figures["anchor"], lower_is_better=lower))
    control = estimate(ratios(figures["control"], figures["agent"], lower_is_better=lower))
    found = verdict(ratio, control, row.demand, row.noise.tolerance)
    medians = (median(figures["agent"]), median(figures["anchor"]))
    return Outcome(row, found, ratio, control, *medians, _in_use(measured))


def _in_use(measured: Measured) -> str:
    """What was in use on both sides, in all blocks."""
    sides = {"agent": measured.in_use["agent"] | measured.in_use["control"], "anchor": measured.in_use["anchor"]}
    return "; ".join(f"{side}: {' or '.join(sorted(texts))}" for side, texts in sides.items() if texts)
