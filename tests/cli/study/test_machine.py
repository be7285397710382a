"""The JSON of the verb `study`: every value as values.csv has it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.laboratory import virtometer
from tests.studies.validator import rows

VALUES = rows("values.csv")
STUDIES = [row["study"] for row in rows("studies.csv")]


def document(*words: str) -> Any:
    outcome = virtometer("study", *words, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    return json.loads(outcome.out)


def cells(item: Any) -> list[Any]:
    if item["table"] is None:
        return item["listed"] or []
    return [cell for row in item["table"]["cells"] for cell in row if cell is not None]


@pytest.mark.parametrize("study", STUDIES)
def test_every_printed_cell_is_the_one_of_the_file(study: str) -> None:
    shown = {cell["id"]: cell for item in document("show", study)["items"] for cell in cells(item)}
    wanted = {row["id"]: row for row in VALUES if row["study"] == study}
    assert shown.keys() == wanted.keys()
    for identity, row in wanted.items():
        cell = shown[identity]
        texts = (
            "row",
            "column",
            "printed",
            "unit_printed",
            "relation",
            "printed_high",
            "status",
            "restored_from",
            "item",
        )
        assert [cell[name] for name in texts] == [row[name] for name in texts]
        assert cell["value"] == (float(row["value"]) if row["value"] else None)
        assert cell["options"] == json.loads(row["options"] or "{}")
        assert cell["inferred"] == [name for name in row["inferred"].split(";") if name]
        assert cell.keys() == row.keys()


def test_a_table_has_its_cells_at_their_labels() -> None:
    shown = document("show", "klein2008", "3.1")
    [item] = shown["items"]
    assert item["table"]["columns"][0] == {"label": "from node6", "unit": "MB/s"}
    assert item["table"]["rows"][1] == "to vm2" and item["table"]["cells"][1][1] is None
    for row, at in zip(item["table"]["cells"], item["table"]["rows"], strict=True):
        for cell, column in zip(row, item["table"]["columns"], strict=True):
            assert cell is None or (cell["row"], cell["column"]) == (at, column["label"])
    assert shown["study"]["study"] == "klein2008" and item["experiments"] == ["netperf"]
    assert {claim["section"] for claim in shown["claims"]} >= {"3.4.2"}


def test_a_figure_names_what_it_draws_and_holds_nothing() -> None:
    [item] = document("show", "tsiouprou2010", "F5.1")["items"]
    assert (item["draws"], item["table"], item["listed"]) == (["5.1", "5.2"], None, None)


def test_the_parts_of_an_item_are_several() -> None:
    assert len(document("show", "zupka2008", "F5.15")["items"]) == 13


def test_all_claims_stand_with_a_whole_study() -> None:
    claims = document("show", "appel2008")["claims"]
    wanted = [row for row in rows("claims.csv") if row["study"] == "appel2008"]
    assert [claim["claim_id"] for claim in claims] == [row["claim_id"] for row in wanted]
    assert [claim["statement"] for claim in claims] == [row["statement"] for row in wanted]


def test_lists_count() -> None:
    studies = document("list")["studies"]
    assert [one["study"] for one in studies] == STUDIES
    assert sum(one["values"] for one in studies) == len(VALUES)
    assert sum(one["claims"] for one in studies) == len(rows("claims.csv"))
    assert sum(one["tables"] + one["figures"] + one["texts"] for one in studies) == len(rows("items.csv"))
    shown = document("list", "lemberger2010")
    assert shown["study"] == studies[-1]
    assert [item["item"] for item in shown["items"]] == [
        row["item"] for row in rows("items.csv") if row["study"] == "lemberger2010"
    ]
