"""pytest-benchmark 5.3.1: rounds, or the mean where they were not saved."""

import json

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.imports.value import Origin


def test_rounds_are_repetitions() -> None:
    found = numbers(captured("pytest-benchmark-5.3.1.json"))
    rounds = found["test_x.py::test_sum[100]", "time", "s", "lower"]
    assert len(rounds) == 8 and rounds[0] == 2.0317999997132575e-06


def test_statistics_alone_are_a_summary() -> None:
    document = json.loads((CAPTURED / "pytest-benchmark-5.3.1.json").read_text())
    for one in document["benchmarks"]:
        del one["stats"]["data"]
    values = written(json.dumps(document)).values
    assert len(values) == 2 and {one.origin for one in values} == {Origin.SUMMARY}
