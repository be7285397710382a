"""Claims as rows of a table."""

from __future__ import annotations

from tests.report.studies.filled import filled, printed
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
