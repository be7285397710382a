"""sysbench 1.0.20: four of its tests, and transactions of a database."""

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError


def test_rates_and_latency_of_each_test() -> None:
    found = numbers(captured("sysbench-1.0.20-cpu.txt"))
    assert found == {
        ("sysbench cpu", "rate of events", "1/s", "higher"): [2449.55],
        ("sysbench cpu", "mean latency", "s", "lower"): [pytest.approx(0.99743 / 2522)],
    }
    found = numbers(captured("sysbench-1.0.20-memory.txt"))
    assert found["sysbench memory", "throughput", "B/s", "higher"] == [pytest.approx(4388.37 * 2**20)]
    found = numbers(captured("sysbench-1.0.20-fileio.txt"))
    assert found["sysbench fileio", "reads", "1/s", "higher"] == [3439.43]
    assert found["sysbench fileio", "write throughput", "B/s", "higher"] == [pytest.approx(35.83 * 2**20)]
    assert ("sysbench", "rate of events", "1/s", "higher") in numbers(captured("sysbench-1.0.20-threads.txt"))


def test_transactions_of_a_database() -> None:
    assert numbers(captured("sysbench-1.0.20-database.txt")) == {
        ("sysbench database", "transactions", "1/s", "higher"): [184.79],
        ("sysbench database", "queries", "1/s", "higher"): [3801.91],
        ("sysbench database", "mean latency", "s", "lower"): [pytest.approx(4.01539 / 373)],
    }


def test_a_run_without_results_is_refused() -> None:
    with pytest.raises(UsageError, match="no results of sysbench"):
        written("sysbench 1.0.20 (using system LuaJIT)\n\nFATAL: unable to connect\n")
    with pytest.raises(UsageError, match="total time"):
        written((CAPTURED / "sysbench-1.0.20-cpu.txt").read_text().partition("    total time")[0])
