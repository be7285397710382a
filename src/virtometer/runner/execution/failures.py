"""What ends a trial, and the record of one that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from virtometer.model import Failure, FailureKind, Mark, Placement, Run, Trial, TrialRecord
from virtometer.runner.guests.running import RunningGuest
from virtometer.visible import visible


class TrialFailed(Exception):
    """Ends a trial. `broken` are the guests that must not be used again."""

    def __init__(
        self, kind: FailureKind, reason: str, placement: Placement | None = None, broken: Sequence[RunningGuest] = ()
    ) -> None:
        """`reason` is one sentence, without the name of the environment of `placement`."""
        super().__init__(reason)
        self.failure = Failure(kind, reason, placement.ordinal if placement is not None else None)
        self.broken = tuple(broken)

    def of(self, placement: Placement) -> TrialFailed:
        """The same failure in another trial of the guest, which has it as this placement."""
        return TrialFailed(self.failure.kind, self.failure.reason, placement, self.broken)


def failed(
    trial: Trial, failure: Failure, started_at: str, wall_s: float, runs: Sequence[Run] = (), marks: Sequence[Mark] = ()
) -> TrialRecord:
    """The record of a trial without a score. Its reason may quote anybody's text, and becomes one line."""
    failure = replace(failure, reason=visible(" ".join(failure.reason.splitlines())))
    return TrialRecord(trial, failure, started_at, wall_s, 0, None, tuple(marks), tuple(runs))
