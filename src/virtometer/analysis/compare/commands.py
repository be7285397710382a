"""Commands compared with each other: what a run of each takes, by what a run of the first one takes beside it."""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis.compare.blocks import Key, TreatmentData, logs_by_block
from virtometer.analysis.score import typical
from virtometer.analysis.statistics.interval import interval
from virtometer.model import COMMAND, Campaign, Estimate, PlanWorkload, Quantity

_BEYOND = 1 << 20  # rounds of a block


def names_of(campaign: Campaign) -> list[str]:
    """The workloads that are commands of the user's, in the plan's order."""
    return [one.name for one in campaign.plan.workloads if one.workload == COMMAND]


def of_time(workload: PlanWorkload) -> bool:
    """Whether the result of a command is its time, and no value that it prints."""
    return "value" not in workload.parameters


def beside_first(
    campaign: Campaign, table: Mapping[Key, TreatmentData], values: Mapping[Key, Mapping[int, float]]
) -> dict[Key, Quantity[Estimate]]:
    """Ratios of times, by workload and environment, over the blocks that have both; above 1 the command takes longer.

    Of values that commands print: above 1 the value is larger. Only of further commands, in the plan's order, whose
    unit and direction are those of the first one. Empty where a plan has fewer than two. `table`: of the campaign.
    `values`: of its commands by block, as reports show them.
    """
    names = names_of(campaign)
    found = {}
    of = "value" if any("value" in one.parameters for one in campaign.plan.workloads) else "time"
    for name in names[1:]:
        for environment in campaign.plan.environments:
            mine, first = (table.get((one, environment.name)) for one in (name, names[0]))
            if mine is None or first is None or mine.shape is None or mine.shape != first.shape:
                continue
            logs = logs_by_block(values[mine.key], values[first.key], "higher")
            if campaign.plan.turns == "commands" and campaign.plan.verdict == "typical":
                logs |= typical.logs_by_block(rounds_of(mine), rounds_of(first), "higher")
            estimate = interval(logs.values())
            if estimate is not None:
                found[name, environment.name] = Quantity(
                    environment.name, f"{of} of {name}", "", first.shape[2], "geometric mean", estimate, names[0]
                )
    return found


def rounds_of(data: TreatmentData) -> dict[int, list[typical.Rounds]]:
    """By block, the rounds of all guests of a treatment as those of one, each with a number that tells the guest."""
    found = dict[int, dict[int, float]]()
    for guest, blocks in data.start_rounds.items():
        for block, rounds in blocks.items():
            found.setdefault(block, {}).update({number + guest * _BEYOND: one for number, one in rounds.items()})
    return {block: [rounds] for block, rounds in found.items()}
