"""Claims as rows of a table."""

from __future__ import annotations

from tests.report.studies.filled import filled, printed, with_short_form
from virtometer.report.studies.claims import claim_rows, claims_counted
from virtometer.studies.data import claims


def test_every_claim_has_a_row_with_its_verdict() -> None:
    rows = claim_rows(printed())
    assert [row[1] for row in rows] == [one.statement for one in claims("tsiouprou2010")]
    assert all(row[2] and not row[3] for row in rows)


def test_verdicts_are_counted_by_both() -> None:
    (alone,) = claims_counted(printed())
    numbers = [int(word) for word in alone.replace(",", " ").split() if word.isdigit()]
    assert sum(numbers) == len(claims("tsiouprou2010"))
    assert len(claims_counted(filled())) == 2
    assert all(row[3] for row in claim_rows(filled()))


def test_verdicts_by_a_short_form_say_so() -> None:
    of = with_short_form()
    marked = {claim.claim_id for claim, row in zip(of.claims, claim_rows(of), strict=True) if "short form" in row[3]}
    assert marked == {claim.claim_id for claim in of.claims if claim.short_form} and "c008" in marked
    assert all(claim.new and claim.new.pairs for claim in of.claims if claim.short_form)
    assert f"Of these {len(marked)} were measured in short form." in claims_counted(of)[1]
    whole = filled()
    assert not any("short form" in row[3] for row in claim_rows(whole)) and "Of these" not in claims_counted(whole)[1]
