"""Commands from the start of a guest on."""

from __future__ import annotations

import math

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.model import Failure, FailureKind

FIRST = Work("first", "command", "time", "s", 0.02, parameters={"first_counts": True})
NATIVE, BOX = Place("native", provision_s=0.01), Place("box", "runc", {"": 0.5}, provision_s=0.3)


def test_the_start_of_the_guest_and_the_run_are_added() -> None:
    analysis = analyse(simulate([NATIVE, BOX], [FIRST], noise=gaussian(0.02), fresh="trial"))
    native, box = analysis.cold["first", "native"], analysis.cold["first", "box"]
    values = {place: analysis.treatments["first", place].values for place in ("native", "box")}
    whole = [math.log(0.3 + values["box"][block]) for block in range(8)]
    there = [math.log(0.01 + values["native"][block]) for block in range(8)]
    assert box.whole.estimate.value == pytest.approx(math.exp(sum(whole) / 8))
    assert (box.start.estimate.value, native.start.estimate.value) == pytest.approx((0.3, 0.01))
    assert native.ratio is None and box.ratio is not None
    assert box.ratio.estimate.value == pytest.approx(math.exp(sum(there) / 8 - sum(whole) / 8))
    assert box.ratio.estimate.high is not None and box.ratio.estimate.high < 0.2


def test_other_campaigns_have_no_cold_starts() -> None:
    warm = Work("warm", "command", "time", "s", 0.02)
    assert not analyse(simulate([NATIVE, BOX], [FIRST], fresh="block")).cold
    assert not analyse(simulate([NATIVE, BOX], [warm, Work()], fresh="trial")).cold


def test_what_failed_everywhere_or_natively_has_no_ratio() -> None:
    failure = {"first": Failure(FailureKind.AGENT, "it ended with status 3")}
    broken = simulate([NATIVE, Place("box", "runc", fails=failure)], [FIRST], fresh="trial")
    assert list(analyse(broken).cold) == [("first", "native")]
    alone = simulate([Place("native", fails=failure), BOX], [FIRST], fresh="trial")
    assert {key: one.ratio for key, one in analyse(alone).cold.items()} == {("first", "box"): None}
