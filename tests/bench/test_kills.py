"""The kill test must notice a ledger that lost, repeated, changed or invented a trial."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.kills import MOMENTS, KilledLaboratory, moment
from virtometer.model import Failure, FailureKind, Placement, Trial, TrialRecord

PLANNED = [Trial(index, 0, index, 0, (Placement("native", "call"),)) for index in range(3)]
FAILURE = Failure(FailureKind.GUEST, "a reason")
RECORDS = [TrialRecord(trial, FAILURE, "then", 1.0, 0, None, (), ()) for trial in PLANNED]


def campaign(*records: TrialRecord, planned: int = 3) -> Any:
    return SimpleNamespace(trials=records, planned=PLANNED[:planned])


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        (campaign(), campaign(RECORDS[0]), None),
        (campaign(RECORDS[0]), campaign(*RECORDS), None),
        (campaign(*RECORDS[:2]), campaign(RECORDS[1]), "trial 0 was lost"),
        (campaign(RECORDS[0]), None, "trial 0 was lost"),
        (campaign(RECORDS[0]), campaign(replace(RECORDS[0], wall_s=2.0)), "trial 0 was made again or changed"),
        (campaign(), campaign(RECORDS[0], RECORDS[0]), "a trial is in the ledger twice"),
        (campaign(), campaign(RECORDS[2], planned=2), "a trial is in the ledger that was not planned"),
    ],
)
def test_every_fault_of_a_ledger_is_noticed(before: Any, after: Any, fault: str | None, tmp_path: Path) -> None:
    killed = KilledLaboratory(tmp_path, "", seed=1, longest_s=1.0)
    killed.compare(killed.compare({}, before), after)
    assert killed.outcome.faults == ([fault] if fault else [])


@pytest.mark.parametrize(
    ("known", "now", "number"),
    [(0, None, 0), (0, campaign(), 0), (1, campaign(*RECORDS[:1]), 1), (0, campaign(*RECORDS[:2]), 2),
     (1, campaign(*RECORDS[:2]), 2), (1, campaign(*RECORDS), 3), (3, campaign(*RECORDS), 3)],
)  # fmt: skip
def test_a_kill_falls_into_one_part_of_its_campaign(known: int, now: Any, number: int) -> None:
    assert moment(known, now) == MOMENTS[number]
