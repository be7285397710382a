"""Workloads with an exact number of runs: how many of them each block has. PURE."""

from __future__ import annotations

from virtometer.model import Plan


def runs_in_block(plan: Plan, workload: str, block: int) -> int | None:
    """The runs of each guest in a block, counted from 0; None where the window decides.

    The blocks of a plan share the runs, and the first ones have one more where the runs cannot be divided. Further
    blocks have as many as the first ones.
    """
    runs = next(one.runs for one in plan.workloads if one.name == workload)
    if runs is None:
        return None
    each, more = divmod(runs, plan.first_blocks)
    return each + (block % plan.first_blocks < more)
