"""Commands compared with each other within an environment."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.model import Failure, FailureKind

FIRST = Work("first", "command", "time", "s", 0.02)
SECOND = Work("second", "command", "time", "s", 0.03)
OTHER = Work()
NATIVE, BOX = Place("native"), Place("box", "runc", {"second": 0.5})


def test_the_ratio_is_that_of_the_times_in_each_block() -> None:
    analysis = analyse(simulate([NATIVE, BOX], [FIRST, SECOND, OTHER], noise=gaussian(0.05)))
    assert list(analysis.commands) == [("second", "native"), ("second", "box")]
    for (_, environment), ratio in analysis.commands.items():
        mine, first = (analysis.treatments[name, environment].values for name in ("second", "first"))
        logs = [math.log(mine[block] / first[block]) for block in range(8)]
        bounds = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
        assert ratio.estimate.value == pytest.approx(math.exp(sum(logs) / 8))
        assert (ratio.estimate.low, ratio.estimate.high) == pytest.approx((math.exp(bounds.low), math.exp(bounds.high)))
        assert (ratio.subject, ratio.reference, ratio.better) == (environment, "first", "lower")


def test_one_command_and_other_work_are_not_compared() -> None:
    assert not analyse(simulate([NATIVE, BOX], [FIRST, OTHER])).commands


def test_where_one_command_failed_there_is_no_ratio() -> None:
    broken = Place("box", "runc", fails={"first": Failure(FailureKind.AGENT, "it ended with status 3")})
    assert list(analyse(simulate([NATIVE, broken], [FIRST, SECOND])).commands) == [("second", "native")]
