"""perf stat -j of Linux 6.1: one run, and means of several."""

import pytest

from tests.imports.files import captured, numbers, written
from virtometer.errors import UsageError
from virtometer.imports.value import Origin


def test_counters_that_were_counted() -> None:
    file = captured("perf-6.1-stat.json")
    found = numbers(file)
    assert found["perf", "task-clock", "s", "lower"] == [pytest.approx(0.790952e-3)]
    assert found["perf", "page-faults", "1", "lower"] == [48]
    assert "cycles" not in {metric for _, metric, *_ in found}
    assert {one.origin for one in file.values} == {Origin.RUN}


def test_means_of_several_runs_are_summaries() -> None:
    assert {one.origin for one in captured("perf-6.1-stat-r.json").values} == {Origin.SUMMARY}


def test_intervals_and_processors() -> None:
    line = '{"interval": 1.0, "cpu": "0", "counter-value": "5.0", "unit": "", "event": "cycles"}'
    [value] = written(line).values
    assert (value.benchmark, value.value, value.origin) == ("perf cpu 0", 5, Origin.REPETITION)
    with pytest.raises(UsageError, match="counter-value is not a number"):
        written(line.replace("5.0", "five"))
