"""Runs of commands in the formats of hyperfine, beside files that hyperfine itself writes here."""

from __future__ import annotations

import csv
import io
import json
import shutil
import statistics
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, gaussian, simulate, with_runs
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.describe.samples import timed_samples
from virtometer.errors import UsageError
from virtometer.model import Excluded, Run
from virtometer.report import render
from virtometer.report.formats.hyperfine import (
    MAKERS,
    OfGuest,
    Result,
    csv_text,
    json_2_text,
    json_text,
    markdown,
    results,
)

SHORT, LONG = Work("gzip -1", "command", "time", "s", 0.02), Work("gzip -9", "command", "time", "s", 0.06)
PLACES = [Place("native"), Place("box", "runc", {"": 0.5})]
MEASURED = ("time_wall_clock", "time_user", "time_system", "memory_peak_resident")
VALUES = {"gzip -1": {"level": "1"}, "gzip -9": {"level": "9"}}


def analysis(status: str = "0") -> Analysis:
    def with_measures(run: Run) -> Run:
        measures = {"user": {"unit": "s", "value": 0.012}, "system": {"unit": "s", "value": 0.003}}
        measures["peak-memory"] = {"unit": "B", "value": 3e6}
        return changed(replace(run, conditions={"status": status}), measures=measures)

    return analyse(with_runs(simulate(PLACES, [SHORT, LONG], noise=gaussian(0.01), control=True), with_measures))


def test_each_command_has_a_result_in_each_environment() -> None:
    found = results(analysis(), VALUES)
    names = ["gzip -1 (native)", "gzip -1 (box)", "gzip -9 (native)", "gzip -9 (box)"]
    assert [one.command for one in found] == names
    assert found[3].parameters == {"level": "9", "environment": "box"}
    assert statistics.fmean(found[1].times) == pytest.approx(2 * statistics.fmean(found[0].times), rel=0.05)
    assert set(found[0].exit_codes) == {0} and len(found[0].exit_codes) == len(found[0].times)
    assert found[0].numbers["user"] == pytest.approx(0.012, rel=0.01)
    assert [results(analysis(word))[0].exit_codes[0] for word in ("3", "signal 9")] == [3, None]


def test_each_run_has_the_exit_code_of_its_guest() -> None:
    one = Result("a", [OfGuest([1.0, 2.0], 0.0, 0.0), OfGuest([3.0], 0.0, 0.0, exit_code=3)])
    assert one.exit_codes == [0, 0, 3]
    [first] = json.loads(json_text([one]))["results"]
    [second] = json.loads(json_2_text([one]))["results"]
    assert first["exit_codes"] == [run["exit_code"] for run in second["measurements"]] == [0, 0, 3]

    numbers = count()

    def numbered(run: Run) -> Run:
        return replace(run, conditions={"status": str(next(numbers))})

    of = analyse(with_runs(simulate(PLACES, [SHORT], control=True), numbered))
    runs = [run for record in of.alone for run in record.scored if run.placement.guest == 1]
    native = [run for run in runs if run.placement.environment == "native"]
    codes = [int(run.conditions["status"]) for run in native for _ in timed_samples(run).rate.tolist()]
    assert results(of)[0].exit_codes == codes and len(set(codes)) > 1


def test_one_environment_is_no_parameter() -> None:
    """Scripts that plot a time against a parameter refuse results with a second one."""
    alone = results(analyse(simulate(PLACES[:1], [SHORT, LONG], control=True)), VALUES)
    assert [one.parameters for one in alone] == [{"level": "1"}, {"level": "9"}]


def test_times_are_those_of_one_guest_without_warm_up_and_with_what_others_disturbed() -> None:
    of = analysis()
    runs = [run for record in of.alone for run in record.scored if run.placement.environment == "native"]
    first = [run for run in runs if run.placement.guest == 1 and run.placement.workload == "gzip -1"]
    assert len(runs) > 2 * len(first), "the baseline has a second guest"
    expected = [one for run in first for one in timed_samples(run).rate.tolist()]
    assert list(results(of)[0].times) == expected

    def without(reason: Excluded) -> int:
        def marked(run: Run) -> Run:
            samples = list(run.samples)
            return replace(run, samples=(replace(samples[0], excluded=reason, mark="x"), *samples[1:]))

        return len(results(analyse(with_runs(of.campaign, marked)))[0].times)

    assert without(Excluded.DISTURBED) == len(expected)
    assert without(Excluded.WARM_UP) == len(expected) - len(first)


def test_a_campaign_without_commands_has_no_such_format() -> None:
    for name in MAKERS:
        with pytest.raises(UsageError):
            render(analyse(simulate([Place("native")], [Work()])), f"hyperfine-{name}")


