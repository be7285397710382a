"""Latencies of requests, and runs of failures."""

import pytest

from virtometer.errors import UsageError
from virtometer.imports.requests import latencies, refuse_failures


def test_mean_median_and_p99() -> None:
    found = {one.metric: one.value for one in latencies("x", [3.0, 1.0, 8.0])}
    assert found == {"mean latency": 4, "median latency": 3, "p99 latency": 8}
    assert not [*latencies("x", [])]


def test_half_of_the_requests_may_fail() -> None:
    refuse_failures("x", 0.5)
    with pytest.raises(UsageError, match="51 %"):
        refuse_failures("x", 0.51)
