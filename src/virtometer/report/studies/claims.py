"""The claims of a study with their verdicts, as rows of a table."""

from __future__ import annotations

from collections import Counter

from virtometer.analysis.studies.results import StudyResults
from virtometer.studies.agreement import SHORT_FORM, VERDICTS, Outcome

ClaimLine = tuple[str, str, str, str, str]
"""Id, statement, verdict of the printed cells, verdict here, and what tests it."""


def claim_rows(found: StudyResults) -> list[ClaimLine]:
    """One row for each claim, in the order of the study."""
    return [
        (
            row.claim_id,
            row.claim.statement,
            row.published.words,
            row.here,
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


def _counted(outcomes: list[Outcome]) -> str:
    counts = Counter(one.verdict for one in outcomes)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
