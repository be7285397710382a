"""oha: written after the published format."""

import json
from typing import Any

import pytest

from tests.imports.files import numbers, written
from virtometer.errors import UsageError

SUMMARY = {"successRate": 1.0, "total": 2.0, "average": 0.02, "requestsPerSec": 2000.5, "sizePerSec": 4096}


def oha(**summary: Any) -> str:
    return json.dumps({"summary": SUMMARY | summary, "latencyPercentiles": {"p50": 0.01, "p99": 0.1, "p99.99": None}})


def test_the_summary() -> None:
    assert numbers(written(oha())) == {
        ("oha", "requests", "1/s", "higher"): [2000.5],
        ("oha", "throughput", "B/s", "higher"): [4096],
        ("oha", "mean latency", "s", "lower"): [0.02],
        ("oha", "median latency", "s", "lower"): [0.01],
        ("oha", "p99 latency", "s", "lower"): [0.1],
    }


def test_failures_and_texts_are_no_numbers() -> None:
    with pytest.raises(UsageError, match="80 % of the requests failed"):
        written(oha(successRate=0.2))
    with pytest.raises(UsageError, match=r"summary\.requestsPerSec is not a number"):
        written(oha(requestsPerSec="many"))
