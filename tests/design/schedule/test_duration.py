"""The estimate of `plan show`."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from virtometer.design.plan.catalogue import Catalogue, Cost, KindDescription
from virtometer.design.schedule.duration import duration
from virtometer.design.schedule.trials import schedule
from virtometer.model import Plan

SLOW, FAST = Cost(6.0, 0.8), Cost(0.05, 0.15)
KNOWN = Catalogue({"slow": KindDescription(BaseModel, cost=SLOW), "fast": KindDescription(BaseModel, cost=FAST)}, {})
WINDOWS: dict[str, float | None] = {"w": 2.0, "v": 3.0}


def plan(fresh: str) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "control": False,
            "name": "p",
            "baseline": "a",
            "environments": [{"name": "a", "kind": "fast"}, {"name": "b", "kind": "slow"}],
            "workloads": [
                {"name": "w", "workload": "w", "op": "o"},
                {"name": "v", "workload": "w", "op": "o", "seconds": 3},
            ],
            "blocks": 5,
            "seconds": 2,
            "fresh": fresh,
        }
    )


@pytest.mark.parametrize(("fresh", "starts_a_block"), [("trial", 2), ("block", 1)])
def test_windows_overheads_and_starts_are_added(fresh: str, starts_a_block: int) -> None:
    of = plan(fresh)
    windows = 5 * 2 * (2 + 3)
    overheads = 5 * 2 * (FAST.trial_s + SLOW.trial_s)
    starts = 5 * starts_a_block * (FAST.start_s + SLOW.start_s)
    found = duration(of, schedule(of, ["a", "b"], 1), WINDOWS, KNOWN)
    assert found.seconds == pytest.approx(windows + overheads + starts)
    assert (found.unknown, found.unknown_trials) == ((), 0)


def test_long_windows_beside_slices_in_each_block_are_added() -> None:
    of = plan("block").model_copy(
        update={"workloads": [one.model_copy(update={"scheduling": "interleaved"}) for one in plan("block").workloads]}
    )
    each = of.model_copy(update={"long_windows": "each"})
    trials = schedule(of, ["a", "b"], 1)
    usual, longer = (duration(one, trials, WINDOWS, KNOWN).seconds for one in (of, each))
    assert longer - usual == pytest.approx(5 * 2 * (2 + 3))


def test_work_with_an_end_of_its_own_is_named_and_not_guessed() -> None:
    of = plan("block")
    trials = schedule(of, ["a", "b"], 1)
    known, found = duration(of, trials, WINDOWS, KNOWN), duration(of, trials, WINDOWS | {"v": None}, KNOWN)
    assert known.seconds - found.seconds == pytest.approx(5 * 2 * 3)
    assert (found.unknown, found.unknown_trials) == (("v",), 10)
