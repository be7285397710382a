"""How many blocks the effects of a design get in all: the two stages of `stopping`, for contrasts instead of ratios.

A contrast of the first n blocks has a value, an error and degrees of freedom. With N blocks in all its error is smaller
by the square root of n / N. As for comparisons, N is fixed once from the first n: for a precision as C. Stein (1945)
does, with the degrees of freedom that the contrast has; else so that 80 % decide it. All combinations of a workload get
the blocks of its contrast that takes the most, because an effect is a mean over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.effects.claims import AlphaFactors, p_of_none, p_of_zero
from virtometer.analysis.effects.fit import LEAST_FREEDOM, Estimates
from virtometer.analysis.effects.model import Model, models
from virtometer.analysis.effects.table import Experiment
from virtometer.analysis.statistics import equivalence, holm
from virtometer.analysis.statistics.precision import MAX_BLOCKS
from virtometer.analysis.statistics.spread import Spread
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL
from virtometer.analysis.stopping.rule import SAFE, Allotment, allotted, blocks_for_precision, blocks_to_decide


@dataclass(frozen=True, slots=True)
class Reported:
    """A contrast of a workload after the first blocks. of: its value and the spread that one block has of it.

    zero, none: p of no effect, and of none that matters.
    """

    workload: str
    term: str
    of: Spread
    freedom: float
    zero: float
    none: float


def reported(of: Experiment, margin: float, *, all_metrics: bool = False) -> list[Reported]:
    """The contrasts of all workloads that have an error. all_metrics: also of those that get no verdict."""
    refused = set() if all_metrics else {one.metric for one in of.responses if one.refused}
    found = [one[0] for metric, made in models(of) if metric not in refused for one in of_model(made, metric, margin)]
    return [one for one in found if one.freedom >= LEAST_FREEDOM]


def of_model(made: Model, workload: str, margin: float) -> list[list[Reported]]:
    """The contrasts of one workload, each in all repetitions of the model."""
    asked = [one for term in made.spans for one in made.asked(term)]
    estimates: Estimates = made.fit.contrasts([one.weights for one in asked])
    zero, none = p_of_zero(estimates), p_of_none(estimates, margin)
    blocks = made.fit.blocks
    return [
        [
            Reported(
                workload,
                made.name(one.term),
                Spread(float(estimates.value[at, r]), float(estimates.error[at, r]) * math.sqrt(blocks), blocks),
                float(estimates.freedom[at, r]),
                float(zero[at, r]),
                float(none[at, r]),
            )
            for r in range(estimates.value.shape[1])
        ]
        for at, one in enumerate(asked)
    ]


def allot_effects(
    family: Sequence[Reported],
    margin: float,
    alpha_factors: AlphaFactors,
    *,
    block_s: Mapping[str, float],
    start_s: float,
    left_s: float,
    precision: float | None = None,
    most_blocks: int = MAX_BLOCKS,
) -> Allotment:
    """Fix the blocks in all of every effect from the first stage, by (workload, term), the cheapest first.

    block_s: seconds of one more block of all combinations, by workload; start_s: until the guests of a block have
    started. left_s, precision, most_blocks: as for `stopping.allot`.
    """
    needed = _needed(family, margin, alpha_factors, precision, most_blocks)
    done = max((one.of.n for one in family), default=0)
    more: dict[Key, int | None] = {}
    for one, count in zip(family, needed, strict=True):
        key, before = (one.workload, one.term), more.get((one.workload, one.term), 0)
        more[key] = None if count is None or before is None else max(before, count - one.of.n)
    return allotted(
        more, done, most_blocks, cost_s=dict.fromkeys(more, 0.0), shared_s=block_s,
        start_s=dict.fromkeys((term for _, term in more), start_s), left_s=left_s,
    )  # fmt: skip


def blocks_of_workloads(of: Allotment) -> dict[str, int]:
    """The blocks that all combinations of a workload get: those of its effect that gets the most."""
    found: dict[str, int] = {}
    for (workload, _), blocks in of.blocks.items():
        found[workload] = max(found.get(workload, 0), blocks)
    return found


def _needed(
    family: Sequence[Reported], margin: float, alpha_factors: AlphaFactors, precision: float | None, most: int
) -> list[int | None]:
    """Blocks in all of every contrast; None beyond `most`."""
    if precision is not None:
        return [blocks_for_precision(one.of, math.log1p(precision), freedom=one.freedom) for one in family]
    limit = equivalence.limit(margin)
    differ, alike = CLAIM_LEVEL * alpha_factors.claims, equivalence.LEVEL * alpha_factors.claims
    zero = holm.adjust([one.zero for one in family])
    none = holm.adjust([one.none for one in family])
    open_zero = sum(p >= SAFE * differ for p in zero)
    open_none = sum(p >= SAFE * alike for p in none)
    levels = differ / max(1, open_zero), alike / max(1, open_none)
    return [
        one.of.n
        if p_zero < SAFE * differ or p_none < SAFE * alike
        else blocks_to_decide(one.of, limit, levels[0], most, alike_level=levels[1], freedom=one.freedom)
        for one, p_zero, p_none in zip(family, zero, none, strict=True)
    ]
