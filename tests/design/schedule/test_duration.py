"""The estimate of `plan show`."""

from __future__ import annotations

import pytest

from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.design.schedule.duration import duration
from virtometer.design.schedule.trials import schedule
from virtometer.model import Kind, Plan, Settings


class Slow(Kind):
    settings_type = Settings
    usual_start_s, usual_overhead_s = 6.0, 0.8


class Fast(Kind):
    settings_type = Settings
    usual_start_s, usual_overhead_s = 0.05, 0.15


def plan(fresh: str, workload: str = "os", op: str = "fork", scheduling: str = "auto", **more: object) -> ResolvedPlan:
    return resolve(
        Plan.model_validate(
            {
                "virtometer": 1,
                "control": False,
                "name": "p",
                "baseline": "a",
                "environments": [{"name": "a", "kind": "fast"}, {"name": "b", "kind": "slow"}],
                "workloads": [
                    {"name": "w", "workload": "os", "op": "fork", "scheduling": scheduling},
                    {"name": "v", "workload": workload, "op": op, "seconds": 3, "scheduling": scheduling},
                ],
                "blocks": 5,
                "seconds": 2,
                "fresh": fresh,
                **more,
            }
        ),
        {"slow": Slow, "fast": Fast},
    )


@pytest.mark.parametrize(("fresh", "starts_a_block"), [("trial", 2), ("block", 1)])
def test_windows_overheads_and_starts_are_added(fresh: str, starts_a_block: int) -> None:
    of = plan(fresh)
    windows = 5 * 2 * (2 + 3)
    overheads = 5 * 2 * (Fast.usual_overhead_s + Slow.usual_overhead_s)
    starts = 5 * starts_a_block * (Fast.usual_start_s + Slow.usual_start_s)
    found = duration(of, schedule(of.plan, ["a", "b"], 1))
    assert found.seconds == pytest.approx(windows + overheads + starts)
    assert (found.unknown, found.unknown_trials) == ((), 0)


def test_long_windows_beside_slices_in_each_block_are_added() -> None:
    of = plan("block", scheduling="interleaved")
    each = plan("block", scheduling="interleaved", long_windows="each")
    trials = schedule(of.plan, ["a", "b"], 1)
    usual, longer = (duration(one, trials).seconds for one in (of, each))
    assert longer - usual == pytest.approx(5 * 2 * (2 + 3))


def test_work_with_an_end_of_its_own_is_named_and_not_guessed() -> None:
    of = plan("block")
    trials = schedule(of.plan, ["a", "b"], 1)
    known, found = duration(of, trials), duration(plan("block", "ab", "get"), trials)
    assert known.seconds - found.seconds == pytest.approx(5 * 2 * 3)
    assert (found.unknown, found.unknown_trials) == (("v",), 10)
