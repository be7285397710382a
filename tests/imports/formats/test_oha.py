"""oha 1.16, and what its other versions may write."""

import json
from typing import Any

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError

SUMMARY = {"successRate": 1.0, "total": 2.0, "average": 0.02, "requestsPerSec": 2000.5, "sizePerSec": 4096}


def oha(**summary: Any) -> str:
    return json.dumps({"summary": SUMMARY | summary, "latencyPercentiles": {"p50": 0.01, "p99": 0.1, "p99.99": None}})


def test_a_run_that_its_time_ended() -> None:
    assert numbers(captured("oha-1.16.json")) == {
        ("oha", "requests", "1/s", "higher"): [pytest.approx(93.66714574223045)],
        ("oha", "throughput", "B/s", "higher"): [pytest.approx(550.0453664862895)],
        ("oha", "mean latency", "s", "lower"): [pytest.approx(0.04313545947282607)],
        ("oha", "median latency", "s", "lower"): [pytest.approx(0.043886022)],
        ("oha", "p99 latency", "s", "lower"): [pytest.approx(0.048022619)],
    }


def test_answers_that_refuse_are_failures_though_oha_counts_them_as_successes() -> None:
    some = json.loads((CAPTURED / "oha-1.16.json").read_text())
    assert (some["summary"]["successRate"], some["statusCodeDistribution"]) == (1, {"200": 184})
    with pytest.raises(UsageError, match="100 % of the requests failed"):  # as of a page that is not there
        written(json.dumps(some | {"statusCodeDistribution": {"404": 100}}))
    some["statusCodeDistribution"] |= {"503": 100, "304": 20}
    assert ("oha", "requests", "1/s", "higher") in numbers(written(json.dumps(some)))
    some["summary"]["successRate"] = 0.7
    with pytest.raises(UsageError, match="53 % of the requests failed"):
        written(json.dumps(some))


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
