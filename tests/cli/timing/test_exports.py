"""Files for the readers of hyperfine's exports: where they may go, and what is refused before anything is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import analyse
from virtometer.cli.timing.exports import exports
from virtometer.errors import LedgerError, StorageError, UsageError

COMMAND = Work("gzip -1", "command", "time", "s", 0.02)


def test_nothing_is_written_where_nothing_is_wanted(tmp_path: Path) -> None:
    none = exports({"json": None, "csv": None, "markdown": None})
    none.write(analyse(simulate([Place("native")], [COMMAND])), {})
    assert not none.to_output
    assert not list(tmp_path.iterdir())


def test_files_are_replaced_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text("old")
    made = exports({"json": str(tmp_path / "a.json"), "csv": str(tmp_path / "a.csv"), "markdown": "-"})
    assert made.to_output
    assert (tmp_path / "a.json").read_text() == "old"
    made.write(analyse(simulate([Place("native")], [COMMAND])), {"gzip -1": {"level": "1"}})
    (result,) = json.loads((tmp_path / "a.json").read_text())["results"]
    assert result["parameters"] == {"level": "1"}
    assert "parameter_level" in (tmp_path / "a.csv").read_text().splitlines()[0]
    assert capsys.readouterr().out.count("|") == 3 * 6
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.json"]


def test_a_place_that_cannot_have_a_file_is_refused_at_once(tmp_path: Path) -> None:
    for text, error in (
        (str(tmp_path), StorageError),
        (str(tmp_path / "no" / "such"), LedgerError),
        ("/proc/version/x", LedgerError),
        ("/proc/new", StorageError),
        ("", UsageError),
    ):
        with pytest.raises(error):
            exports({"json": text})


def test_two_documents_do_not_go_to_one_place(tmp_path: Path) -> None:
    for text in ("-", str(tmp_path / "a")):
        with pytest.raises(UsageError):
            exports({"json": text, "csv": text})
