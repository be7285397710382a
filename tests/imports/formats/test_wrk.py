"""wrk 4.1.0, with and without the distribution of latency, and wrk2 4.0.0."""

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError


def test_rates_and_latency() -> None:
    found = numbers(captured("wrk-4.1.0-latency.txt"))
    assert found["wrk /", "requests", "1/s", "higher"] == [734.44]
    assert found["wrk /", "throughput", "B/s", "higher"] == [pytest.approx(136.27 * 1024)]
    assert found["wrk /", "mean latency", "s", "lower"] == [pytest.approx(3.8e-3)]
    assert found["wrk /", "p99 latency", "s", "lower"] == [pytest.approx(23e-3)]
    assert len(numbers(captured("wrk-4.1.0.txt"))) == 3


def test_wrk2_has_more_percentiles() -> None:
    assert numbers(captured("wrk2-4.0.0-latency.txt")) == {
        ("wrk /", "requests", "1/s", "higher"): [44.1],
        ("wrk /", "throughput", "B/s", "higher"): [pytest.approx(8.21 * 1024)],
        ("wrk /", "mean latency", "s", "lower"): [pytest.approx(1.29)],
        ("wrk /", "median latency", "s", "lower"): [pytest.approx(1.29)],
        ("wrk /", "p99 latency", "s", "lower"): [pytest.approx(1.42)],
    }


def test_the_host_is_not_part_of_the_name() -> None:
    text = (CAPTURED / "wrk-4.1.0.txt").read_text().replace("http://127.0.0.1:18080/", "http://10.0.0.7/a?b")
    assert {name for name, *_ in numbers(written(text))} == {"wrk /a"}


@pytest.mark.parametrize(
    ("errors", "refused"),
    [
        ("connect 0, read 0, write 0, timeout 0", False),
        ("connect 100, read 200, write 300, timeout 0", False),
        ("connect 400, read 400, write 0, timeout 0", True),
        ("connect 0, read 0, write 800, timeout 0", True),
        ("connect 0, read 0, write 0, timeout 400", True),
    ],
)
def test_requests_without_an_answer_and_late_ones_are_failures(errors: str, refused: bool) -> None:
    text = (CAPTURED / "wrk-4.1.0-latency.txt").read_text()
    changed = text.replace("Requests/sec", f"  Socket errors: {errors}\nRequests/sec")
    if refused:
        with pytest.raises(UsageError, match="of the requests failed"):
            written(changed)
    else:
        assert numbers(written(changed)) == numbers(written(text))


def test_errors_of_the_server_are_no_times() -> None:
    text = (CAPTURED / "wrk-4.1.0.txt").read_text()
    with pytest.raises(UsageError, match="of the requests failed"):
        written(text.replace("Requests/sec", "  Non-2xx or 3xx responses: 700\nRequests/sec"))
    with pytest.raises(UsageError, match="no rate of requests"):
        written(text.partition("Requests/sec")[0])
