"""A progress display that shows nothing and keeps the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from virtometer.analysis.live import LiveEstimate
from virtometer.model import Plan, Stage, Trial, TrialRecord
from virtometer.runner.campaign.remaining_time import TimeLeft


class Silent:
    """`records`: of the trials that are finished, in their order."""

    def __init__(self) -> None:
        self.records: list[TrialRecord] = []

    def swept(self, sentences: Sequence[str]) -> None:
        """Nothing."""

    def stage(self, text: str) -> None:
        """Nothing."""

    def begun(self, directory: Path, plan: Plan, planned: Sequence[Trial], finished: int) -> None:
        """Nothing."""

    def guest_starting(self, environment: str) -> None:
        """Nothing."""

    def trial_started(self, trial: Trial) -> None:
        """Nothing."""

    def trial_finished(
        self,
        record: TrialRecord,
        done: int,
        total: int,
        left: TimeLeft,
        estimates: Mapping[tuple[str, str], LiveEstimate],
    ) -> None:
        """Keep the record."""
        self.records.append(record)

    def extended(self, stage: Stage, planned: Sequence[Trial]) -> None:
        """Nothing."""

    def message(self, text: str) -> None:
        """Nothing."""
