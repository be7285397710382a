"""Profiles on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.analysis.profile_campaigns import profiled
from virtometer.report.profile.terminal import terminal


def shown(width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    for one in terminal(profiled(measured=4.0).profiles):
        console.print(one)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_every_width_has_prediction_measurement_and_rest(width: int) -> None:
    lines = [line.split() for line in shown(width).splitlines()]
    first = {line[0]: line for line in lines if line}
    assert {"predicted", "measured", "unexplained", "simple"} <= set(first)
    assert ["+200", "%"] in lines
    assert all(len(line) <= width for line in shown(width).splitlines())


def test_none_is_nothing() -> None:
    assert [*terminal(())] == []
