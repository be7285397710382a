"""perf stat -j of Linux 6.1: one run, and means of several."""

import pytest

from tests.imports.files import captured, numbers, written
from tests.sentences import Said
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


def test_processors() -> None:
    line = '{"cpu": "0", "counter-value": "5.0", "unit": "", "event": "cycles"}'
    [value] = written(line).values
    assert (value.benchmark, value.value, value.origin) == ("perf cpu 0", 5, Origin.RUN)
    with pytest.raises(UsageError, match="counter-value is not a number"):
        written(line.replace("5.0", "five"))


@pytest.mark.parametrize("value", ["5.0", "<not counted>"])
def test_counters_of_intervals_are_refused(said: Said, value: str) -> None:
    """The time of an interval is fixed: more instructions in it are better, and not worse."""
    with pytest.raises(UsageError) as refused:
        written(f'{{"interval": 1.0, "counter-value": "{value}", "unit": "", "event": "instructions"}}')
    said(str(refused.value))
