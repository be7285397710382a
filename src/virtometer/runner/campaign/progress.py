"""What a campaign reports to its observers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from virtometer.analysis.live import LiveEstimate
from virtometer.model import Plan, Stage, Trial, TrialRecord
from virtometer.runner.campaign.remaining_time import TimeLeft

Estimates = Mapping[tuple[str, str], LiveEstimate]
"""What is known so far, by (workload, environment)."""


class Progress:
    """Shows nothing. Subclasses show what they want of it."""

    def cleaned_up(self, sentences: Sequence[str]) -> None:
        """What earlier laboratories had left behind was removed."""

    def stage(self, text: str) -> None:
        """What the laboratory does now, beside trials and starts of guests; it may take a while."""

    def begun(self, directory: Path, plan: Plan, planned: Sequence[Trial], finished: int) -> None:
        """The campaign's directory exists; `finished` trials were already done."""

    def guest_starting(self, environment: str) -> None:
        """A guest is being started."""

    def trial_started(self, trial: Trial) -> None:
        """A trial begins."""

    def trial_finished(self, record: TrialRecord, done: int, total: int, left: TimeLeft, estimates: Estimates) -> None:
        """A trial is in the ledger: the trials done and planned, what is left, and what is known so far."""

    def extended(self, stage: Stage, planned: Sequence[Trial]) -> None:
        """A further stage is fixed; `planned` are all trials, its own included."""

    def message(self, text: str) -> None:
        """Something that the user should know."""
