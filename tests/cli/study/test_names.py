"""Names of studies and items on the command line."""

from __future__ import annotations

import pytest

from virtometer.cli.study.names import claims_named, items_named, study_named
from virtometer.errors import UsageError
from virtometer.studies.agreement import claims_table
from virtometer.studies.data import items, studies


def test_every_item_is_found_by_its_name_and_by_its_simple_form() -> None:
    for study in studies().values():
        for item in items(study.study).values():
            assert items_named(study, item.item) == (item,)
            assert items_named(study, item.item.upper()) == (item,)
            assert items_named(study, item.item.replace(" ", "-").replace(":", "")) == (item,)


def test_parts_are_found_by_their_whole() -> None:
    assert len(items_named(study_named("zupka2008"), "f5.15")) == 13


@pytest.mark.parametrize(
    ("given", "near"),
    [("klein", "'klein2008'"), ("Kline2008", "'klein2008'"), ("2010", "'tsiouprou2010' or 'lemberger2010'")],
)
def test_an_unknown_study_is_an_error_with_near_names(given: str, near: str) -> None:
    with pytest.raises(UsageError) as raised:
        study_named(given)
    assert raised.value.sentence == f"there is no study '{given}'; did you mean {near}?"
    assert "appel2008" in raised.value.advice


@pytest.mark.parametrize(
    ("given", "near"),
    [("RAM Average", "'appendix: RAM Average'"), ("chart 4.221", "'chart 4.22'"), ("last", "'appendix: Netz - Last'")],
)
def test_an_unknown_item_is_an_error_with_near_names(given: str, near: str) -> None:
    with pytest.raises(UsageError) as raised:
        items_named(study_named("lemberger2010"), given)
    assert near in raised.value.sentence and "did you mean" in raised.value.sentence
    assert "virtometer study list lemberger2010" in raised.value.advice


def test_nothing_near_gives_no_hint_and_long_names_are_cut() -> None:
    with pytest.raises(UsageError) as raised:
        study_named("x" * 500)
    assert "did you mean" not in raised.value.sentence and len(raised.value.sentence) < 100


@pytest.mark.parametrize("given", ["c030", "C030", "tsiouprou2010/c030"])
def test_a_claim_is_found_by_its_id(given: str) -> None:
    study = study_named("tsiouprou2010")
    assert [row.claim_id for row in claims_named(study, claims_table(study.study), given)] == ["c030"]


def test_an_unknown_claim_is_an_error_with_near_ids() -> None:
    study = study_named("klein2008")
    with pytest.raises(UsageError) as raised:
        claims_named(study, claims_table(study.study), "c026")
    assert "'c026'" in raised.value.sentence and "'c02" in raised.value.sentence.partition("did you mean")[2]
    assert "virtometer study claims klein2008" in raised.value.advice
