"""vegeta 12: its report, and its requests as JSON lines."""

import json

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError
from virtometer.imports.content import MOST_BYTES, MOST_PARSED_BYTES


def test_the_report_and_the_requests_agree() -> None:
    report = numbers(captured("vegeta-12-report.json"))
    assert report["vegeta", "mean latency", "s", "lower"] == [pytest.approx(26.016681e-3)]
    requests = numbers(captured("vegeta-12-requests.json"))
    assert requests["vegeta", "mean latency", "s", "lower"] == [pytest.approx(26.016681e-3, rel=1e-6)]
    assert ("vegeta", "successful requests", "1/s", "higher") in report


def test_failed_requests_do_not_count() -> None:
    lines = [json.loads(line) for line in (CAPTURED / "vegeta-12-requests.json").read_text().splitlines()]
    lines[0] |= {"error": "refused", "code": 0, "latency": 10**12}
    found = numbers(written("\n".join(map(json.dumps, lines))))
    assert found["vegeta", "mean latency", "s", "lower"][0] < 1  # type: ignore[operator]
    with pytest.raises(UsageError, match="100 % of the requests failed"):
        written("\n".join(json.dumps(line | {"code": 500}) for line in lines))
    report = json.loads((CAPTURED / "vegeta-12-report.json").read_text()) | {"success": 0}
    with pytest.raises(UsageError, match="100 % of the requests failed"):
        written(json.dumps(report))


def test_a_log_may_be_as_large_as_other_logs_of_requests() -> None:
    text = (CAPTURED / "vegeta-12-requests.json").read_text()
    assert MOST_PARSED_BYTES < len(larger := text * (MOST_PARSED_BYTES // len(text) + 1)) < MOST_BYTES
    metric = "vegeta", "median latency", "s", "lower"
    assert numbers(written(larger))[metric] == numbers(written(text))[metric]
