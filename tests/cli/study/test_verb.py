"""`virtometer study list`, `show` and `claims`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import NATIVE, levels, made
from tests.cli.laboratory import ROOT, stored, virtometer
from tests.cli.test_main import HEAVY
from tests.studies.validator import EXPERIMENTS


def test_list_names_the_studies_and_their_items() -> None:
    outcome = virtometer("study", "list")
    assert (outcome.status, outcome.err) == (0, "")
    assert all(f"\n{study}" in outcome.out for study in EXPERIMENTS) and "Jiří Župka" in outcome.out
    outcome = virtometer("study", "list", "zupka2008")
    assert (outcome.status, outcome.err) == (0, "")
    assert "F5.15/netperf" in outcome.out and "devices-apache" in outcome.out


def test_show_prints_one_item_with_its_claims() -> None:
    outcome = virtometer("study", "show", "tsiouprou2010", "5.1", COLUMNS="120")
    assert (outcome.status, outcome.err) == (0, "")
    head, _, below = outcome.out.partition("8000 x 8000")
    assert head.startswith("tsiouprou2010 5.1: ") and "0.351" in head
    assert "\nid " in below and "c002" in below and "Disk throughput" not in outcome.out


def test_show_prints_a_whole_study_and_all_its_claims() -> None:
    outcome = virtometer("study", "show", "appel2008")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("appel2008: Stefan Appel")
    assert outcome.out.count("\nappel2008 ") == 12 and "58.930" in outcome.out


def test_claims_prints_the_verdicts_of_all_claims_or_one() -> None:
    outcome = virtometer("study", "claims", "klein2008", COLUMNS="120")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("klein2008: Arne Klein") and outcome.out.count("\nc0") == 25
    outcome = virtometer("study", "claims", "klein2008", "c012", COLUMNS="120")
    assert (outcome.status, outcome.err) == (0, "")
    assert "293 MB/s" in outcome.out and "c013" not in outcome.out


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Iozone's writing of small and of large files: half as fast in a guest."""
    works = [
        Work(size, "disk", "write", "B/s", rate * 2**20, parameters={"span": size, "size": "64K"})
        for size, rate in (("80M", 300.0), ("5120M", 50.0))
    ]
    places = [NATIVE, Place("box", "runc", {"": 0.5})]
    return stored(made(places, works, levels(places, works)).campaign, tmp_path_factory.mktemp("results") / "r")


@pytest.mark.parametrize("width", ["80", "120"])
def test_claims_are_judged_by_the_cells_of_campaigns_too(directory: Path, width: str) -> None:
    outcome = virtometer("study", "claims", "klein2008", "--in", str(directory), COLUMNS=width)
    assert (outcome.status, outcome.err) == (0, "")
    assert "new cells: 1 agree, 2 disagree" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= int(width)
    outcome = virtometer("study", "claims", "klein2008", "c004", "--in", str(directory), COLUMNS=width)
    assert (outcome.status, outcome.err) == (0, "")
    assert "here: disagrees" in outcome.out and " 150" in outcome.out and " 300" in outcome.out


def test_a_folder_stands_for_the_campaigns_in_it(directory: Path) -> None:
    of_campaign = virtometer("study", "claims", "klein2008", "--in", str(directory), "--json")
    of_folder = virtometer("study", "claims", "klein2008", "--in", str(directory.parent), "--json")
    assert (of_folder.status, of_folder.out) == (0, of_campaign.out)
    assert json.loads(of_folder.out)["counts"]["new"]["disagrees"] == 2


def test_the_json_of_claims_has_the_outcome_of_new_cells(directory: Path) -> None:
    outcome = virtometer("study", "claims", "klein2008", "--in", str(directory), "--json")
    found = json.loads(outcome.out)
    assert found["counts"]["new"]["disagrees"] == 2 and found["counts"]["published"]["disagrees"] == 0
    claim = next(one for one in found["claims"] if one["claim_id"] == "klein2008/c006")
    assert (claim["published"]["verdict"], claim["new"]["verdict"]) == ("cannot be tried here", "agrees")
    pair = claim["new"]["pairs"][0]
    assert pair["subject"] == "klein2008/surface-vm3-hd-write/r10c3"
    assert pair["subject_number"]["value"] == pytest.approx(25 * 2**20)


def test_a_folder_without_a_campaign_is_one_sentence(tmp_path: Path) -> None:
    outcome = virtometer("study", "claims", "klein2008", "--in", str(tmp_path / "nothing"))
    assert (outcome.status, outcome.out) == (4, "") and outcome.err


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["list", "klein"], "'klein2008'"),
        (["show", "klein"], "'klein2008'"),
        (["show", "klein2008", "3.9"], "'3.1'"),
        (["claims", "klein"], "'klein2008'"),
        (["claims", "klein2008", "c01"], "'c010'"),
    ],
)
def test_unknown_names_end_with_status_2(words: list[str], near: str) -> None:
    outcome = virtometer("study", *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert "did you mean" in outcome.err and near in outcome.err


@pytest.mark.parametrize("words", [["list"], ["show", "klein2008", "--json"], ["show", "zupka2008"]], ids=" ".join)
def test_nothing_heavy_is_imported(words: list[str]) -> None:
    program = (
        f"import sys\nfrom virtometer.cli import main\nstatus = main({['study', *words]!r})\n"
        f"print('heavy:', status, sorted({HEAVY | {'yaml', 'rich.console'}!r} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "heavy: 0 []"


def test_a_report_of_printed_values_needs_no_statistics_and_no_database(tmp_path: Path) -> None:
    words = ["study", "report", "appel2008", "--out", str(tmp_path / "x.tex")]
    program = (
        f"import sys\nfrom virtometer.cli import main\nstatus = main({words!r})\n"
        "heavy = {'scipy', 'sqlalchemy', 'virtometer.analysis.of_campaign'} & set(sys.modules)\n"
        "print('heavy:', status, sorted(heavy))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "heavy: 0 []"
