"""The claims of a study with their verdicts, as rows of a table."""

from __future__ import annotations

from collections import Counter

from virtometer.analysis.studies.results import StudyResults
from virtometer.studies.agreement import SHORT_FORM, VERDICTS, ClaimRow, Outcome

ClaimLine = tuple[str, str, str, str, str]
"""Id, statement, verdict of the printed cells, verdict here, and what tests it."""


def claim_rows(found: StudyResults) -> list[ClaimLine]:
    """One row for each claim, in the order of the study."""
    return [
        (
            row.claim_id,
            row.claim.statement,
            _verdict(row.published),
            _here(row),
            ", ".join(row.claim.tested_by),
        )
        for row in found.claims
    ]


def claims_counted(found: StudyResults) -> list[str]:
    """How many claims have which verdict, by the printed cells and here."""
    said = [f"By the printed cells: {_counted([row.published for row in found.claims])}."]
    new = [row.new for row in found.claims if row.new is not None]
    short = sum(bool(row.short_form) for row in found.claims)
    told = f" Of these {short} were {SHORT_FORM}." if short else ""
    return [*said, f"Here: {_counted(new)}.{told}"] if new else said


def _here(row: ClaimRow) -> str:
    """The verdict of new cells, and whether a short form measured them; empty without campaigns."""
    said = "" if row.new is None else _verdict(row.new)
    return f"{said} ({SHORT_FORM})" if row.short_form else said


def _counted(outcomes: list[Outcome]) -> str:
    counts = Counter(one.verdict for one in outcomes)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def _verdict(of: Outcome) -> str:
    return f"{of.verdict}: {of.reason}" if of.reason else of.verdict
