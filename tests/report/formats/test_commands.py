"""Commands in the table of a terminal: time, processor time and memory beside the efficiency."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from tests.analysis.simulated_campaigns import Place, Work, changed, gaussian, simulate, with_runs
from virtometer.analysis import Analysis, analyse
from virtometer.model import Campaign, Run
from virtometer.report.formats.terminal import ResultTable

SHORT = Work("python3 -c 'print([1])'", "command", "time", "s", 0.02)
LONG = Work("gzip -9 [file]", "command", "time", "s", 0.06)
PLACES = [Place("native"), Place("user-mode Linux", "uml", {"": 0.5})]


def commands(*works: Work) -> Campaign:
    def with_measures(run: Run) -> Run:
        measures: dict[str, object] = {
            "user": {"unit": "s", "value": 0.0123}, "system": {"unit": "s", "value": 0.0},
        }  # fmt: skip
        if run.placement.environment == "native":
            measures["peak-memory"] = {"unit": "B", "value": 5e6}
            measures["held-memory"] = {"unit": "B", "value": 13_712_345.0}
        return changed(run, measures=measures)

    return with_runs(simulate(PLACES, works, noise=gaussian(0.01)), with_measures)


def printed(made: RenderableType, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(made)
    return out.getvalue()


def table(of: Analysis) -> ResultTable:
    return ResultTable(of.findings, commands=of.command_measures)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_command_has_a_table_of_its_own(width: int) -> None:
    text = printed(table(analyse(commands(SHORT, LONG))), width)
    assert max(map(len, text.splitlines())) <= width
    assert SHORT.name in text and LONG.name in text
    assert text.count("slower") >= 2
    assert ("MB" in text) is (width > 60)
    if width > 60:
        native, uml = [line.split() for line in text.splitlines() if line.lstrip().startswith(("native", "user-mode"))][
            :2
        ]
        assert native[3:8] == ["12.3", "ms", "0", "13.7", "MB"]
        assert "MB" not in uml


def test_what_is_no_command_stays_in_the_usual_table() -> None:
    other = Work()
    text = printed(table(analyse(commands(SHORT, other))))
    assert other.name in text and SHORT.name in text
    assert text.index(other.name) < text.index(SHORT.name)
