"""What of a slice does not count, and guests of several placements."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from virtometer.runner.execution.placement_run import PlacementRun, guests_of


@pytest.mark.parametrize(("op", "warm_up_s"), [("system-call", 0.008), ("context-switch", 0.024), ("procedure", 0.008)])
def test_the_beginning_of_a_slice_that_does_not_count_is_as_long_as_guest_and_operation_need(
    op: str, warm_up_s: float
) -> None:
    none: Any = None
    guest = SimpleNamespace(warm_up_s=0.008, warm_ups={"os context-switch": 0.024, "os procedure": 0.001})
    running: Any = SimpleNamespace(guest=guest)
    work: Any = SimpleNamespace(name=f"os {op}")
    assert PlacementRun(none, running, work, none, none, 1.0).warm_up_s == warm_up_s


def test_a_guest_of_several_placements_is_named_once() -> None:
    one, other = object(), object()
    running: Any = [SimpleNamespace(running_guest=guest) for guest in (one, other, one)]
    assert guests_of(running) == [one, other]
