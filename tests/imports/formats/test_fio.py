"""fio: JSON, JSON+ and logs of fio 3.33; the units of fio 2."""

import json

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError


def test_both_directions_of_a_job() -> None:
    found = numbers(captured("fio-3.33-randrw.json"))
    assert found["job", "read throughput", "B/s", "higher"] == [1670253]
    assert found["job", "write throughput", "B/s", "higher"] == [1764179]
    assert found["job", "read I/O rate", "1/s", "higher"] == [407.77667]
    assert found["job", "mean read latency", "s", "lower"] == [pytest.approx(2.425325606357e-3)]
    assert found["job", "p99 write completion latency", "s", "lower"] == [pytest.approx(54.528e-6)]
    assert len(found) == 10


def test_json_plus_is_read_alike_and_a_direction_without_work_is_left_out() -> None:
    found = numbers(captured("fio-3.33-randread-plus.json"))
    assert found["job", "read throughput", "B/s", "higher"] == [11397565]
    assert not [metric for _, metric, *_ in found if "write" in metric]


def test_warnings_may_stand_before_the_json() -> None:
    text = (CAPTURED / "fio-3.33-randrw.json").read_text()
    assert numbers(written(f"fio: a warning\n{text}")) == numbers(written(text))


def test_jobs_of_one_name_are_numbered_and_a_failed_job_has_no_values() -> None:
    side = {"io_bytes": 1, "bw": 2, "iops": 3.0, "lat": {"mean": 4.0}}
    jobs = [{"jobname": "a", "read": side}, {"jobname": "a", "read": side, "error": 5}]
    found = numbers(written(json.dumps({"fio version": "fio-2.1", "jobs": jobs})))
    assert found["a 1", "read throughput", "B/s", "higher"] == [2048]
    assert found["a 1", "mean read latency", "s", "lower"] == [pytest.approx(4e-6)]
    assert found["a 2", "read throughput", "B/s", "higher"] == [None]


def test_logs_have_their_unit_in_their_name() -> None:
    found = numbers(captured("fio-3.33-randread_lat.1.log"))
    assert found["fio-3.33-randread", "mean read latency", "s", "lower"] == [pytest.approx(2.76820575e-3)]
    found = numbers(captured("fio-3.33-randread_bw.1.log"))
    assert found["fio-3.33-randread", "mean read throughput", "B/s", "higher"] == [pytest.approx(24417536)]
    with pytest.raises(UsageError, match="the unit of a log of fio stands in its name"):
        written("13, 2400181, 0, 65536, 0\n", "renamed.txt")
    with pytest.raises(UsageError, match=":2: this is no line"):
        written("13, 2400181, 0, 65536, 0\n14, 24\n", "a_lat.log")
