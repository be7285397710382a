"""What is made of a tool's own number, and what of a slice does not count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtometer.analysis.score.of_run import in_host_time
from virtometer.runner.execution.placement_run import PlacementRun, by_stopwatch
from virtometer.workloads.base import Reading


def test_one_number_in_three_ways() -> None:
    """A guest second lasts half a host second: the tool counted 1000 operations in what it took for two seconds."""
    assert in_host_time(500.0, "IO/s", 0.5) == 1000.0
    assert by_stopwatch(Reading(500.0, 1000), "IO/s", 1.25) == 800.0
    assert in_host_time(2e-3, "s", 0.5) == 1e-3
    assert by_stopwatch(Reading(2e-3, 1000), "s", 1.25) == 1.25e-3
    assert by_stopwatch(Reading(1.0, None), "1/s", 1.0) is None


def test_a_tool_that_did_nothing_has_no_rate_by_the_stopwatch() -> None:
    assert by_stopwatch(Reading(0.0, 0), "IO/s", 1.0) is None
    assert by_stopwatch(Reading(0.0, 0), "s", 1.0) is None, "nor a time for each of no operations"


@given(st.integers(1, 10**12), st.floats(1e-3, 1e4))
def test_a_rate_and_a_time_by_the_stopwatch_are_inverse(work: int, around_s: float) -> None:
    rate, time = (by_stopwatch(Reading(1.0, work), unit, around_s) for unit in ("1/s", "s"))
    assert rate is not None and time is not None and rate * time == pytest.approx(1.0)


@pytest.mark.parametrize(("op", "run_in_s"), [("system-call", 0.008), ("context-switch", 0.024), ("procedure", 0.008)])
def test_the_beginning_of_a_slice_that_does_not_count_is_as_long_as_guest_and_operation_need(
    op: str, run_in_s: float
) -> None:
    none: Any = None
    guest = SimpleNamespace(run_in_s=0.008, run_ins={"os context-switch": 0.024, "os procedure": 0.001})
    running: Any = SimpleNamespace(guest=guest)
    work: Any = SimpleNamespace(name=f"os {op}")
    assert PlacementRun(none, running, work, none, none, 1.0).run_in_s == run_in_s
