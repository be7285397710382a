"""`virtometer study list`, `show` and `claims`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.laboratory import ROOT, virtometer
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
