"""Few blocks and rare slow starts: the figures of docs/methods/comparisons.md."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, changed, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.model import Campaign, Finding, Verdict

CAMPAIGNS = 500
SLOW = 0.5  # of its usual speed


def slowed(campaign: Campaign, share: float, sides: tuple[str, ...], seed: int) -> Campaign:
    """The campaign with a share of the starts of some environments at half their speed."""
    rng = np.random.default_rng((seed, 12))
    slow = {(side, block) for side in sides for block in range(campaign.plan.blocks) if rng.random() < share}
    trials = []
    for record in campaign.trials:
        (run,) = record.runs
        if (run.placement.environment, record.trial.block) in slow:
            run = changed(run, value=run.scored.value * SLOW)
        trials.append(replace(record, runs=(run,)))
    return replace(campaign, trials=tuple(trials))


def found(share: float, blocks: int, sides: tuple[str, ...], seed: int) -> Finding:
    campaign = simulate([Place("native"), Place("box")], blocks=blocks, seed=seed, noise=gaussian(0.02), samples=1)
    return analyse(slowed(campaign, share, sides, seed)).findings[1]


@pytest.mark.parametrize(
    ("share", "blocks", "sides", "covered", "equivalent"),
    [
        (0.12, 9, ("box",), 0.71, 0.29),
        pytest.param(0.12, 24, ("box",), 0.92, 0.06, marks=pytest.mark.slow),
        pytest.param(0.12, 48, ("box",), 0.92, 0.03, marks=pytest.mark.slow),
        (0.05, 9, ("box",), 0.44, 0.62),
        pytest.param(0.05, 48, ("box",), 0.93, 0.29, marks=pytest.mark.slow),
        (0.12, 9, ("box", "native"), 0.98, 0.12),
    ],
)
def test_few_blocks_often_miss_the_cost_of_slow_starts_on_one_side(
    share: float, blocks: int, sides: tuple[str, ...], covered: float, equivalent: float
) -> None:
    """Within three standard errors of the figures in the table."""
    true = math.exp(share * math.log(SLOW)) if len(sides) == 1 else 1.0
    findings = [found(share, blocks, sides, seed) for seed in range(CAMPAIGNS)]
    counts = {
        covered: sum(
            (of.ratio.estimate.low or 0.0) <= true <= (of.ratio.estimate.high or 0.0)
            for of in findings
            if of.ratio.estimate
        ),
        equivalent: sum(of.verdict is Verdict.EQUIVALENT for of in findings),
    }
    for figure, count in counts.items():
        assert abs(count / CAMPAIGNS - figure) <= 3 * math.sqrt(figure * (1 - figure) / CAMPAIGNS)
