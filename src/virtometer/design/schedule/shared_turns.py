"""Which interleaved workloads of a block take turns with each other: commands, where the plan says so. PURE.

Ratios of commands with each other are then as precise as those of environments, because their runs share the noise of
the host. A command starts anew in each run, so that nothing of it has to stay in the guest while another one works.
Commands with a setup or a cleanup are left out: their runs are made in a state that those of others could change.
"""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.design.schedule.shuffle import Generator
from virtometer.model import COMMAND, Plan, PlanWorkload

MOST_AT_ONCE = 16
"""Runs that one agent keeps ready at the same time."""

_AROUND = ("setup", "cleanup")


def in_turn(plan: Plan, interleaved: Sequence[str], generator: Generator) -> list[list[str]]:
    """The names of workloads by unit: those of one unit take turns. interleaved: names, in the plan's order.

    More commands than an agent keeps ready are split into groups that are as large as each other, by chance. Commands
    with a number of runs take turns with such ones alone.
    """
    by_name = {one.name: one for one in plan.workloads}
    shared = [name for name in interleaved if plan.turns == "commands" and _may_share(by_name[name])]
    counted = [name for name in shared if by_name[name].runs is not None]
    units = [[name] for name in interleaved if name not in shared]
    for names in (counted, [name for name in shared if name not in counted]):
        units += _parts(names, generator)
    return units


def _may_share(workload: PlanWorkload) -> bool:
    return workload.workload == COMMAND and all(workload.parameters.get(one) is None for one in _AROUND)


def _parts(names: Sequence[str], generator: Generator) -> list[list[str]]:
    count = -(-len(names) // MOST_AT_ONCE)
    order = generator.shuffled(names) if count > 1 else names
    return [[name for name in names if name in order[part::count]] for part in range(count)]
