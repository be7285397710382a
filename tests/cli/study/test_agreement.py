"""What `virtometer study claims` prints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.laboratory import virtometer
from tests.report.studies.filled import with_short_form
from tests.studies.validator import EXPERIMENTS
from virtometer.cli.study.agreement import agreement_lines, agreement_object, claim_lines, numbers, shared_lines
from virtometer.studies.agreement import ClaimRow, claims_table, counts
from virtometer.studies.data import studies, value
from virtometer.studies.shared_runs import shared_runs


def row_of(study: str, claim: str) -> ClaimRow:
    return next(row for row in claims_table(study) if row.claim_id == claim)


def document(*words: str) -> Any:
    outcome = virtometer("study", "claims", *words, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    return json.loads(outcome.out, parse_constant=pytest.fail)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("study", EXPERIMENTS)
def test_all_claims_stand_in_lines_that_fit(study: str, width: int) -> None:
    rows = claims_table(study)
    lines = agreement_lines(studies()[study], rows, width)
    assert max(map(len, lines)) <= width
    assert all(sum(line.startswith(f"{row.claim_id}  ") for line in lines) == 1 for row in rows)
    assert all(any(line.startswith(f"  {row.claim_id}: ") for line in lines) for row in rows if row.rule.note)


def test_the_verdicts_are_counted() -> None:
    text = " ".join(agreement_lines(studies()["klein2008"], claims_table("klein2008"), 200))
    assert "25 claims" in text and "8 agree, 0 disagree, 2 undecided, 15 cannot be tried here" in text


@pytest.mark.parametrize(
    ("study", "claim", "words"),
    [
        ("lemberger2010", "c031", "loss 4.37 %; 1 of 1 in 3 to 5 %"),
        ("tsiouprou2010", "c040", "loss -39.7 to -4.6 %; 4 of 4 at most 5 %"),
        ("tsiouprou2010", "c039", "ratio 1.27 to 1.4; 2 of 2 above 1"),
        ("tsiouprou2010", "c033", "mean gain 2.87 %; pairs -18.3 to 45 %; 0 of 8 in 2 to 4 %"),
        ("tsiouprou2010", "c047", "difference 821,035 to 3,028,287 B/s; 3 of 3 in 0 to 3,145,728 B/s"),
        ("tsiouprou2010", "c011", "value 4; 1 of 1 in 3 to 5"),
        ("lemberger2010", "c011", "speed ratio 2.55 to 4.42; 4 of 4 not in 0.95 to 1.05"),
        ("lemberger2010", "c015", "ratio 0.792 to 0.953; 16 of 16 below 1"),
        ("lemberger2010", "c017", "value 73.4 to 83 %; 4 of 4 in 60 to 100 %"),
        ("lemberger2010", "c032", "loss 12.5 to 24.4 %; 1 of 2 in 9.5 to 20.5 %; 2 without a number"),
        ("lemberger2010", "c047", "ratio 2.07 to 2.81; 2 of 2 at least 2"),
        ("lemberger2010", "c001", ""),
    ],
)
def test_the_numbers_of_a_claim_stand_in_words(study: str, claim: str, words: str) -> None:
    row = row_of(study, claim)
    assert numbers(row.published, row.claim.unit) == words


def test_one_claim_has_all_its_pairs() -> None:
    row = row_of("tsiouprou2010", "c030")
    lines = claim_lines(row, 120)
    assert max(map(len, lines)) <= 120
    assert sum(line.endswith("  no") for line in lines) == 4 and sum(line.endswith("  yes") for line in lines) == 4
    assert any("VM 1: 8.23 s" in line and "VM 2: 0.82 s" in line for line in lines)
    assert "cannot be tried" in " ".join(claim_lines(row_of("tsiouprou2010", "c031"), 80))


@pytest.mark.parametrize("width", [80, 120])
def test_shared_runs_stand_side_by_side(width: int) -> None:
    lines = shared_lines(shared_runs(), width)
    assert max(map(len, lines)) <= width
    assert sum("20.885 s" in line for line in lines) == 1
    alone = agreement_lines(studies()["appel2008"], claims_table("appel2008"), 200)
    assert not any("side by side" in line for line in alone)


def test_the_json_has_every_pair_with_its_cells() -> None:
    found = document("lemberger2010")
    assert found.keys() == {"study", "counts", "claims", "shared"}
    rows = claims_table("lemberger2010")
    assert found["counts"] == {"published": counts(row.published for row in rows), "new": None}
    assert [claim["claim_id"] for claim in found["claims"]] == [row.claim.claim_id for row in rows]
    for claim, row in zip(found["claims"], rows, strict=True):
        assert (claim["published"]["verdict"], claim["published"]["reason"]) == (
            row.published.verdict,
            row.published.reason,
        )
        assert (claim["new"], claim["short_form"]) == (None, [])
        for pair in claim["published"]["pairs"]:
            assert value(pair["subject"]).study == "lemberger2010"
            assert pair["figure"]["low"] <= pair["figure"]["value"] <= pair["figure"]["high"]
    assert len(found["shared"]) == 34 and found["shared"][0]["native"].startswith("tsiouprou2010/")


def test_the_json_of_one_claim_has_it_alone() -> None:
    found = document("lemberger2010", "C047")
    assert [claim["claim_id"] for claim in found["claims"]] == ["lemberger2010/c047"]
    assert found["claims"][0]["published"]["wanted"] == {"low": 2, "high": None, "open": False, "outside": False}
    assert found["shared"] == []


@pytest.mark.parametrize("width", [80, 120])
def test_claims_say_that_a_short_form_measured_them(width: int) -> None:
    of = with_short_form()
    row = next(one for one in of.claims if one.claim_id == "c008")
    lines = claim_lines(row, width)
    assert max(map(len, lines)) <= width
    assert "measured in short form: tsiouprou2010 linpack" in lines
    assert sum("(measured in short form)" in line for line in lines) == 1
    table = agreement_lines(of.study, of.claims, width)
    assert max(map(len, table)) <= width and "short form" in " ".join(table)
    found = {claim["claim_id"]: claim["short_form"] for claim in agreement_object(of.study, of.claims)["claims"]}
    assert found["tsiouprou2010/c008"] == ["tsiouprou2010 linpack"]
    assert [name for name, of in found.items() if of] == [one.claim.claim_id for one in of.claims if one.short_form]
