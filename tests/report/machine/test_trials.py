"""Trials as rows."""

from __future__ import annotations

from tests.report.showcase import compared, lying
from virtometer.model import Campaign
from virtometer.report.machine.trials import PLACEMENT, RUN, TRIAL, OfCampaign


def rows(of: Campaign) -> list[dict[str, object]]:
    return [TRIAL.row(OfCampaign(of, record.trial, record)) for record in of.trials]


def test_a_failed_trial_has_its_reason_and_runs_without_a_score() -> None:
    campaign = lying()
    failed = [row for row in rows(campaign) if row["status"] == "failed"]
    assert failed and all(row["reason"] and row["reason_kind"] == "clock" for row in failed)
    records = [one for one in campaign.trials if one.failure is not None]
    for record in records:
        for run in record.runs:
            row = RUN.row(run)
            assert [row[name] for name in ("value", "work", "window_s", "guest_cpu_s", "clock")] == [None] * 5


def test_a_run_has_the_fields_of_its_placement_and_the_fitted_line() -> None:
    record = compared().trials[0]
    row, placement = RUN.row(record.runs[0]), PLACEMENT.row(record.runs[0].placement)
    assert {name: row[name] for name in placement} == placement
    assert row["clock"]["rate"] == 2.0 and row["samples"] == len(record.runs[0].samples)


def test_a_trial_has_the_number_of_its_stage() -> None:
    campaign = compared()
    assert {OfCampaign(campaign, trial).stage for trial in campaign.planned} == {1}
    assert {row["stage"] for row in rows(campaign)} == {1}
