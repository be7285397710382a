"""One-sided tests at the margin."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from virtometer.analysis.compared import worse
from virtometer.analysis.compared.worse import Outcome, p_not_worse, p_worse
from virtometer.analysis.statistics.spread import Spread

LONG = 100.0


def of(ratio: float, sd: float = 0.01, n: int = 8) -> Spread:
    return Spread(math.log(ratio), sd, n)


def test_p_values_are_those_of_the_t_test() -> None:
    logs = [-0.06, -0.05, -0.07, -0.04, -0.08, -0.05]
    one = Spread(sum(logs) / 6, float(stats.tstd(logs)), 6)
    expected = stats.ttest_1samp(logs, -math.log1p(0.05), alternative="less").pvalue
    assert p_worse(one, 0.05) == pytest.approx(expected)
    assert p_not_worse(one, 0.05) == pytest.approx(1 - expected)


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [
        (1.0, Outcome.NOT_WORSE),
        (0.99, Outcome.NOT_WORSE),
        (0.955, Outcome.OPEN),
        (0.949, Outcome.OPEN),
        (0.9, Outcome.WORSE),
        (1.5, Outcome.NOT_WORSE),
    ],
)
def test_the_interval_decides_not_the_point(ratio: float, outcome: Outcome) -> None:
    assert worse.tested({"one": of(ratio)}, 0.05, {"one": LONG})["one"].outcome is outcome


def test_worse_is_adjusted_over_the_family() -> None:
    alone = worse.tested({"one": of(0.94)}, 0.05, {"one": LONG}, alpha_factor=1.0)["one"]
    among = {str(number): of(1.0) for number in range(20)} | {"one": of(0.94)}
    found = worse.tested(among, 0.05, dict.fromkeys(among, LONG))["one"]
    assert alone.outcome is Outcome.WORSE and found.outcome is Outcome.OPEN
    assert found.p_worse == alone.p_worse and found.p_worse is not None
    assert found.p_worse_adjusted == pytest.approx(21 * found.p_worse)


def test_too_little_counted_work_leaves_open_what_the_blocks_exclude() -> None:
    short, enough = (worse.tested({"one": of(1.0)}, 0.05, {"one": seconds})["one"] for seconds in (6.5, 6.7))
    assert (short.outcome, enough.outcome) == (Outcome.OPEN, Outcome.NOT_WORSE)
    assert "6.5 s of work are counted" in short.why[0] and "takes 6.6 s" in short.why[0]


def test_few_blocks_a_wide_noise_floor_and_what_is_refused_are_open() -> None:
    assert worse.tested({"one": of(0.5, n=5)}, 0.05, {"one": LONG})["one"].outcome is Outcome.OPEN
    assert worse.tested({"one": None}, 0.05, {"one": LONG})["one"].p_worse is None
    wide = worse.tested({"one": of(1.0)}, 0.05, {"one": LONG}, controls={"one": Spread(0.0, 0.2, 8)})["one"]
    assert wide.outcome is Outcome.OPEN and "noise floor" in wide.why[0]
    busy = worse.tested({"one": of(0.5)}, 0.05, {"one": LONG}, refused={"one": "the host was busy"})["one"]
    assert (busy.outcome, busy.why) == (Outcome.OPEN, ("the host was busy",))
