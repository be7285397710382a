"""External tools: their command lines, what they really printed, and one number timed in three ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from virtometer.analysis.score import in_host_time
from virtometer.errors import UsageError
from virtometer.runner.placement_run import by_stopwatch
from virtometer.workloads.ab import Ab, AbParameters
from virtometer.workloads.base import Place
from virtometer.workloads.fio import Fio, FioParameters
from virtometer.workloads.tool import Reading

CAPTURED = Path(__file__).parent / "captured"
PLACE = Place(disk_path="/disk", peer=None)


def captured(name: str) -> str:
    return (CAPTURED / name).read_text()


def test_fio_is_asked_to_read_only_and_nothing_else() -> None:
    asked = Fio().arguments(
        "random-read", FioParameters.model_validate({"size": "64K", "depth": 8, "engine": "libaio"}), PLACE
    )
    assert asked["program"] == "fio"
    there = Place(disk_path="/disk", peer=None, program="/opt/fio")
    assert Fio().arguments("random-read", FioParameters(), there)["program"] == "/opt/fio"
    options = json.loads(asked["arguments"])
    assert {"--filename=/disk", "--rw=randread", "--bs=65536", "--iodepth=8", "--readonly", "--direct=1"} <= set(
        options
    )
    assert Fio().agent_op("random-read") == "run"
    with pytest.raises(UsageError, match="fio has no operation random-write"):
        Fio().arguments("random-write", FioParameters(), PLACE)
    with pytest.raises(UsageError, match="no disk"):
        Fio().arguments("random-read", FioParameters(), Place(None, None))


def test_what_fio_printed_is_read() -> None:
    text = captured("fio-3.33-randread.json")
    job = json.loads(text)["jobs"][0]["read"]
    assert job["total_ios"] > 1000
    assert Fio().read("random-read", text) == Reading(job["iops"], job["total_ios"])
    assert Fio().read("sequential-read", "fio: a warning\n" + text) == Reading(job["bw_bytes"], job["io_bytes"])


@pytest.mark.parametrize("text", ["", "fio: bad", "{", "{}", '{"jobs": []}', '{"jobs": [{"read": {"iops": "x"}}]}'])
def test_what_fio_cannot_have_printed_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="something else than its result"):
        Fio().read("random-read", text)


def test_what_ab_printed_is_read() -> None:
    assert Ab().read("get", captured("ab-2.3.txt")) == Reading(2953.12, 200)
    with pytest.raises(UsageError, match="20 of 20 requests of ab failed"):
        Ab().read("get", captured("ab-2.3-not-found.txt"))
    with pytest.raises(UsageError, match="did not print its result"):
        Ab().read("get", "apr_socket_recv: Connection refused (111)\n")


def test_ab_is_asked_as_published() -> None:
    asked = Ab().arguments("get", AbParameters(), PLACE)
    assert json.loads(asked["arguments"]) == ["-q", "-n", "10000", "-c", "5", "http://127.0.0.1/index.html"]


def test_one_number_in_three_ways() -> None:
    """A guest second lasts half a host second: the tool counted 1000 operations in what it took for two seconds."""
    assert in_host_time(500.0, "IO/s", 0.5) == 1000.0
    assert by_stopwatch(Reading(500.0, 1000), "IO/s", 1.25) == 800.0
    assert in_host_time(2e-3, "s", 0.5) == 1e-3
    assert by_stopwatch(Reading(2e-3, 1000), "s", 1.25) == 1.25e-3
    assert by_stopwatch(Reading(1.0, None), "1/s", 1.0) is None
