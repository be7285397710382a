"""fio is asked to read alone, and what it really printed is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from virtometer.errors import UsageError
from virtometer.workloads.base import Endpoint, Place, Reading
from virtometer.workloads.fio import Fio, FioParameters

CAPTURED = Path(__file__).parent / "captured"
PLACE = Place((Endpoint("disk", "file", "/disk"),))


def captured(name: str) -> str:
    return (CAPTURED / name).read_text()


def printed(*, iops: str = "1000.5", total_ios: str = "2001") -> str:
    """What fio prints, cut down to what is read."""
    return f'{{"jobs": [{{"read": {{"iops": {iops}, "total_ios": {total_ios}}}}}]}}'


def test_fio_is_asked_to_read_only_and_nothing_else() -> None:
    asked = Fio().arguments(
        "random-read", FioParameters.model_validate({"size": "64K", "depth": 8, "engine": "libaio"}), PLACE
    )
    assert asked["program"] == "fio"
    there = Place((*PLACE.endpoints, Endpoint("program", "program", "/opt/fio")))
    assert Fio().arguments("random-read", FioParameters(), there)["program"] == "/opt/fio"
    options = json.loads(asked["arguments"])
    assert {"--filename=/disk", "--rw=randread", "--bs=65536", "--iodepth=8", "--readonly", "--direct=1"} <= set(
        options
    )
    assert Fio().agent_op("random-read") == "run"
    with pytest.raises(UsageError, match="fio has no operation random-write"):
        Fio().arguments("random-write", FioParameters(), PLACE)
    with pytest.raises(UsageError, match="no disk"):
        Fio().arguments("random-read", FioParameters(), Place())


def test_what_fio_printed_is_read() -> None:
    text = captured("fio-3.33-randread.json")
    job = json.loads(text)["jobs"][0]["read"]
    assert job["total_ios"] > 1000
    assert Fio().read("random-read", text) == Reading(job["iops"], job["total_ios"])
    assert Fio().read("sequential-read", "fio: a warning\n" + text) == Reading(job["bw_bytes"], job["io_bytes"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fio: bad",
        "{",
        "{}",
        '{"jobs": []}',
        '{"jobs": [{"read": {"iops": "x"}}]}',
        '{"jobs": 7}',
        '{"jobs": {}}',
        printed(iops="NaN"),
        printed(iops="Infinity"),
        printed(iops="-1"),
        printed(iops="1e31"),
        printed(iops="1e-31"),
        printed(iops="null"),
        printed(total_ios="1e400"),
        printed(total_ios="-1"),
        printed(total_ios=str(1 << 53)),
        printed(total_ios="9" * 5000),
        "{" + '"a":[' * 30_000,
    ],
)
def test_what_fio_cannot_have_printed_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="something else than its result"):
        Fio().read("random-read", text)


def test_numbers_are_read_as_they_stand() -> None:
    assert Fio().read("random-read", printed()) == Reading(1000.5, 2001)
    assert Fio().read("random-read", printed(iops="0", total_ios="0")) == Reading(0.0, 0)


def test_fio_ends_when_it_was_told_whatever_the_window() -> None:
    assert Fio().work("random-read", FioParameters(seconds=7), 1, 1.0).window_s == 7
    options = Fio().options("sequential-read", FioParameters(seconds=7, direct=False), PLACE)
    assert {"--rw=read", "--runtime=7", "--direct=0", "--readonly"} <= set(options)


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"seconds": 0}, {"seconds": 1.5}, {"engine": "sync"}, {"depth": 0}, {"filename": "/etc"}]
)
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FioParameters.model_validate(wrong)
