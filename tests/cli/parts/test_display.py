"""The display: what fits is shown, whatever the width."""

from __future__ import annotations

import io
import re
import threading
from pathlib import Path

import pytest
from rich.console import Console

from tests.sentences import Said
from virtometer.analysis.live import LiveEstimate
from virtometer.cli.parts import display as displays
from virtometer.cli.parts.display import LiveDisplay, PlainDisplay, cell, display, remaining
from virtometer.model import Estimate, Failure, FailureKind, Placement, Plan, Quantity, Trial, TrialRecord
from virtometer.runner.campaign.remaining_time import TimeLeft

ENVIRONMENTS = ["native", "runc", "bubblewrap", "gVisor", "user-mode Linux", "QEMU (emulated)"]
PLAN = Plan.model_validate(
    {
        "virtometer": 1,
        "control": False,
        "name": "p",
        "baseline": "native",
        "environments": [{"name": name, "kind": "native"} for name in ENVIRONMENTS],
        "workloads": [
            {"name": name, "workload": "memory", "op": "triad"} for name in ("memory triad 64 MB", "a workload")
        ],
    }
)
PLANNED = [Trial(n, 0, n, n, (Placement(name, "memory triad 64 MB"),)) for n, name in enumerate(ENVIRONMENTS)]


def reached(value: float, unit: str) -> Quantity[Estimate]:
    return Quantity("native", "rate", unit, "higher", "geometric mean", Estimate(value, None, None, 1))


def live(value: float, low: float | None, high: float | None) -> LiveEstimate:
    return LiveEstimate(reached(1.0, "B/s"), 7, Estimate(value, low, high, 7))


ESTIMATES = {("memory triad 64 MB", name): live(0.87654, 0.81, 0.95) for name in ENVIRONMENTS[1:]}


DIED = Failure(FailureKind.GUEST, "it died")
NO_DISK = Failure(FailureKind.UNAVAILABLE, "no disk", 0)


def record(trial: Trial, failure: Failure | None = None) -> TrialRecord:
    return TrialRecord(trial, failure, "", 1.0, 0, None, (), ())


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(displays, "since", lambda: "since 12:00:00")


@pytest.mark.parametrize(("seconds", "unknown", "shown"), [
    (0, 0, "0:00 left"),
    (-3, 0, "0:00 left"),
    (61.4, 0, "1:01 left"),
    (3600, 0, "1:00:00 left"),
    (61.4, 1, "1:01 and 1 trial of unknown length left"),
    (61.4, 12, "1:01 and 12 trials of unknown length left"),
])  # fmt: skip
def test_time_left(seconds: float, unknown: int, shown: str) -> None:
    assert remaining(TimeLeft(seconds, unknown)) == shown


def test_cells() -> None:
    assert cell(None) == ""
    assert cell(LiveEstimate(reached(1.0, "s"), 1, None, baseline=True)) == "1"
    assert cell(LiveEstimate(reached(2.5e9, "B/s"), 1, None)) == "2.50 GB/s"  # the baseline has not run yet
    assert cell(live(0.87654, None, None)) == "0.877"
    assert cell(live(0.87654, 0.81, 0.95)) == "0.877 [0.81, 0.95]"
    assert cell(live(0.87654, 0.81, 0.95), long=False) == "0.877"


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
        shown.begun(Path("r"), PLAN, PLANNED, 0)
        shown.trial_started(PLANNED[0])
        shown.trial_finished(record(PLANNED[0]), 1, 6, TimeLeft(75.0), ESTIMATES)
    text = file.getvalue()
    assert there in text
    assert absent not in text
    assert "block 1/1" in text


def test_nothing_is_drawn_while_a_trial_runs() -> None:
    """No thread refreshes the display: it draws when it is told, and then only."""
    file = io.StringIO()
    console = Console(file=file, width=100, height=40, force_terminal=True)
    before = threading.enumerate()
    with LiveDisplay(console):
        assert threading.enumerate() == before


