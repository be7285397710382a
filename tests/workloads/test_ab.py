"""ab is asked as published, and what it really printed is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from virtometer.errors import UsageError
from virtometer.workloads.ab import Ab, AbParameters
from virtometer.workloads.base import Place, Reading

CAPTURED = Path(__file__).parent / "captured"
PLACE = Place()


def captured(name: str) -> str:
    return (CAPTURED / name).read_text()


def test_what_ab_printed_is_read() -> None:
    assert Ab().read("get", captured("ab-2.3.txt")) == Reading(2953.12, 200)
    with pytest.raises(UsageError, match="20 of 20 requests of ab failed"):
        Ab().read("get", captured("ab-2.3-not-found.txt"))
    with pytest.raises(UsageError, match="did not print its result"):
        Ab().read("get", "apr_socket_recv: Connection refused (111)\n")


def test_ab_is_asked_as_published() -> None:
    asked = Ab().arguments("get", AbParameters(), PLACE)
    assert json.loads(asked["arguments"]) == ["-q", "-n", "10000", "-c", "5", "http://127.0.0.1/index.html"]


RESULT = "Complete requests:      {done}\nRequests per second:    {rate} [#/sec] (mean)\n"


@pytest.mark.parametrize(
    ("rate", "done"),
    [("1.2.3", "7"), (".", "7"), ("9" * 400, "7"), ("1" + "0" * 31, "7"), ("5.0", "9" * 5000), ("5.0", str(1 << 53))],
)
def test_numbers_that_ab_cannot_have_printed_are_refused(rate: str, done: str) -> None:
    with pytest.raises(UsageError, match="ab printed a number that cannot be"):
        Ab().read("get", RESULT.format(rate=rate, done=done))


@pytest.mark.parametrize("line", ["Failed requests:        3", "Non-2xx responses:      3"])
def test_requests_that_failed_are_no_requests_and_none_is_no_failure(line: str) -> None:
    text = RESULT.format(rate="5.0", done="7")
    with pytest.raises(UsageError, match="3 of 7 requests of ab failed"):
        Ab().read("get", f"{text}{line}\n")
    assert Ab().read("get", text + line.replace("3", "0")) == Reading(5.0, 7)


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "127.0.0.1/"}, {"url": "http://127.0.0.1"}, {"url": "http://a b/"}, {"url": "ftp://a/"}, {"url": ""},
        {"url": "http://a/" + "x" * 500}, {"requests": 0}, {"concurrency": 0}, {"concurrency": 20_001}, {"time": 1},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AbParameters.model_validate(wrong)


def test_options_are_passed_on() -> None:
    asked = AbParameters(url="https://host:8443/x?y", requests=20, concurrency=2)
    assert list(Ab().options("get", asked, PLACE)) == ["-q", "-n", "20", "-c", "2", "https://host:8443/x?y"]
