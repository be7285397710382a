"""`virtometer report` from a results directory: where each format goes, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from tests.cli.laboratory import stored, virtometer
from tests.sentences import Said
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.report import FORMATS, render
from virtometer.store.ledger import Ledger

OF_COMMANDS = {"hyperfine-json", "hyperfine-json-2", "hyperfine-csv", "hyperfine-markdown"}
"""Formats of campaigns that time the user's commands."""


def recorded(directory: Path) -> Path:
    places = [Place("native"), Place("box", efficiency={"": 0.5})]
    return stored(simulate(places, noise=gaussian(0.02), blocks=6), directory)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("results") / "r")


def expected(directory: Path, kind: str, *, raw: bool = False) -> str:
    with Ledger.open(directory) as ledger:
        campaign = ledger.read()
    return render(analyse(by_guest_clocks(campaign) if raw else campaign), kind)


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("kind", sorted(FORMATS.keys() - {"html", *OF_COMMANDS}))
def test_a_format_goes_to_standard_output_or_to_the_named_file(
    directory: Path, tmp_path: Path, kind: str, raw: bool
) -> None:
    words = ["report", str(directory), "--format", kind, *(["--raw"] if raw else [])]
    shown = virtometer(*words)
    assert (shown.status, shown.err) == (0, "")
    # Text mode makes one line end of two, as a pipe would not.
    assert shown.out.replace("\r\n", "\n") == expected(directory, kind, raw=raw).replace("\r\n", "\n")
    assert virtometer(*words, "--out", "-").out == shown.out
    to_file = virtometer(*words, "--out", tmp_path / "x")
    assert (to_file.status, to_file.out, to_file.err) == (0, "", "")
    assert (tmp_path / "x").read_bytes().decode() == expected(directory, kind, raw=raw)
    if kind == "json":
        assert json.loads(shown.out)["clock"] == ("guest" if raw else "host")
    else:
        assert list(csv.reader(io.StringIO(shown.out)))


@pytest.mark.parametrize(("raw", "name"), [(False, "report.html"), (True, "report-raw.html")])
def test_the_page_is_written_beside_the_ledger_unless_a_file_is_named(
    directory: Path, tmp_path: Path, raw: bool, name: str
) -> None:
    words = ["report", str(directory), "--format", "html", *(["--raw"] if raw else [])]
    assert virtometer(*words).out == f"{directory / name}\n"
    assert (directory / name).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert virtometer(*words, "--out", tmp_path / "x.html").out == ""
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == (directory / name).read_text(encoding="utf-8")


def test_without_a_format_it_is_the_table_and_the_command_that_makes_the_page(said: Said, tmp_path: Path) -> None:
    directory = recorded(tmp_path / "a b")
    shown = virtometer("report", directory)
    assert (shown.status, shown.err) == (0, "")
    assert "memory triad 64 MB" in shown.out and "slower" in shown.out
    last = shown.out.splitlines()[-1]
    assert last.endswith(f": virtometer report '{directory}' --format html")
    said(last, directory=directory)
    raw = virtometer("report", directory, "--raw").out
    assert "Raw values" in raw and raw.splitlines()[-1] == f"{last} --raw"
    assert not (directory / "report.html").exists()


def test_a_table_draws_no_plot(directory: Path) -> None:
    """In a process of its own: what draws takes longer to load than everything else."""
    names = ("altair", "vl_convert", "jinja2", "matplotlib", "scipy.stats")
    script = (
        "import sys; from virtometer.cli import main; main(['report', sys.argv[1]]); "
        f"print('loaded:', sorted(set({names!r}) & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script, directory], capture_output=True, text=True, check=True)
    assert "memory triad 64 MB" in result.stdout
    assert result.stdout.endswith("loaded: []\n")


def test_a_file_without_a_format_is_refused(said: Said, directory: Path) -> None:
    refused = virtometer("report", directory, "--out", "x")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("virtometer: --out needs --format\n")
    said(refused.err)


def test_a_place_that_cannot_be_written_is_reported_with_another_way(
    said: Said, directory: Path, tmp_path: Path
) -> None:
    refused = virtometer("report", directory, "--format", "csv", "--out", tmp_path)
    assert (refused.status, refused.out) == (7, "")
    said(refused.err, place=tmp_path, directory=directory)
    assert f"virtometer report {directory} --format csv --out FILE" in refused.err


def test_a_report_does_not_replace_a_file_of_its_campaign(said: Said, directory: Path) -> None:
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    refused = virtometer("report", directory, "--format", "json", "--out", directory / "ledger.sqlite")
    assert (refused.status, refused.out) == (7, "")
    assert f" {directory}/ledger.sqlite " in refused.err
    assert f"virtometer report {directory} --format json --out FILE" in refused.err
    said(refused.err, directory=directory)
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_a_directory_whose_name_is_not_utf_8_has_reports(directory: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"bad\xff")
    shutil.copytree(directory, odd)
    table = virtometer("report", odd)
    assert (table.status, table.err) == (0, "")
    page = virtometer("report", odd, "--format", "html")
    assert (page.status, page.err) == (0, "")
    assert (odd / "report.html").exists()


@pytest.mark.parametrize("kind", sorted(OF_COMMANDS))
def test_formats_of_commands_are_refused_where_none_was_timed(directory: Path, tmp_path: Path, kind: str) -> None:
    refused = virtometer("report", str(directory), "--format", kind, "--out", str(tmp_path / "made"))
    assert (refused.status, refused.out) == (2, "")
    assert not (tmp_path / "made").exists()
    commands = [Work("ls", "command", "time", "s", 0.02)]
    other = stored(simulate([Place("native")], commands, blocks=6), tmp_path / "r")
    shown = virtometer("report", str(other), "--format", kind)
    assert (shown.status, "ls (native)" in shown.out) == (0, True)
