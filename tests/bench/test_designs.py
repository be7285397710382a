"""What counts as the time for an interval, and both designs for real."""

from __future__ import annotations

import math
import os
import shutil

import pytest

from bench import designs
from bench.campaigns import plan_of
from tests.analysis.effects.experiments import AIO, DUMMY, experiment, response
from virtometer.analysis.effects.of_experiment import effects


@pytest.mark.parametrize(("design", "cells"), [("fraction", 16), ("one at a time", 9)])
def test_both_plans_have_eight_factors_and_no_interactions(design: str, cells: int) -> None:
    plan = plan_of(designs.plan_text(design, 8, control=False))
    assert len(plan.environments) == cells
    assert len(plan.factors) == 8 and not plan.control


def test_the_share_is_of_time_and_of_the_square_of_intervals() -> None:
    found = designs.shares(
        {"fraction": 160.0, "one at a time": 80.0}, {"fraction": {"a": 1e-4, "b": 1.0}, "one at a time": {"a": 8e-4}}
    )
    assert found == {"a": pytest.approx(0.25)}


def test_a_half_interval_is_one_of_logarithms() -> None:
    variables = (AIO, DUMMY)
    known = response(variables, lambda levels: 0.2 * (levels["aio"] == "io_uring"))
    beside = response(variables, lambda _: 0.0, "cpu", better="lower", beside=True)
    shown = effects(experiment(known, beside, variables=variables), 0.05)
    mains = [one.contrasts[0].change.estimate for one in shown.metrics[0].effects if len(one.factors) == 1]
    halves = [math.log((100 + (one.high or 0)) / (100 + (one.low or 0))) / 2 for one in mains]
    assert len(halves) == 2 and min(halves) > 0
    assert designs.squares(shown) == {"read": pytest.approx(sum(half**2 for half in halves) / 2)}


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("qemu-system-x86_64") is None, reason="QEMU and root are needed")
def test_one_block_of_both_designs_runs_and_has_no_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    assert designs.main(["--blocks", "1"]) == 1
    shown = capsys.readouterr()
    assert [line.split(":")[1].strip() for line in shown.out.splitlines()] == ["fraction", "one at a time"]
    assert "intervals take six blocks" in shown.err
