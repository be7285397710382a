"""ab 2.3: its report, the requests of -g and the percentiles of -e."""

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError


def test_the_report() -> None:
    assert numbers(captured("ab-2.3.txt")) == {
        ("ab /", "requests", "1/s", "higher"): [935.32],
        ("ab /", "mean latency", "s", "lower"): [pytest.approx(2.138e-3)],
        ("ab /", "throughput", "B/s", "higher"): [pytest.approx(173.55 * 1024)],
    }


def test_requests_and_percentiles() -> None:
    found = numbers(captured("ab-2.3-requests.tsv"))
    assert found["ab", "mean latency", "s", "lower"] == [pytest.approx(1.7e-3)]
    assert found["ab", "p99 latency", "s", "lower"] == [pytest.approx(22e-3)]
    found = numbers(captured("ab-2.3-percentiles.csv"))
    assert found["ab", "p99 latency", "s", "lower"] == [pytest.approx(21.924e-3)]


def test_errors_of_the_server_are_no_times() -> None:
    text = (CAPTURED / "ab-2.3.txt").read_text()
    with pytest.raises(UsageError, match="100 % of the requests failed"):
        written(text.replace("Total transferred", "Non-2xx responses:      60\nTotal transferred"))


@pytest.mark.parametrize(
    ("failed", "share"),
    [
        ("Connect: 0, Receive: 0, Length: 60, Exceptions: 0", None),
        ("Connect: 0, Receive: 30, Length: 60, Exceptions: 0", None),
        ("Connect: 0, Receive: 31, Length: 0, Exceptions: 0", 52),
        ("Connect: 180, Receive: 0, Length: 0, Exceptions: 0", 75),
        ("Connect: 60, Length: 60, Exceptions: 60", 67),
        ("Connect: 0, Receive: 40, Length: 19, Exceptions: 40", 67),  # of the real program, where 40 of 60 were reset
        ("Connect: 0, Receive: 25, Length: 34, Exceptions: 25", None),
    ],
)
def test_requests_without_an_answer_are_failures_and_other_lengths_are_not(failed: str, share: int | None) -> None:
    text = (CAPTURED / "ab-2.3.txt").read_text()
    changed = text.replace("requests:        0\n", f"requests:        60\n   ({failed})\n")
    assert changed != text
    if share is None:
        assert numbers(written(changed)) == numbers(written(text))
    else:
        with pytest.raises(UsageError, match=f"{share} % of the requests failed"):
            written(changed)


def test_cut_files_are_named() -> None:
    with pytest.raises(UsageError, match="no rate of requests"):
        written((CAPTURED / "ab-2.3.txt").read_text()[:300])
    with pytest.raises(UsageError, match=":61: this is no line"):
        written((CAPTURED / "ab-2.3-requests.tsv").read_text()[:-8])
    with pytest.raises(UsageError, match="no percentile 99"):
        written("Percentage served,Time in ms\n50,1.0\n")
