"""What stands behind the numbers on the page."""

from __future__ import annotations

from dataclasses import replace

from tests.report.showcase import showcase
from virtometer.analysis import analyse
from virtometer.report.findings.record import sections


def test_the_record_has_the_plan_the_trials_the_commands_and_the_versions() -> None:
    campaign = replace(showcase(), plan_text="virtometer: 1\n")
    trouble, starts, facts, record = sections(analyse(campaign))
    assert "planned trials have run" in trouble.sentences[0] and trouble.tables
    assert starts.tables[0].rows
    plan, trials, commands, versions = record.folded
    assert plan.text == "virtometer: 1\n" and plan.table is None
    assert trials.table is not None and len(trials.table.rows) == len(campaign.trials)
    assert f"{len(trials.table.rows)} of {len(campaign.planned)}" == trials.about
    assert commands.table is not None and versions.table is not None
    (settings,) = facts.parts
    by_name = {one.title: one for one in settings.folded}
    assert set(by_name) == {one.name for one in campaign.plan.environments}
    assert "does not work here" in by_name["KVM"].about and by_name["native"].about == "native"


def test_without_a_fault_there_is_no_table_of_reasons() -> None:
    campaign = showcase()
    clean = replace(campaign, trials=tuple(replace(one, marks=()) for one in campaign.trials if one.failure is None))
    (trouble, *_) = sections(analyse(clean))
    assert all("sample" in row[1] for table in trouble.tables for row in table.rows)
