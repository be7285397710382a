"""What commands printed, below a line that says which and where."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, Work, simulate, with_runs
from virtometer.cli.timing.outputs import differing, shown
from virtometer.model import Campaign, Run

COMMAND = Work("ls", "command", "time", "s", 0.02)


def printing(**texts: str | None) -> Campaign:
    def printed(run: Run) -> Run:
        return replace(run, report=replace(run.reported, output=texts[run.placement.environment]))

    return with_runs(simulate([Place("native"), Place("box", "runc")], [COMMAND]), printed)


def test_a_text_stands_below_its_command_and_place() -> None:
    title, *lines = shown("ls", "native", "a\n\x1b[2Jb\n").splitlines()
    assert "ls" in title and "native" in title
    assert lines == ["a", r"\x1b[2Jb"]
    assert len(shown("true", "native", "").splitlines()) == 2


def test_only_what_another_environment_prints_otherwise_is_shown() -> None:
    assert not list(differing(printing(native="a\n", box="a\n")))
    assert not list(differing(printing(native=None, box=None)))
    assert list(differing(printing(native="a\n", box="b\n"))) == [shown("ls", "box", "b\n")]
    assert list(differing(printing(native=None, box=""))) == [shown("ls", "box", "")]
