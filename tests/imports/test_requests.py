"""Latencies of requests, and runs of failures."""

import pytest

from virtometer.errors import UsageError
from virtometer.imports.requests import Printed, latencies, refuse_failures


def test_mean_median_and_p99() -> None:
    found = {one.metric: one.value for one in latencies("x", [3.0, 1.0, 8.0])}
    assert found == {"mean latency": 4, "median latency": 3, "p99 latency": 8}
    assert not [*latencies("x", [])]


def test_numbers_of_a_line() -> None:
    text = Printed("x", "failed: 3 of 4\nrate: 5.5\n")
    assert (text.count(r"failed: (\d+) of (\d+)"), text.count(r"failed: (\d+) of 4(x)?"), text.count("none")) == (
        7,
        3,
        0,
    )
    assert text.rate(r"rate: ([\d.]+)", 2, 4) == 5.5
    for failed, every in ((3, 4), (1, 0), (9, 4)):
        with pytest.raises(UsageError, match=r"(75|100) % of"):
            text.rate(r"rate: ([\d.]+)", failed, every)


def test_half_of_the_requests_may_fail() -> None:
    refuse_failures("x", 0.5)
    with pytest.raises(UsageError, match="51 %"):
        refuse_failures("x", 0.51)
