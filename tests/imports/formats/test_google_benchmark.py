"""Google Benchmark 1.7.1: repetitions, without the aggregates."""

import json

import pytest

from tests.imports.files import captured, numbers, written
from virtometer.imports.value import Origin


def test_repetitions_without_aggregates() -> None:
    found = numbers(captured("google-benchmark-1.7.1.json"))
    assert {len(of) for of in found.values()} == {3}
    assert found["copy/64", "time", "s", "lower"][0] == pytest.approx(5.50501801590199e-9)
    assert found["copy/64", "processor time", "s", "lower"][0] == pytest.approx(3.9723413517e-9)
    assert found["copy/64", "throughput", "B/s", "higher"][0] == pytest.approx(1.6111404920465954e10)
    assert ("nothing", "rate of items", "1/s", "higher") in found


def test_aggregates_alone_give_the_mean_and_an_error_no_value() -> None:
    text = {"name": "a_mean", "real_time": 3, "cpu_time": 2, "time_unit": "ms", "run_type": "aggregate"}
    spread = text | {"name": "a_stddev", "real_time": 9}
    values = written(json.dumps({"context": {}, "benchmarks": [text, spread]})).values
    assert [(one.benchmark, one.value, one.origin) for one in values] == [
        ("a", 3e-3, Origin.SUMMARY),
        ("a", 2e-3, Origin.SUMMARY),
    ]
    failed = {"name": "a", "error_occurred": True, "error_message": "no device"}
    assert {one.value for one in written(json.dumps({"context": {}, "benchmarks": [failed]})).values} == {None}
