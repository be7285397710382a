"""`virtometer time --profile` on real programs."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis.profile_campaigns import priced
from tests.cli.laboratory import program
from virtometer.cli.timing.profile import refuse_failed
from virtometer.errors import TrialsFailed
from virtometer.model import Failure, FailureKind

CALLS = "import os\nfor _ in range(20000): os.getppid()"
QUICK = ("--budget", "1s", "--beside")


def test_a_profile_names_what_costs_most_and_what_is_left(tmp_path: Path) -> None:
    words = ["--profile", "--in", "bubblewrap", "-n", "calls", "--", sys.executable, "-I", "-S", "-c", CALLS]
    ended = program("time", *QUICK, "--out", tmp_path / "out", *words, cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert "predicted" in ended.out and "unexplained" in ended.out
    again = program("report", tmp_path / "out", "--format", "json", "--out", "-", cwd=tmp_path)
    (profile,) = json.loads(again.out)["profiles"]
    assert profile["counts"]["calls"]["getppid"] == 20_000
    (there,) = profile["predictions"]
    assert there["subject"] == "bubblewrap"
    assert {"computing", "simple calls"} <= {one["name"] for one in there["shares"]}
    assert there["rest"] == pytest.approx(there["measured"] - there["predicted"])
    assert 'id="profiles"' in (tmp_path / "out" / "report.html").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_operations_that_failed_are_reported_with_what_measures_them_again(tmp_path: Path) -> None:
    whole = priced(computing=1.0)
    refuse_failed(whole, tmp_path)
    trials = list(whole.trials)
    trials[3] = replace(trials[3], failure=Failure(FailureKind.GUEST, "it ended"), runs=())
    with pytest.raises(TrialsFailed) as failed:
        refuse_failed(replace(whole, trials=tuple(trials)), tmp_path)
    assert failed.value.exit_status == 9
    assert f"1 of {len(trials)} trials" in failed.value.sentence and "it ended" in failed.value.sentence
    assert f"{tmp_path} --failed" in failed.value.advice


def test_files_for_continuous_integration(tmp_path: Path) -> None:
    words = ["--export-junit", "j.xml", "--export-bencher", "b.json", "--in", "bubblewrap", "--", "true"]
    ended = program("time", *QUICK, "--out", tmp_path / "out", *words, cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert (tmp_path / "j.xml").read_text().startswith("<?xml")
    assert set(json.loads((tmp_path / "b.json").read_text())) == {"true (native)", "true (bubblewrap)"}


@pytest.mark.parametrize("option", [["--cold"], ["--tty"], ["--prepare", "true"], ["--cache", "cold"], ["--cpus", "1"]])
def test_options_that_further_runs_cannot_have_are_refused(tmp_path: Path, option: list[str]) -> None:
    assert program("time", "--profile", *option, "true", cwd=tmp_path).status == 2


def test_without_strace_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "true").symlink_to("/bin/true")
    ended = program(
        "time", "--profile", "--in", "native", *QUICK, "--out", tmp_path / "out", tmp_path / "bin" / "true",
        cwd=tmp_path, PATH=str(tmp_path / "bin"),
    )  # fmt: skip
    assert ended.status == 8, ended.err
    assert "strace" in ended.err
    assert not (tmp_path / "out").exists()
