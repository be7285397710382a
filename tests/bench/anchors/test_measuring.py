"""The order of runs, what an interruption and a failure leave, and what is concluded from it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bench.anchors.measuring import Measured, Outcome, Side, conclude, measure
from bench.anchors.program import Program
from bench.anchors.record import cells, told
from bench.anchors.rows import COMPUTE, Row
from bench.anchors.running import Run, RunFailed

AGENT = Program("{agent}", "", float)
ANCHOR = Program("anchor", "", float, package="a-package")
ROW = Row("group.row", "B/s", AGENT, ANCHOR, 2.0, COMPUTE)


LAST = ("yes", "", " / anchor ")  # alike, in use, compared


class Scripted:
    """Gives a figure for each run: 10 for the agent, 4 for the anchor, or what `disturb` makes of the run's number."""

    def __init__(self, disturb: Callable[[int], None] = lambda number: None) -> None:
        self.ran: list[str] = []
        self.pages: list[tuple[str, str]] = []
        self.disturb = disturb

    def run(self, program: Program, pages: str) -> Run:
        self.disturb(len(self.ran))
        self.pages.append((program.file, pages))
        self.ran.append(program.file)
        in_use = "core X" if program is ANCHOR else ""
        return Run(10.0 if program is AGENT else 4.0, [program.file], 1.0, "", in_use=in_use)


def measured_with(runner: Any, pairs: int) -> tuple[Measured, list[tuple[int, Side]]]:
    measured = Measured(ROW)
    kept: list[tuple[int, Side]] = []
    measure(measured, runner, pairs, lambda row, block, side, run: kept.append((block, side)))
    return measured, kept


def test_agent_and_anchor_alternate_and_the_control_meets_the_agent_in_the_same_way() -> None:
    measured, kept = measured_with(Scripted(), 3)
    control, agent, anchor = "control", "agent", "anchor"
    there, back = [control, agent, anchor], [anchor, agent, control]
    assert [side for _, side in kept] == [*there, *back, *there]
    assert [block for block, _ in kept] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert measured.figures == {"control": [10.0] * 3, "agent": [10.0] * 3, "anchor": [4.0] * 3}


@pytest.mark.parametrize(
    ("pages", "agent", "anchor"), [("small", "small", "small"), ("huge", "huge", "huge"), ("best", "own", "small")]
)
def test_both_sides_get_the_pages_that_the_row_states(pages: Any, agent: str, anchor: str) -> None:
    runner: Any = Scripted()
    measure(Measured(replace(ROW, pages=pages)), runner, 1, lambda row, block, side, run: None)
    assert runner.pages == [("{agent}", agent), ("{agent}", agent), ("anchor", anchor)]


def test_a_complete_row_is_concluded() -> None:
    outcome = conclude(measured_with(Scripted(), 11)[0])
    assert outcome.verdict.word == "met"
    assert cells(outcome) == (
        "group.row",
        "2.500",
        "2.500 to 2.500",
        ">= 2.00",
        "1.000 (±3%)",
        "11",
        "10 B/s",
        "4 B/s",
        "met",
        "yes",
        "anchor: core X",
        " / anchor ",
    )


def interrupt(number: int) -> None:
    if number == 7:
        raise KeyboardInterrupt


def test_an_interrupted_row_keeps_its_complete_blocks_and_every_run() -> None:
    measured, kept = Measured(ROW), []
    with pytest.raises(KeyboardInterrupt):
        measure(measured, Scripted(interrupt), 11, lambda row, block, side, run: kept.append(side))  # type: ignore[arg-type]
    assert (len(kept), measured.figures["agent"], measured.figures["anchor"]) == (7, [10.0, 10.0], [4.0, 4.0])
    assert conclude(measured).verdict.reason == "too few pairs for an interval: 2"


def fail(number: int) -> None:
    if number == 20:
        raise RunFailed("it | broke\nhere")


def test_a_failed_row_has_a_reason_and_no_ratio() -> None:
    measured, kept = measured_with(Scripted(fail), 11)
    outcome = conclude(measured)
    assert len(kept) == 20
    assert (outcome.verdict.word, outcome.ratio, outcome.agent) == ("failed", None, None)
    assert cells(outcome) == ("group.row", "", "", ">= 2.00", "", "", "", "", "failed: it / broke here", *LAST)
    assert conclude(Measured(ROW)) == Outcome(ROW, conclude(Measured(ROW)).verdict)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (28.42e9, "B/s", "28.42 GB/s"),
        (20830.0, "1/s", "20.83 k/s"),
        (999.0, "1/s", "999 1/s"),
        (7.6e-8, "s", "76 ns"),
        (2.3e-6, "s", "2.3 us"),
    ],
)
def test_figures_have_prefixes(value: float, unit: str, text: str) -> None:
    assert told(value, unit) == text
