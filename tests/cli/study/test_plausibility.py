"""What `virtometer study show --check` adds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.laboratory import virtometer
from tests.studies.validator import EXPERIMENTS
from virtometer.analysis.plausible.check import Implausible, check
from virtometer.analysis.plausible.reading import read
from virtometer.cli.study import plausibility
from virtometer.cli.study.plausibility import Checked, checked, grids_of_study, summary
from virtometer.report.plausible import document
from virtometer.studies.data import folder, items

FINDING = Implausible("klein2008 3.1", "to node6", "from vm2", "sum", "it is no sum", 112.0, 262.0, "112", "262")
ROW = Implausible("klein2008 3.2", "to vm2", "", "duplicated row", "all numbers repeat", None, None)


def test_the_grids_of_a_study_have_the_printed_digits_and_what_was_measured() -> None:
    grids = {grid.name: grid for grid in grids_of_study("klein2008")}
    grid = grids["klein2008 3.1"]
    assert (grid.columns[0], grid.rows[0]) == ("from node6", "to node6")
    cell = grid.cells[0][0]
    assert cell is not None
    assert (cell.text, cell.value, cell.step) == ("232", 232.0, 1.0)
    assert grid.quantities[0, 0] and grid.cells[1][1] is None


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_all_items_have_the_findings_of_check_table(study: str) -> None:
    text = (folder() / "values.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    grids = read("".join([text[0], *(line for line in text if f",{study}," in line)]).encode(), "values.csv")
    wanted = json.loads(document(check(grids), grids))["findings"]
    found = checked(tuple(items(study).values()), drawn=False)
    assert sorted(map(str, wanted)) == sorted(str(one) for of in found.values() for one in of.objects)
    assert bool(wanted) is (study in {"tsiouprou2010", "lemberger2010"})


def test_an_item_alone_is_checked_among_all_tables_of_its_study() -> None:
    found = checked((items("tsiouprou2010")["6.12"],), drawn=False)["6.12"].objects
    assert {one["rule"] for one in found} == {"contradiction"} and all(one["others"] for one in found)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules find a wrong cell in table 3.1, and a wrong row in 3.2."""
    monkeypatch.setattr(
        "virtometer.analysis.plausible.check.check",
        lambda grids: [one for grid in grids for one in (FINDING, ROW) if one.table == grid.name],
    )


@pytest.mark.usefixtures("planted")
def test_findings_belong_to_their_items() -> None:
    found = checked(tuple(items("klein2008").values()), drawn=False)
    assert {name: len(one.found) for name, one in found.items() if one.found} == {"3.1": 1, "3.2": 1}
    assert found.keys() == items("klein2008").keys()
    assert "5 tables" in summary(found.values(), 80)[0] and "2 findings" in summary(found.values(), 80)[0]


def test_the_tables_that_a_figure_draws_are_checked_with_it() -> None:
    figure = items("tsiouprou2010")["F5.1"]
    assert checked((figure,), drawn=True)["F5.1"].tables == ("tsiouprou2010 5.1", "tsiouprou2010 5.2")
    assert checked((figure,), drawn=False)["F5.1"].tables == ()


def test_a_finding_stands_in_a_row_with_what_is_expected() -> None:
    lines = Checked(("klein2008 3.1",), (FINDING,)).lines(80)
    assert max(map(len, lines)) <= 80
    assert lines[0] == "does not follow:" and lines[-1] == ""
    assert all(words in lines[2] for words in ("to node6", "from vm2", "112", "262", "sum: "))
    assert Checked(("klein2008 3.1",), ()).lines(80) == []
    both = "\n".join(Checked(("klein2008 3.1", "klein2008 3.2"), (FINDING, ROW)).lines(120))
    assert "3.1: to node6" in both and "3.2: to vm2" in both and "  all  " in both


def shown(*words: str, status: int) -> Any:
    outcome = virtometer("study", "show", *words)
    assert (outcome.status, outcome.err) == (status, "")
    return outcome.out


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(("item", "status"), [("3.1", 20), ("3.3", 0)])
def test_findings_end_with_status_20(item: str, status: int) -> None:
    assert ("does not follow:" in shown("klein2008", item, "--check", status=status)) is (status == 20)
    found = json.loads(shown("klein2008", item, "--check", "--json", status=status))
    assert len(found["items"][0]["does_not_follow"]) == (status == 20)
    assert "does_not_follow" not in json.loads(shown("klein2008", item, "--json", status=0))["items"][0]


def test_a_whole_study_is_checked_with_the_real_rules() -> None:
    found = checked(tuple(items("tsiouprou2010").values()), drawn=False)
    assert plausibility.summary(found.values(), 80)[0].startswith("Checked 39 tables: ")
