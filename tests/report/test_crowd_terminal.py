"""Several guests on the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.report.crowds import crowd
from virtometer.analysis import analyse
from virtometer.report.crowd_terminal import terminal


@pytest.mark.parametrize("width", [60, 140])
def test_the_terminal_fits_any_width(width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    for one in terminal(analyse(crowd(blocks=6))):
        console.print(one)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "growing" in out.getvalue() and "under load" in out.getvalue()
    if width == 140:
        assert "linpack in runc" in out.getvalue() and "always the same gets less" in out.getvalue()
