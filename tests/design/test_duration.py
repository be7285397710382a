"""The estimate of `plan show`."""

from __future__ import annotations

import pytest

from virtometer.design.duration import COSTS, UNKNOWN, duration
from virtometer.design.schedule import schedule
from virtometer.model import Plan

WINDOWS: dict[str, float | None] = {"w": 2.0, "v": 3.0}


def plan(fresh: str, kinds: tuple[str, str] = ("native", "qemu")) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "baseline": "a",
            "environments": [{"name": "a", "kind": kinds[0]}, {"name": "b", "kind": kinds[1]}],
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
    native, qemu = COSTS["native"], COSTS["qemu"]
    windows = 5 * 2 * (2 + 3)
    overheads = 5 * 2 * (native.trial_s + qemu.trial_s)
    starts = 5 * starts_a_block * (native.start_s + qemu.start_s)
    found = duration(of, schedule(of, ["a", "b"], 1), WINDOWS)
    assert found.seconds == pytest.approx(windows + overheads + starts)
    assert (found.unknown, found.unknown_trials) == ((), 0)


def test_work_with_an_end_of_its_own_is_named_and_not_guessed() -> None:
    of = plan("block")
    trials = schedule(of, ["a", "b"], 1)
    known, found = duration(of, trials, WINDOWS), duration(of, trials, WINDOWS | {"v": None})
    assert known.seconds - found.seconds == pytest.approx(5 * 2 * 3)
    assert (found.unknown, found.unknown_trials) == (("v",), 10)


def test_a_kind_that_is_not_known_costs_something() -> None:
    of = plan("block", ("native", "new"))
    with_it, without = schedule(of, ["a", "b"], 1), schedule(of, ["a"], 1)
    more = duration(of, with_it, WINDOWS).seconds - duration(of, without, WINDOWS).seconds
    assert more == pytest.approx(5 * (UNKNOWN.start_s + 2 * UNKNOWN.trial_s + 2 + 3))
