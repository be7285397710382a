"""`virtometer study report`: a study beside campaigns, in three formats."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from tests.cli.laboratory import stored, virtometer


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    works = [linpack(1000, 1e9)]
    places = [NATIVE, Place("box", "lxc", {"": 0.5})]
    return stored(made(places, works, levels(places, works)).campaign, tmp_path_factory.mktemp("results") / "r")


@pytest.mark.parametrize("width", ["80", "120"])
def test_published_values_alone_on_a_terminal(width: str) -> None:
    outcome = virtometer("study", "report", "tsiouprou2010", COLUMNS=width)
    assert (outcome.status, outcome.err) == (0, "")
    assert max(map(len, outcome.out.splitlines())) <= int(width)
    assert (
        "\ntsiouprou2010 6.21: " in outcome.out
        and "157.325" in outcome.out
        and not re.search(r"  here(  |$)", outcome.out, re.MULTILINE)
    )


def test_answers_of_a_campaign_fit_into_a_narrow_terminal(directory: Path) -> None:
    outcome = virtometer("study", "report", "tsiouprou2010", str(directory), COLUMNS="80")
    lines = outcome.out.splitlines()
    assert max(map(len, lines)) <= 80
    first = next(at for at, line in enumerate(lines) if line.startswith("parameter"))
    assert lines[first].split() == ["parameter", "printed", "verdict", "here", "verdict", "here"]
    assert "Here these parameters matter: virtualization (-50 %)." in lines


def test_a_campaign_beside_the_printed_cells(directory: Path) -> None:
    outcome = virtometer("study", "report", "tsiouprou2010", str(directory), COLUMNS="120")
    assert (outcome.status, outcome.err) == (0, "")
    assert "0.3353 [0.3067, 0.3667]" in outcome.out and "efficiency here" in outcome.out


def test_a_campaign_of_a_folder_that_cannot_be_read_is_named(directory: Path, tmp_path: Path) -> None:
    shutil.copytree(directory, tmp_path / "linpack")
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "ledger.sqlite").write_bytes(b"no ledger")
    path = tmp_path / "page.html"
    outcome = virtometer("study", "report", "tsiouprou2010", str(tmp_path), "--out", str(path))
    assert (outcome.status, outcome.out) == (0, f"{path}\n")
    assert len(outcome.err.splitlines()) == 1 and str(tmp_path / "net") in outcome.err
    text = path.read_text(encoding="utf-8")
    assert "0.3353 [0.3067, 0.3667]" in text
    state = re.search(r'<th scope="row">net</th><td>(.*?)</td>', text)
    assert state is not None and str(tmp_path / "net" / "ledger.sqlite") in state[1]
    # It is an error where it was named itself, or where nothing else is there.
    assert virtometer("study", "report", "tsiouprou2010", str(tmp_path / "net")).status == 4
    shutil.rmtree(tmp_path / "linpack")
    assert virtometer("study", "report", "tsiouprou2010", str(tmp_path)).status == 4


def test_the_page_is_written_where_it_is_named(directory: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    outcome = virtometer("study", "report", "tsiouprou2010", str(directory), "--out", str(path))
    assert (outcome.status, outcome.err, outcome.out) == (0, "", f"{path}\n")
    assert "0.3353 [0.3067, 0.3667]" in path.read_text(encoding="utf-8")


def test_standard_output_is_a_dash() -> None:
    outcome = virtometer("study", "report", "appel2008", "--format", "html", "--out", "-")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("<!doctype html>")
    outcome = virtometer("study", "report", "appel2008", "--format", "latex", "--out", "-")
    assert outcome.out.startswith(r"\documentclass") and "includegraphics" not in outcome.out


def test_latex_has_its_figures_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "study.tex"
    outcome = virtometer("study", "report", "klein2008", "--out", str(path))
    assert (outcome.status, outcome.err) == (0, "")
    names = sorted(one.name for one in (tmp_path / "study-figures").iterdir())
    assert "3-1.pdf" in names
    assert all((tmp_path / "study-figures" / name).read_bytes().startswith(b"%PDF") for name in names)
    text = path.read_text(encoding="utf-8")
    assert all(f"{{study-figures/{name}}}" in text for name in names)


def test_files_have_the_name_of_the_study_without_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = virtometer("study", "report", "appel2008", "--format", "html")
    assert (outcome.status, outcome.out) == (0, "appel2008.html\n")
    assert (tmp_path / "appel2008.html").is_file()


@pytest.mark.parametrize(
    ("words", "status"), [(["klein"], 2), (["klein2008", "nowhere"], 4), (["klein2008", "--format", "csv"], 2)]
)
def test_wrong_names_are_one_sentence(words: list[str], status: int) -> None:
    outcome = virtometer("study", "report", *words)
    assert outcome.status == status and outcome.out == "" and outcome.err


def test_a_file_of_a_campaign_is_not_overwritten(directory: Path) -> None:
    outcome = virtometer("study", "report", "appel2008", "--format", "html", "--out", str(directory / "ledger.sqlite"))
    assert outcome.status not in (0, 1) and "ledger" in outcome.err


def test_printed_numbers_that_do_not_follow_are_named() -> None:
    outcome = virtometer("study", "report", "lemberger2010", COLUMNS="120")
    assert outcome.status == 0
    _, _, section = outcome.out.partition("lemberger2010 appendix: RAM - RAMspeed Linux")
    assert "Does not follow: 32 bit, read, Native, printed 3108035" in section.partition("\nlemberger2010 ")[0]
