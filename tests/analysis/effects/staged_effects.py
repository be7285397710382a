"""Experiments whose blocks a rule fixes, with known effects: the rule of `further`, then the analysis of all blocks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.analysis.effects.known_effects import NOISE, Case, variables
from tests.analysis.effects.sequential_campaigns import truth_of
from virtometer.analysis.effects.claims import AlphaFactors, Claim, claims, interval, p_of_none, p_of_zero
from virtometer.analysis.effects.further import allot_effects, blocks_of_workloads, of_model
from virtometer.analysis.effects.model import Model, model
from virtometer.analysis.effects.table import Observed
from virtometer.analysis.stopping.rule import ALPHA_FACTOR

BY_RULE = AlphaFactors(ALPHA_FACTOR, ALPHA_FACTOR)


@dataclass
class Outcome:
    """One experiment after all of its blocks: whether each interval holds the truth, its half width, the verdicts."""

    blocks: int
    names: list[str]
    holds: NDArray[np.bool_]
    half: NDArray[np.float64]
    claimed: list[Claim]


def repeat(
    case: Case,
    noise: str,
    effects: Mapping[str, float] | None = None,
    *,
    precision: float | None = None,
    margin: float = 0.05,
    most: int = 60,
    repetitions: int = 500,
    orders: int = 10,
    seed: int = 1,
    spread: float = 0.05,
    starts: float = 0.02,
    alpha_factors: AlphaFactors = BY_RULE,
) -> list[Outcome]:
    """`case.blocks` are those of the first stage; `most` of both. starts: spread of a random effect of each start."""
    rng = np.random.default_rng(seed)
    found = []
    truth = effects or {}
    for _ in range(orders):
        level, block = Case(case.levels, case.cells, most).ordered(rng)
        count = repetitions // orders
        logs = spread * NOISE[noise](rng, len(level), count) + truth_of(truth, level)[:, None]
        logs = logs + starts * rng.standard_normal(logs.shape)
        whole = Observed(level, block, np.arange(len(level)), logs)
        first = _model(case, whole, case.blocks, list(range(count)))
        told = of_model(first, "work", margin)
        by_blocks: dict[int, list[int]] = defaultdict(list)
        for number in range(count):
            allotment = allot_effects(
                [one[number] for one in told], margin, alpha_factors, block_s={"work": 1.0}, start_s=0.0,
                left_s=math.inf, precision=precision, most_blocks=most,
            )  # fmt: skip
            by_blocks[blocks_of_workloads(allotment)["work"]].append(number)
        for blocks, numbers in by_blocks.items():
            found += _concluded(_model(case, whole, blocks, numbers), blocks, truth, margin, alpha_factors)
    return found


def _model(case: Case, of: Observed, blocks: int, numbers: list[int]) -> Model:
    kept = of.block < blocks
    made = model(
        variables(case.levels), Observed(of.level[kept], of.block[kept], of.order[kept], of.logs[kept][:, numbers])
    )
    assert made is not None
    return made


def _concluded(
    made: Model, blocks: int, effects: Mapping[str, float], margin: float, alpha_factors: AlphaFactors
) -> list[Outcome]:
    asked = [one for term in made.spans for one in made.asked(term)]
    names = [made.name(one.term) for one in asked]
    estimates = made.fit.contrasts([one.weights for one in asked])
    low, high = interval(estimates, 0.05 * alpha_factors.intervals)
    zero, none = p_of_zero(estimates), p_of_none(estimates, margin)
    truth = np.array([effects.get(name, 0.0) for name in names])
    return [
        Outcome(
            blocks, names, (low[:, r] <= truth) & (truth <= high[:, r]), (high[:, r] - low[:, r]) / 2,
            claims(zero[:, r], none[:, r], alpha_factors),
        )
        for r in range(zero.shape[1])
    ]  # fmt: skip
