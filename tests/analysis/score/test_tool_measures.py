"""What is made of a tool's own number, and the names under which it is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtometer.analysis.score.of_run import in_host_time
from virtometer.analysis.score.tool_measures import BY_WALL_CLOCK, CORRECTED, REPORTED, TOOL_MEASURES, by_wall_clock


def test_names_meanings_and_clocks() -> None:
    assert [TOOL_MEASURES[one.name] for one in (REPORTED, CORRECTED, BY_WALL_CLOCK)] == [
        REPORTED,
        CORRECTED,
        BY_WALL_CLOCK,
    ]
    assert list(TOOL_MEASURES) == ["tool-by-wall-clock", "tool-corrected", "tool-reported"]
    assert all(one.meaning for one in TOOL_MEASURES.values())
    assert {one.name: one.timed_by for one in TOOL_MEASURES.values()} == {
        "tool-by-wall-clock": "host", "tool-corrected": "host", "tool-reported": "guest-itself"
    }  # fmt: skip


def test_one_number_in_three_ways() -> None:
    """A guest second lasts half a host second: the tool counted 1000 operations in what it took for two seconds."""
    assert in_host_time(500.0, "IO/s", 0.5) == 1000.0
    assert by_wall_clock(1000, "IO/s", 1.25) == 800.0
    assert in_host_time(2e-3, "s", 0.5) == 1e-3
    assert by_wall_clock(1000, "s", 1.25) == 1.25e-3
    assert by_wall_clock(None, "1/s", 1.0) is None


def test_a_tool_that_did_nothing_has_no_rate_by_the_wall_clock() -> None:
    assert by_wall_clock(0, "IO/s", 1.0) is None
    assert by_wall_clock(0, "s", 1.0) is None, "nor a time for each of no operations"


@given(st.integers(1, 10**12), st.floats(1e-3, 1e4))
def test_a_rate_and_a_time_by_the_wall_clock_are_inverse(work: int, around_s: float) -> None:
    rate, time = (by_wall_clock(work, unit, around_s) for unit in ("1/s", "s"))
    assert rate is not None and time is not None and rate * time == pytest.approx(1.0)
