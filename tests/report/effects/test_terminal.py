"""Effects on the terminal: fits 60 columns, says all in words, loads nothing that draws."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.console import Console

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, experiment, response
from tests.analysis.effects.known_effects import EIGHT, variables
from virtometer.analysis.effects.effect import Effects
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Response
from virtometer.report.effects.terminal import terminal

ALL = (AIO, CACHE, DUMMY)


def printed(of: Effects, width: int = 100) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False)
    for part in terminal(of):
        console.print(part)
    return out.getvalue()


FOUND = effects(experiment(response(ALL, lambda one: 0.2 * (one["aio"] == "io_uring"))), 0.03)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_table_fits_and_is_followed_by_what_to_change(width: int) -> None:
    text = printed(FOUND, width)
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    assert "read (higher is better)" in flat and "+22 %" in flat and "influence" in flat
    assert flat.index("What to change") < flat.index("Change aio from threads to io_uring: read +22 %")


def test_without_factors_nothing_is_printed() -> None:
    assert printed(Effects()) == ""


def test_many_undecided_terms_are_left_to_the_page() -> None:
    level = [{name: str(one) for name, one in zip("abcdefgh", row, strict=True)} for row in EIGHT.tolist()] * 6
    blocks = [block for block in range(6) for _ in EIGHT]
    logs = [((7 * at) % 11) / 100 for at in range(len(level))]
    found = effects(experiment(Response("m", "s", "lower", level, blocks, logs), variables=variables([2] * 8)), 0.001)
    text = printed(found)
    assert "20 smaller ones are in the report" in text


def test_the_terminal_loads_nothing_that_draws() -> None:
    code = (
        "import sys, virtometer.report.effects.terminal\n"
        "print([name for name in ('altair', 'vl_convert', 'jinja2') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
