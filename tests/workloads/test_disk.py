"""What the workload disk asks of the agent, and which parameters it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.errors import UsageError
from virtometer.workloads.base import Endpoint, Place
from virtometer.workloads.registry import WORKLOADS

DISK = WORKLOADS["disk"]
HERE = Place((Endpoint("disk", "file", "/data/disk.img"),))


def asked(op: str, **parameters: Any) -> dict[str, Any]:
    return DISK.arguments(op, DISK.parameters.model_validate(parameters), HERE)


def test_what_is_not_given_is_left_to_the_agent() -> None:
    assert asked("random-read") == {
        "file": "/data/disk.img",
        "size": 4096,
        "direct": True,
        "engine": "psync",
        "depth": 1,
        "pages": "small",
        "seed": 1,
    }


def test_an_access_specification_is_passed_on() -> None:
    mix = "4K share=67 read=80 random=100, 64K share=33"
    told = asked("access", mix=mix, depth=32, engine="io_uring", align="512", think=100, burst=8, sync="each")
    assert asked("sequential-read", size="1M", pages="huge")["pages"] == "huge"
    assert told | {"mix": mix, "depth": 32, "align": 512, "think": 100, "burst": 8, "sync": "each"} == told
    assert asked("random-write", size="4M", span="1G", verify="full")["span"] == 1 << 30


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": -1},
        {"size": "2G"},
        {"depth": 0},
        {"depth": 32},
        {"depth": 1025, "engine": "libaio"},
        {"engine": "posixaio"},
        {"pages": "auto"},
        {"verify": "some"},
        {"sync": "sometimes"},
        {"read": 101},
        {"mix": ""},
        {"file": "/etc/passwd"},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DISK.parameters.model_validate(wrong)


def test_files_of_its_own_lie_beside_the_disk_file_and_each_has_another_name() -> None:
    one, two = asked("rewrite", size="64K", span="1G", sync="end"), asked("rewrite")
    assert one["file"].startswith("/data/disk.img.")
    assert one["file"] != two["file"]
    assert one | {"size": 65536, "span": 1 << 30, "sync": "end"} == one
    many = asked("create-random", files=100)
    assert many == {"folder": many["folder"], "files": 100}


def test_a_device_holds_no_files() -> None:
    device = Place((Endpoint("disk", "device", "/dev/vda"),))
    for op in ("write", "char-read", "stat-sequential"):
        with pytest.raises(UsageError, match="needs a file system"):
            DISK.arguments(op, DISK.parameters(), device)
    assert DISK.arguments("random-write", DISK.parameters(), device)["file"] == "/dev/vda"


def test_without_a_disk_or_such_an_operation_there_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="offers no disk"):
        DISK.arguments("random-read", DISK.parameters(), Place())
    with pytest.raises(UsageError, match="no operation dance"):
        asked("dance")
