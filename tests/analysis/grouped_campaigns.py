"""Campaigns of which each block has groups of guests, with the baseline in each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.analysis.simulated_campaigns import changed
from virtometer.model import Campaign, Trial, TrialRecord

Groups = Sequence[Sequence[str]]


def in_groups(campaign: Campaign, groups: Groups | Callable[[int], Groups], factors: Sequence[float]) -> Campaign:
    """The campaign with these groups of environments beside the baseline (by block, where they are a function):
    everything in a group is so many times as fast as it was. The baseline's trials are there once for each group.
    """
    planned: list[Trial] = []
    records: list[TrialRecord] = []
    for record in campaign.trials:
        trial = record.trial
        (placement,) = trial.placements
        baseline = placement.environment == campaign.plan.baseline
        of_block = groups(trial.block) if callable(groups) else groups
        for number, (group, factor) in enumerate(zip(of_block, factors, strict=True)):
            if baseline or placement.environment in group:
                start = trial.block * len(factors) + number
                again = replace(trial, index=len(planned), start_group=start, turns=start)
                planned.append(again)
                runs = tuple(changed(run, value=run.scored.value * factor) for run in record.runs)
                records.append(replace(record, trial=again, runs=runs))
    plan = campaign.plan.model_copy(
        update={
            "workloads": [one.model_copy(update={"scheduling": "interleaved"}) for one in campaign.plan.workloads],
            "fresh": "block",
        }
    )
    return replace(campaign, plan=plan, planned=tuple(planned), trials=tuple(records))
