"""Each family of noise: the limit holds, or the diagnostic has spoken beside nine of ten errors.

Limits: claims of a difference that is not there in 5 % of campaigns, coverage of 93 %, 5 % wrong equivalences.
"""

from __future__ import annotations

import math

import pytest

from tests.analysis.noise_families import BUDGET_S, FAMILIES, LIMIT, Rates, row, simulated
from virtometer.model import MIN_BLOCKS

STAGES = {"six blocks": None, "a budget": BUDGET_S, "no budget": math.inf}
SPOKEN = 0.9


def error(rate: float, draws: int) -> float:
    """Three standard errors of a simulated rate."""
    return 3 * math.sqrt(rate * (1 - rate) / draws)


def hold(name: str, null: Rates, edge: Rates) -> None:
    said = row(name, null, edge)
    print(said)
    claims = null.false_claims <= 0.05 + error(0.05, null.campaigns)
    assert claims or null.spoke_beside_claims >= SPOKEN, said
    # Comparisons of a workload share its baseline, and those of an environment its course: a campaign is one draw.
    covered = null.coverage >= 0.93 - error(0.07, null.campaigns * 5)
    assert covered or null.spoke_beside_missing >= SPOKEN, said
    equivalent = edge.wrong_equivalences <= 0.05 + error(0.05, edge.campaigns * 5)
    assert equivalent or edge.spoke_beside_equivalent >= SPOKEN, said


@pytest.mark.parametrize("stages", STAGES)
@pytest.mark.parametrize("name", FAMILIES)
def test_limits_hold_or_the_diagnostic_speaks(name: str, stages: str) -> None:
    left_s = STAGES[stages]
    null, edge = (simulated(name, truth, 20, left_s=left_s) for truth in (0.0, -LIMIT))
    hold(name, null, edge)
    assert min(null.blocks) >= MIN_BLOCKS


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("stages", STAGES)
@pytest.mark.parametrize("name", FAMILIES)
def test_limits_hold_or_the_diagnostic_speaks_in_500_campaigns(name: str, stages: str) -> None:
    left_s = STAGES[stages]
    null, edge = (simulated(name, truth, 500, left_s=left_s, seed=1) for truth in (0.0, -LIMIT))
    hold(name, null, edge)


def test_without_doubts_starts_of_two_kinds_and_drift_were_claimed() -> None:
    """What the rules are for: the same campaigns without them."""
    for name in ("modes in 30 %", "own 1/f", "ramp"):
        before = simulated(name, 0.0, 20, left_s=None, careful=False)
        after = simulated(name, 0.0, 20, left_s=None)
        assert before.false_claims >= 0.3
        assert after.false_claims <= 0.2


def test_symmetric_noise_keeps_its_verdicts_at_six_blocks() -> None:
    """A ratio of 1 is found equivalent as often, and six quiet blocks of guests of the baseline's kind are enough."""
    before = simulated("Gauss", 0.0, 20, left_s=None, careful=False)
    after = simulated("Gauss", 0.0, 20, left_s=None)
    assert after.equivalent >= 0.97 * before.equivalent
