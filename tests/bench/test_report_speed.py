"""The measurement of reports: a campaign that can be read, processes that are measured, and their comparison."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import virtometer
from bench.process_cost import Cost, measure
from bench.report_speed import Report, goals, main, write
from tests.sentences import Said


def test_goals_are_of_processor_time_and_memory_and_of_the_checkout_before(said: Said) -> None:
    table = Report("table", (), 3.0, 300_000_000)
    before = Cost(1.0, 2.0, 1)
    for cost, met in ((Cost(9.0, 3.0, 300_000_000), True), (Cost(1.0, 3.1, 300_000_001), False)):
        found = goals(table, cost, before)
        assert [one.met for one in found] == [met] * 3
        said("".join(map(str, found)))
    assert goals(Report("samples-csv", (), None, None), before, None) == []


@pytest.mark.slow
def test_a_report_of_another_checkout_is_made_and_measured(tmp_path: Path) -> None:
    assert write(tmp_path / "c", 2_000) == 6_000  # at least 30 for each trial
    checkout = Path(virtometer.__file__).parents[2]
    for options in ((), ("--format", "json")):
        words = ["report", str(tmp_path / "c"), *options]
        costs = [measure(words, tmp_path / name, of) for name, of in (("a", None), ("b", checkout))]
        assert all(one.cpu_s > 0.1 and one.wall_s > 0.1 and one.memory > 10_000_000 for one in costs)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert json.loads((tmp_path / "a").read_text())["findings"]
    with pytest.raises(subprocess.CalledProcessError):
        measure(["report", str(tmp_path / "no campaign")], tmp_path / "d")


def test_what_is_no_checkout_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["report_speed", "--against", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
