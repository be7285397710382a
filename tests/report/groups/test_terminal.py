"""Groups of guests on the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from tests.analysis.loaded_campaigns import growing
from tests.report.group_campaigns import group_campaign
from virtometer.analysis import analyse
from virtometer.report.groups.terminal import terminal


@pytest.mark.parametrize("width", [60, 140])
def test_the_terminal_fits_any_width(width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    for one in terminal(analyse(group_campaign(blocks=6))):
        console.print(one)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "growing" in out.getvalue() and "under load" in out.getvalue()
    if width == 140:
        assert "linpack in runc" in out.getvalue() and "always the same gets less" in out.getvalue()
        assert "runc #3 0.8" in out.getvalue() and "(6 of 6)" in out.getvalue()
        assert "alone  3" in out.getvalue()


def test_the_knee_of_several_guests_follows_their_tables() -> None:
    shown = [one.plain for one in terminal(analyse(growing())) if isinstance(one, Text)]
    (said,) = [text for text in shown if "knee" in text]
    assert said.startswith("growing, 2 guests: knee of open loop, ")
    assert ": box " in said and "[4,000, 8,000]." in said


def test_a_note_that_several_groups_share_is_reported_once() -> None:
    shown = [one.plain for one in terminal(analyse(group_campaign(blocks=3))) if isinstance(one, Text)]
    said = [text.partition(": ")[2] for text in shown if " × " in text]
    assert said
    (few,) = [text for text in shown if "× 2" in text and "× 3" in text][:1]
    assert "; " in few.partition(": ")[0]


def test_what_the_watcher_took_stands_below_each_scenario() -> None:
    shown = [one.plain for one in terminal(analyse(group_campaign(blocks=3))) if isinstance(one, Text)]
    said = [text for text in shown if "watcher" in text]
    assert said and set(said) == {" the watcher took 0.20 % of a processor"}