def test_a_table_has_five_columns_and_the_fastest_is_one() -> None:
    rows = markdown(results(analysis())).splitlines()
    assert [row.count(" | ") for row in rows if "---" not in row] == [4] * 5
    assert "[ms]" in rows[0]
    assert rows[2].endswith("| 1.00 |")
    assert " ± " in rows[3].rsplit("|", 2)[1]
    assert "[s]" in markdown([Result("sleep 1", [OfGuest([1.0], 0.0, 0.0)])]).splitlines()[0]
    strange = markdown([Result("a | `b` ``c``", [OfGuest([0.5], 0.0, 0.0)])]).splitlines()[2]
    assert strange.startswith("| ``` a \\| `b` ``c`` ``` |")


CAPTURED = Path(__file__).parents[2] / "imports" / "captured"


@pytest.mark.parametrize("name", ["hyperfine-2.0.json", "hyperfine-2.0-parameters.json"])
def test_schema_2_has_the_fields_of_hyperfines_own(name: str) -> None:
    theirs = json.loads(_text(CAPTURED / name))

    def values(of: Mapping[str, Any], metric: str) -> list[float]:
        return [run[metric]["value"] for run in of["measurements"]]

    found = [
        Result(
            of["command"],
            [OfGuest([time], *one) for time, *one in zip(*(values(of, metric) for metric in MEASURED), strict=True)],
            {key: level["value"] for key, level in of.get("parameters", {}).items()},
        )
        for of in theirs["results"]
    ]  # fmt: skip
    ours = json.loads(json_2_text(found))
    assert set(theirs) == set(ours)
    assert (ours["schema_version"], ours["primary_metric"]) == (theirs["schema_version"], theirs["primary_metric"])
    assert ours["metadata"].keys() <= theirs["metadata"].keys()
    for mine, other in zip(ours["results"], theirs["results"], strict=True):
        other.pop("name", None)  # here a name is the command
        assert {key: value for key, value in mine.items() if key != "summary"} == _near(
            {key: value for key, value in other.items() if key != "summary"}
        )
        assert mine["summary"] == _near(other["summary"])


def test_runs_of_schema_2_have_the_means_of_their_guest() -> None:
    of = results(analysis("3"), VALUES)[1]
    [_, box, *_] = json.loads(json_2_text(results(analysis("3"), VALUES)))["results"]
    assert [run["time_wall_clock"]["value"] for run in box["measurements"]] == list(of.times)
    assert len(of.guests) > 1
    assert {run["exit_code"] for run in box["measurements"]} == {3}
    assert {run["memory_peak_resident"]["value"] for run in box["measurements"]} == {3e6}
    assert box["summary"]["time_cpu"]["mean"] == pytest.approx(0.015, rel=0.01)
    assert box["parameters"] == {"level": {"value": "1"}, "environment": {"value": "box"}}
    [one] = json.loads(json_2_text([Result("a", [OfGuest([1.0], 0.1, 0.2)])]))["results"]
    assert one["summary"]["time_wall_clock"]["stddev"] is None
    assert "memory_peak_resident" not in one["summary"]


@pytest.mark.skipif(shutil.which("hyperfine") is None, reason="the package hyperfine is not installed")
def test_files_have_the_fields_of_hyperfines_own(tmp_path: Path) -> None:
    files = {name: tmp_path / f"a.{name}" for name in MAKERS if name != "json-2"}
    options = [word for name, path in files.items() for word in (f"--export-{name}", path)]
    for command in (["-r", "3", "-L", "level,environment"[:5], "1,9", "sleep 0.0{level}"], ["-r", "1", "true"]):
        subprocess.run(["hyperfine", "-N", *options, *command], check=True, capture_output=True)
        theirs = json.loads(files["json"].read_text())["results"]
        own = [
            Result(one["command"], [OfGuest(one["times"], one["user"], one["system"])], one.get("parameters", {}))
            for one in theirs
        ]
        ours = json.loads(json_text(own))["results"]
        for mine, other in zip(ours, theirs, strict=True):
            assert list(mine)[: len(other)] == list(other)
            assert mine == {"parameters": {}, **{key: _close(value) for key, value in other.items()}}
        rows, other_rows = (list(csv.DictReader(io.StringIO(text))) for text in (csv_text(own), _text(files["csv"])))
        for row, other_row in zip(rows, other_rows, strict=True):
            assert list(row) == list(other_row)
            assert {key: _number(value) for key, value in row.items()} == {
                key: _close(_number(value)) for key, value in other_row.items()
            }
        assert markdown(own) == _text(files["markdown"])


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _near(value: Any) -> Any:
    """The same with numbers that are nearly equal."""
    if isinstance(value, dict):
        return {key: _near(one) for key, one in value.items()}
    return [_near(one) for one in value] if isinstance(value, list) else _close(value)


def _close(value: object) -> object:
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