def test_plain_lines(said: Said) -> None:
    file = io.StringIO()
    shown = display(Console(file=file, width=40))
    assert type(shown) is PlainDisplay
    with shown:
        shown.cleaned_up(["the guest v1-2 of a laboratory that was killed"])
        shown.stage("checking runc")
        shown.begun(Path("r"), PLAN, PLANNED, 2)
        shown.message("KVM is not available here: [no] device")
        shown.guest_starting("runc")
        shown.trial_started(PLANNED[1])
        shown.guest_starting("runc")
        shown.trial_finished(record(PLANNED[1]), 3, 6, TimeLeft(30.0, 2), ESTIMATES)
        shown.trial_finished(record(PLANNED[2], DIED), 4, 6, TimeLeft(20.0), ESTIMATES)
        shown.trial_finished(record(PLANNED[3], NO_DISK), 5, 6, TimeLeft(10.0), ESTIMATES)
    lines = file.getvalue().splitlines()
    trials = [re.search(r"trial (\d)/6, .* in (\w+), .* (0:\d\d) ", line) for line in lines]
    assert trials[:5] == [None] * 5
    assert [found and found.groups() for found in trials[5:]] == [
        ("3", "runc", "0:30"), ("4", "bubblewrap", "0:20"), ("5", "gVisor", "0:10"),
    ]  # fmt: skip
    said(file.getvalue())


def test_one_is_singular() -> None:
    file = io.StringIO()
    PlainDisplay(Console(file=file, width=80)).begun(Path("r"), PLAN, PLANNED[:1], 0)
    assert file.getvalue() == "results: r; 1 trial in 1 block\n"


def test_rows_and_columns_are_in_the_order_of_the_plan() -> None:
    """The trials come in random order."""
    places = [("QEMU (emulated)", "a workload"), ("native", "memory triad 64 MB"), ("gVisor", "a workload")]
    planned = [Trial(n, 0, n, n, (Placement(*place),)) for n, place in enumerate(places)]
    file = io.StringIO()
    with LiveDisplay(Console(file=file, width=200, height=40, force_terminal=True, color_system=None)) as shown:
        shown.begun(Path("r"), PLAN, planned, 0)
        shown.trial_started(planned[0])
    text = file.getvalue()
    assert re.search(r"native +gVisor +QEMU \(emulated\)", text)
    assert text.rindex("\nmemory triad 64 MB") < text.rindex("\na workload")


def test_a_guest_that_is_starting_shows_since_when() -> None:
    file = io.StringIO()
    with LiveDisplay(Console(file=file, width=100, height=40, force_terminal=True, color_system=None)) as shown:
        shown.stage("checking user-mode Linux")
        shown.begun(Path("r"), PLAN, PLANNED, 0)
        shown.guest_starting("user-mode Linux")
        shown.trial_started(PLANNED[0])
    text = file.getvalue()
    stages = [
        "checking user-mode Linux, since 12:00:00",
        "preparing, since 12:00:00",
        "starting user-mode Linux, since 12:00:00",
        "memory triad 64 MB in native, since 12:00:00",
    ]
    assert [text.index(stage) for stage in stages] == sorted(text.index(stage) for stage in stages)


def test_what_cannot_be_done_here_is_no_failure_and_is_reported_once() -> None:
    file = io.StringIO()
    with LiveDisplay(Console(file=file, width=100, height=40, force_terminal=True, color_system=None)) as shown:
        shown.begun(Path("r"), PLAN, PLANNED, 0)
        for done in (1, 2):
            shown.trial_finished(record(PLANNED[1], NO_DISK), done, 6, TimeLeft(1.0), {})
        shown.trial_finished(record(PLANNED[2], DIED), 3, 6, TimeLeft(1.0), {})
    text = file.getvalue()
    assert text.count(" 64 MB in runc: not available here: no disk") == 1
    assert text.count("failed") == 1
    assert "memory triad 64 MB in bubblewrap: failed: it died" in text
