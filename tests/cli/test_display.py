"""The display: what fits is shown, whatever the width."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from virtometer.analysis.running import Running
from virtometer.cli.display import LiveDisplay, PlainDisplay, cell, display, left
from virtometer.model import Estimate, Placement, Trial, TrialRecord

ENVIRONMENTS = ["native", "runc", "bubblewrap", "gVisor", "user-mode Linux", "QEMU (emulated)"]
PLANNED = [Trial(n, 0, n, n, (Placement(name, "memory triad 64 MB"),)) for n, name in enumerate(ENVIRONMENTS)]


def running(value: float, low: float | None, high: float | None) -> Running:
    return Running(1.0, "B/s", "higher", 7, Estimate(value, low, high, 7))


ESTIMATES = {("memory triad 64 MB", name): running(0.87654, 0.81, 0.95) for name in ENVIRONMENTS[1:]}


def record(trial: Trial, reason: str = "") -> TrialRecord:
    return TrialRecord(trial, "failed" if reason else "done", reason, "", 1.0, 0, None, (), ())


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (-3, "0:00"), (61.4, "1:01"), (3600, "1:00:00")])
def test_time_left(seconds: float, shown: str) -> None:
    assert left(seconds) == shown


def test_cells() -> None:
    assert cell(None) == ""
    assert cell(Running(1.0, "s", "lower", 1, None)) == "1"
    assert cell(running(0.87654, None, None)) == "0.877"
    assert cell(running(0.87654, 0.81, 0.95)) == "0.877 [0.81, 0.95]"
    assert cell(running(0.87654, 0.81, 0.95), long=False) == "0.877"


@pytest.mark.parametrize(("width", "there", "absent"), [
    (200, "0.877 [0.81, 0.95]", "nothing"),
    (120, "0.877", "[0.81"),
    (80, "0.877", "[0.81"),
    (60, "trial 2/6", "0.877"),
])  # fmt: skip
def test_what_does_not_fit_is_left_out(width: int, there: str, absent: str) -> None:
    file = io.StringIO()
    console = Console(file=file, width=width, height=40, force_terminal=True, color_system=None)
    with LiveDisplay(console) as shown:
        shown.begun(Path("r"), PLANNED, 0)
        shown.trial_started(PLANNED[0])
        shown.trial_finished(record(PLANNED[0]), 1, 6, 75.0, ESTIMATES)
    text = file.getvalue()
    assert there in text
    assert absent not in text
    assert "block 1/1" in text


def test_nothing_is_drawn_while_a_trial_runs() -> None:
    """No thread refreshes the display: it draws when it is told, and then only."""
    file = io.StringIO()
    console = Console(file=file, width=100, height=40, force_terminal=True)
    with LiveDisplay(console) as shown:
        assert not shown._live.auto_refresh
        assert shown._live._refresh_thread is None


def test_plain_lines() -> None:
    file = io.StringIO()
    shown = display(Console(file=file, width=40))
    assert type(shown) is PlainDisplay
    with shown:
        shown.swept(["the guest v1-2 of a laboratory that was killed"])
        shown.begun(Path("r"), PLANNED, 2)
        shown.message("KVM is not available here: [no] device")
        shown.guest_starting("runc")
        shown.trial_started(PLANNED[1])
        shown.trial_finished(record(PLANNED[1]), 3, 6, 30.0, ESTIMATES)
        shown.trial_finished(record(PLANNED[2], "it died"), 4, 6, 20.0, ESTIMATES)
    assert file.getvalue().splitlines() == [
        "cleaned up: the guest v1-2 of a laboratory that was killed",
        "results: r; 6 trials in 1 block, 2 of them done before",
        "KVM is not available here: [no] device",
        "block 1/1, trial 3/6, memory triad 64 MB in runc, efficiency so far 0.877 [0.81, 0.95], 0:30 left",
        "block 1/1, trial 4/6, memory triad 64 MB in bubblewrap, failed: it died, 0:20 left",
    ]
