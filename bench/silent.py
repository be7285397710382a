"""A progress display that shows nothing and keeps the records."""

from __future__ import annotations

from virtometer.model import TrialRecord
from virtometer.runner.campaign.progress import Progress


class Silent(Progress):
    """`records`: of the trials that are finished, in their order."""

    def __init__(self) -> None:
        self.records: list[TrialRecord] = []

    def trial_finished(self, record: TrialRecord, *of: object) -> None:
        """Keep the record."""
        self.records.append(record)
