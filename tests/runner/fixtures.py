"""What fixtures of conftest.py give to tests: a display that remembers, and the types of what is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.environments.registry import KINDS
from virtometer.model import Plan, Stage, Trial, TrialRecord
from virtometer.runner.campaign.progress import Estimates, Progress
from virtometer.runner.campaign.remaining_time import TimeLeft

Document = Mapping[str, Any]
"""A part of a plan, as YAML has it."""


class MakePlan(Protocol):
    """Makes a short plan, whose baseline is the first environment."""

    def __call__(
        self, environments: Sequence[Document], workloads: Sequence[Document] | None = None, **more: Any
    ) -> Plan: ...


class Watcher(Progress):
    """A progress display that remembers."""

    directory: Path
    planned: Sequence[Trial]
    finished: int
    last: tuple[int, int, TimeLeft, Estimates]

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.records: list[TrialRecord] = []
        self.starting: list[str] = []
        self.stages: list[str] = []
        self.extensions: list[Stage] = []
        self.after_trial: Callable[[], None] = lambda: None

    def cleaned_up(self, sentences: Sequence[str]) -> None:
        self.sentences += sentences

    def stage(self, text: str) -> None:
        self.stages.append(text)

    def begun(self, directory: Path, plan: Plan, planned: Sequence[Trial], finished: int) -> None:
        self.directory, self.planned, self.finished = directory, planned, finished

    def guest_starting(self, environment: str) -> None:
        self.starting.append(environment)

    def trial_finished(self, record: TrialRecord, done: int, total: int, left: TimeLeft, estimates: Estimates) -> None:
        self.records.append(record)
        self.last = (done, total, left, estimates)
        self.after_trial()

    def extended(self, stage: Stage, planned: Sequence[Trial]) -> None:
        self.extensions.append(stage)
        self.planned = planned

    def message(self, text: str) -> None:
        self.sentences.append(text)


def resolved(plan: Plan) -> ResolvedPlan:
    """A plan of a test, with the kinds that there are now."""
    return resolve(plan, KINDS)
