"""The rules of all claims, and what is refused in their files."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from tests.studies.validator import EXPERIMENTS, rows
from virtometer.studies.data import Claim, claims, value
from virtometer.studies.rules import ALONE, RELATIONS, Rule, field, rule, rules, stated_range

CLAIM = Claim("klein2008", "1", "klein2008/c001", "guest", "time", "loss", "native", None, None, "share", "", (), "")
ENTRY: dict[str, Any] = {"subject": {"item": "3.3"}, "reference": {"item": "3.2"}}


def made(relation: str = "loss", **entry: Any) -> Rule:
    return rule(dataclasses.replace(CLAIM, relation=relation), {**ENTRY, **entry})


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_every_claim_has_cells_that_decide_it_or_a_reason(study: str) -> None:
    found = rules(study)
    assert list(found) == [claim.claim_id for claim in claims(study)]
    for claim in claims(study):
        of = found[claim.claim_id]
        assert bool(of.cases) is not bool(of.undecidable), claim.claim_id
        if of.cases:
            assert of.relation in RELATIONS
        else:
            assert of.undecidable[0].islower() and len(of.undecidable.split()) <= 15


def test_all_claims_of_the_file_have_a_rule() -> None:
    assert sum(len(rules(study)) for study in EXPERIMENTS) == len(rows("claims.csv")) == 200


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_every_selector_finds_cells(study: str) -> None:
    for of in rules(study).values():
        for case in of.cases:
            for selector in (*case.subjects, *case.references):
                assert selector.cells(), f"{of.claim_id}: {selector}"
            assert bool(case.references) is not (of.relation in ALONE) or of.restates, of.claim_id


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_a_rule_that_judges_otherwise_than_the_claim_says_so(study: str) -> None:
    for claim in claims(study):
        of = rules(study)[claim.claim_id]
        if of.cases and (of.relation != claim.relation or (of.low, of.high) != (claim.value, claim.high)):
            assert of.note or of.restates, claim.claim_id


def test_a_field_of_a_cell_is_found_among_its_options_too() -> None:
    cell = value("klein2008/3.3/r1c1")
    assert [field(cell, name) for name in ("operation", "options.bridge", "options.stage")] == ["read", "off", ""]


def test_numbers_of_texts_are_cells_only_where_they_are_wanted() -> None:
    of = made(subject={"workload": "partdiff"}, reference={"item": "text 3.5"})
    assert not of.cases[0].subject_cells() and len(of.cases[0].reference_cells()) == 5


def test_fields_in_which_subject_and_reference_differ_are_not_compared() -> None:
    of = made(subject={"bits": 64, "level": "L1"}, reference={"bits": [32, 64], "level": "L1"}, same=["role"])
    assert "bits" not in of.cases[0].same and {"level", "role", "metric"} < set(of.cases[0].same)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"subjects": {}}, "subjects"),
        ({"relation": "cause"}, "'cause'"),
        ({"undecidable": "why"}, "undecidable"),
        ({"holds": "some"}, "some"),
        ({"subject": {"colour": "red"}}, "colour"),
        ({"subject": {}}, "subject"),
        ({"same": ["colour"]}, "colour"),
        ({"reference": None}, "reference"),
        ({"relation": "value"}, "reference"),
        ({"along": {"guests": [1, 2]}}, "along"),
        ({"relation": "trend up", "reference": None}, "along"),
        ({"relation": "value", "reference": None, "holds": "mean"}, "mean"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused_with_the_claim(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as raised:
        made(**entry)
    assert "klein2008/c001" in str(raised.value)


@pytest.mark.parametrize(
    ("low", "high", "unit", "wanted"),
    [
        (0.5, None, "share", (0.375, 0.625)),
        (0.03, None, "share", (0.02, 0.04)),
        (2, None, "1", (1.5, 2.5)),
        (0.01, 0.03, "share", (0.005, 0.035)),
        (0.1, 0.2, "1", (0.1, 0.2)),
        (2, math.inf, "1", (2, math.inf)),
        (-math.inf, 0.05, "share", (-math.inf, 0.055)),
        (0, 3145728, "B/s", (0, 3145728)),
    ],
)
def test_stated_numbers_have_a_tolerance_and_percents_are_rounded(
    low: float, high: float | None, unit: str, wanted: tuple[float, float]
) -> None:
    found = stated_range(made(value=low, high=high), unit)
    assert found == pytest.approx(wanted)


def test_cells_that_slipped_are_known_and_have_a_reason() -> None:
    of = rules("lemberger2010")["lemberger2010/c001"].slipped
    assert of and all(value(name).study == "lemberger2010" and words for name, words in of.items())
    assert not rules("klein2008")["klein2008/c002"].slipped


def test_nothing_stated_has_no_range() -> None:
    assert stated_range(made(), "share") is None


def test_fair_shares_have_a_margin_of_their_own_and_an_entry_may_set_it() -> None:
    assert made("about equal").margin == 0.05
    assert made("fair", reference=None).margin == 0.10
    assert made("about equal", margin=0.2).margin == 0.2
