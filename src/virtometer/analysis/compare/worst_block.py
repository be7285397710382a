"""The worst block of each comparison, and what would be concluded without it.

The worst block is the one whose log ratio is farthest from the median of the blocks. The verdict without it is that of
the same rules: the comparison alone lacks the block, the others of its family keep theirs, and Holm's adjustment is
made anew. It shows how much one block decides. It is no result: a block is never left out because of its ratio.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from typing import TypeVar

from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import spread
from virtometer.analysis.statistics.verdicts import p_values, verdict_of
from virtometer.model import MIN_BLOCKS, Estimate, Verdict, WorstBlock

Which = TypeVar("Which")

_FEWEST = 3  # of two blocks both are equally far from their median


def farthest(logs: Mapping[int, float]) -> int | None:
    """The block farthest from the median, the first one of several; None of fewer than three, or where all are equal.

    logs: by block.
    """
    if len(logs) < _FEWEST:
        return None
    middle = statistics.median(logs.values())
    block = max(logs, key=lambda one: abs(logs[one] - middle))
    return block if logs[block] != middle else None


def worst_blocks(
    family: Mapping[Which, Mapping[int, float]],
    sides: Callable[[Which], tuple[str, str]],
    margin: float,
    alpha_factor: float = 1.0,
) -> dict[Which, WorstBlock]:
    """The worst block of every comparison that has one.

    family: log ratios by block, those that are decided by. sides: the subject and the reference of a
    comparison. alpha_factor: as in `verdicts.decide`.
    """
    tested = p_values({key: spread(logs.values()) for key, logs in family.items()})
    found = {}
    for key, logs in family.items():
        block = farthest(logs)
        if block is None:
            continue
        others = [log for one, log in logs.items() if one != block]
        without = interval(others, alpha_factor=alpha_factor)
        assert without is not None  # of three blocks two are left
        verdict = verdict_of(key, spread(others), tested, margin, alpha_factor)
        ratio = Estimate(math.exp(logs[block]), None, None, 1)
        found[key] = WorstBlock(
            block, efficiency(*sides(key), ratio, "one block"), efficiency(*sides(key), without), verdict
        )
    return found


def notes(worst: WorstBlock | None, verdict: Verdict) -> list[str]:
    """That the verdict depends on one block, in a sentence. Nothing where too few blocks would be left for any."""
    if worst is None or worst.without.n < MIN_BLOCKS or worst.verdict_without is verdict:
        return []
    return [
        f"the verdict depends on one block: without block {worst.block + 1} (ratio {worst.ratio.estimate.value:.3g}) "
        f"it would be {worst.verdict_without}"
    ]
