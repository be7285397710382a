"""pgbench 15.18: summaries, and a log of transactions."""

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError


def test_the_summary() -> None:
    assert numbers(captured("pgbench-15.18-select.txt")) == {
        ("pgbench select only", "transactions", "1/s", "higher"): [3233.263818],
        ("pgbench select only", "mean latency", "s", "lower"): [pytest.approx(0.619e-3)],
    }
    assert ("pgbench TPC-B (sort of)", "transactions", "1/s", "higher") in numbers(
        captured("pgbench-15.18-statements.txt")
    )


def test_the_rate_of_old_versions_leaves_connecting_out() -> None:
    text = "transaction type: x\nscaling factor: 1\ntps = 1.0 (including connections establishing)\n"
    found = numbers(written(f"{text}tps = 2.0 (excluding connections establishing)\n"))
    assert found == {("pgbench x", "transactions", "1/s", "higher"): [2.0]}


def test_the_log() -> None:
    lines = (CAPTURED / "pgbench-15.18-log.txt").read_text().split("\n")[:-1]
    times = sorted(float(line.split()[2]) * 1e-6 for line in lines)
    found = numbers(captured("pgbench-15.18-log.txt"))
    assert found["pgbench script 0", "mean latency", "s", "lower"] == [pytest.approx(sum(times) / 200)]
    assert found["pgbench script 0", "p99 latency", "s", "lower"] == [pytest.approx(times[197])]
    assert found["pgbench script 0", "transactions", "1/s", "higher"] == [pytest.approx(3314.5625)]


def test_skipped_transactions_have_no_time() -> None:
    found = numbers(written("0 1 100 0 1700000000 5 7\n0 2 skipped 0 1700000000 6 9\n0 3 300 0 1700000001 5 7\n"))
    assert found["pgbench script 0", "mean latency", "s", "lower"] == [pytest.approx(200e-6)]


@pytest.mark.parametrize("line", ["0 1 100", "a b c d e f", "0 1 100 0 x 5"])
def test_a_wrong_line_is_named(line: str) -> None:
    with pytest.raises(UsageError, match=":2: this is no line of a pgbench log"):
        written(f"0 1 100 0 1700000000 5\n{line}\n")


def test_a_log_of_intervals_is_refused() -> None:
    with pytest.raises(UsageError, match="a log of intervals"):
        written("1345828501 5601 1542744 483552416 61 2573\n")
