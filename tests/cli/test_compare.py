"""`virtometer compare`: exit statuses for CI, table, JSON and Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, in_rounds, simulate, with_runs
from tests.cli.laboratory import passage, stored, virtometer
from tests.house.tracked import ROOT
from tests.sentences import Said

SCHEMA = json.loads((ROOT / "contract" / "schema" / "report.schema.json").read_text(encoding="utf-8"))
WORKS = [Work("fork", "os", "fork", "s", 1e-4), Work("read", "disk", "random-read", "IO/s", 1e4)]


def campaign(directory: Path, fork: float = 0.8, blocks: int = 8) -> Path:
    box = Place("box", "runc", efficiency={"fork": fork, "read": 0.9})
    return stored(simulate([Place("native"), box], WORKS, blocks=blocks), directory)


@pytest.mark.parametrize(
    ("fork", "blocks", "status"), [(0.8, 8, 0), (1.0, 8, 0), (0.6, 8, 20), (0.8, 3, 21), (0.79, 8, 0), (0.6, 3, 21)]
)
def test_the_exit_status_is_for_ci(tmp_path: Path, fork: float, blocks: int, status: int) -> None:
    before, after = campaign(tmp_path / "a"), campaign(tmp_path / "b", fork, blocks)
    ended = virtometer("compare", before, after)
    assert (ended.status, ended.err) == (status, "")
    assert "B against A:" in ended.out
    worse = 1 if status == 20 else 0
    assert f"Worse by more than 5 %: {worse} of 2 comparisons; not worse:" in " ".join(ended.out.split())


def test_what_b_has_lost_is_not_success(tmp_path: Path) -> None:
    places = [Place("native"), Place("box", "runc"), Place("jail", "bubblewrap")]
    gone = Place("jail", "bubblewrap", works=False, reason="no such program")
    before = stored(simulate(places, WORKS, blocks=8), tmp_path / "a")
    after = stored(simulate([*places[:2], gone], WORKS, blocks=8), tmp_path / "b")
    ended = virtometer("compare", before, after)
    assert (ended.status, ended.err) == (21, "")
    assert "Lost: 2 values that A has." in ended.out
    assert "fork in jail has no value in B" in ended.out
    said = json.loads(virtometer("compare", before, after, "--json").out)
    assert said["lost"] == ["fork in jail has no value in B", "read in jail has no value in B"]
    assert virtometer("compare", after, before).status == 0


def test_what_is_undecided_says_what_deciding_takes(said: Said, tmp_path: Path) -> None:
    before, after = (
        stored(simulate([Place("native"), Place("box", "runc")], WORKS, blocks=8, seed=seed, noise=gaussian(0.1)), path)
        for seed, path in ((1, tmp_path / "a"), (2, tmp_path / "b"))
    )
    for words in ([], ["--markdown"]):
        ended = virtometer("compare", before, after, *words)
        assert ended.status == 21
        said(passage(ended.out, "undecided: 8 blocks", "a difference of"))
        assert "deciding takes about" in " ".join(ended.out.split())


def test_the_legend_says_which_ratios_are_compared(said: Said, tmp_path: Path) -> None:
    before = campaign(tmp_path / "a")
    assert "typical" not in virtometer("compare", before, campaign(tmp_path / "b")).out
    both = simulate([Place("native"), Place("box", "runc")], WORKS, blocks=8, verdict="typical")
    sliced = with_runs(both, lambda run: in_rounds(run, [run.scored.value] * 6) if run.unit != "s" else run)
    stored(sliced, tmp_path / "c")
    stored_c = tmp_path / "c"
    assert "typical" not in virtometer("compare", stored_c, stored_c).out, "whatever the plan chose"
    told = virtometer("compare", stored_c, stored_c, "--verdict", "typical").out
    said(passage(told, "interval; ratios are typical", "have them"))


def test_a_margin_decides_what_is_worse(tmp_path: Path) -> None:
    before, after = campaign(tmp_path / "a"), campaign(tmp_path / "b", 0.7)
    assert virtometer("compare", before, after).status == 20
    assert virtometer("compare", before, after, "--margin", "20%").status == 0


def test_json_is_the_machine_interface(tmp_path: Path) -> None:
    ended = virtometer("compare", campaign(tmp_path / "a"), campaign(tmp_path / "b", 0.6), "--json")
    assert ended.status == 20
    said = json.loads(ended.out)
    validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/finding", "$defs": SCHEMA["$defs"]})
    for one in said["findings"]:
        validator.validate(one)
    fork = said["findings"][0]
    assert (fork["workload"], fork["subject"], fork["against"]) == ("fork", "box", "box")
    assert fork["ratio"] == pytest.approx(0.75) and fork["verdict"] == "slower"
    jsonschema.Draft202012Validator({"$ref": "#/$defs/comparison", "$defs": SCHEMA["$defs"]}).validate(said)
    assert [said[name] for name in ("outcome", "worse", "not_worse", "open", "effects", "absolute")] == [
        "worse", 1, 1, 0, [], False,
    ]  # fmt: skip
    of_fork = said["comparisons"][0]
    assert of_fork["a"]["value"] == pytest.approx(0.8) and of_fork["b"]["value"] == pytest.approx(0.6)
    assert (of_fork["outcome"], of_fork["p_worse_adjusted"]) == ("worse", 0.0)
    assert of_fork["worked_s"] == pytest.approx(8.0, rel=0.01)


def test_values_have_rows_of_the_baseline(tmp_path: Path) -> None:
    ended = virtometer("compare", campaign(tmp_path / "a"), campaign(tmp_path / "b"), "--absolute", "--json")
    said = json.loads(ended.out)
    assert {one["subject"] for one in said["findings"]} == {"native", "box"}
    assert said["absolute"] is True


def test_two_environments_of_one_campaign(tmp_path: Path) -> None:
    directory = campaign(tmp_path / "a")
    ended = virtometer("compare", directory, "--in", "native,box")
    assert ended.status == 20
    assert "box / native" in ended.out
    assert virtometer("compare", directory, "--in", "box, native").status == 0


def test_markdown_is_for_a_pull_request(tmp_path: Path) -> None:
    ended = virtometer("compare", campaign(tmp_path / "a"), campaign(tmp_path / "b"), "--markdown")
    assert ended.status == 0
    assert "| workload | environment | A | B | B / A | verdict | worse? |" in ended.out.splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ["a"],
        ["a", "--in", "box"],
        ["a", "b", "--in", "native,box"],
        ["a", "b", "--json", "--markdown"],
        ["a", "b", "--margin", "2"],
        ["a", "b", "--verdict", "median"],
        ["a", "b", "--verdict", "typical", "--absolute"],
        ["a", "--in", "box,xen"],
    ],
    ids=" ".join,
)
def test_wrong_words_are_one_sentence(said: Said, tmp_path: Path, words: list[str]) -> None:
    for name in ("a", "b"):
        campaign(tmp_path / name)
    ended = virtometer("compare", *[tmp_path / word if word in ("a", "b") else word for word in words])
    assert (ended.status, ended.out) == (2, "")
    said(ended.err, place=tmp_path)


def test_a_directory_without_a_campaign_is_one_sentence(tmp_path: Path) -> None:
    ended = virtometer("compare", campaign(tmp_path / "a"), tmp_path / "none")
    assert ended.status == 4
    assert len(ended.err.splitlines()) <= 2
