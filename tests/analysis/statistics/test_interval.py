"""Which method makes an interval, and at what level."""

import math

import pytest
from scipy import stats

from virtometer.analysis.statistics.interval import METHODS, USUAL, interval
from virtometer.model import MIN_BLOCKS

LOGS = [0.03, -0.1, 0.08, 0.0, -0.05, 0.11, 0.02, -0.09]


def test_the_estimate_names_the_level_of_its_interval() -> None:
    staged, usual, joint = (
        interval(LOGS, alpha_factor=alpha_factor, jointly=jointly, method="student")
        for alpha_factor, jointly in ((0.6, 1), (1.0, 1), (1.0, 4))
    )
    assert staged is not None and usual is not None and joint is not None and joint.high is not None
    assert (staged.level, usual.level, joint.level) == (0.97, 0.95, 0.95)
    assert interval(LOGS, 0.97, method="student") == staged
    reach = stats.t.ppf(1 - 0.05 / 8, 7) * stats.sem(LOGS)
    assert math.log(joint.high / joint.value) == pytest.approx(reach)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gets_the_blocks_and_says_what_it_knows(method: str) -> None:
    of = METHODS[method]
    assert of([], 0.95, 1) is None
    few, found, joint = of(LOGS[: MIN_BLOCKS - 1], 0.95, 1), of(LOGS, 0.95, 1), of([*LOGS, *LOGS], 0.95, 4)
    assert few is not None and (few.low, few.high, few.n) == (None, None, MIN_BLOCKS - 1)
    assert found is not None and found.low is not None and found.high is not None
    assert found.low < found.value < found.high and found.n == len(LOGS) and found.level >= 0.95
    alone = of([*LOGS, *LOGS], 0.95, 1)
    assert joint is not None and alone is not None and joint.low is not None and alone.low is not None
    assert joint.low <= alone.low, "intervals that hold jointly are no narrower"
    assert interval(iter(LOGS), method=method) == found


def test_ratios_and_values_have_the_usual_one() -> None:
    assert interval(LOGS) == METHODS[USUAL](LOGS, 0.95, 1)
