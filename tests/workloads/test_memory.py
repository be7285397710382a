"""What plans may ask of the memory, and what the agent is then asked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer.analysis.compare.values import metric
from virtometer.errors import UsageError
from virtometer.workloads.base import Place
from virtometer.workloads.memory import MemoryParameters
from virtometer.workloads.registry import WORKLOADS

MEMORY = WORKLOADS["memory"]
NOWHERE = Place()


def asked(op: str, **parameters: Any) -> dict[str, Any]:
    return MEMORY.arguments(op, MemoryParameters.model_validate(parameters), NOWHERE)


def test_what_is_not_given_is_left_to_the_agent() -> None:
    assert asked("triad") == {"size": 64 << 20}
    best = {"type": "int", "simd": "avx", "store": "non-temporal", "pages": "huge"}
    assert asked("copy", size="1K", **best) == {"size": 1024, **best}
    assert asked("latency", size="4M", stride="4K", order="page") == {"size": 4 << 20, "stride": 4096, "order": "page"}


def test_the_metric_s_name_says_how_often_the_size_is_counted() -> None:
    counts = {"copy": 2, "scale": 2, "add": 3, "triad": 3, "read": 1, "write": 1, "read-write": 2}
    assert {*counts, "latency"} == set(MEMORY.operations)
    for op, count in counts.items():
        operation = MEMORY.operations[op]
        assert metric("memory", op, operation.unit) == f"bandwidth, {count} x size"
        assert operation.work.startswith("bytes of "), "and the agent's table says of what"
    assert MEMORY.operations["latency"].better == "lower"
    assert metric("memory", "latency", "s") == "time per operation"
    assert metric("disk", "read", "B/s") == "throughput"
    assert metric("memory", "of another version", "B/s") == "throughput"


def test_the_memory_that_is_needed_is_that_of_all_arrays() -> None:
    arrays = {"triad": 3, "copy": 2, "read": 1, "read-write": 1, "latency": 1}
    parameters = MemoryParameters(size=1 << 20)
    for op, count in arrays.items():
        assert MEMORY.work(op, parameters, 1, 0.3).demand.memory == count << 20, op


def test_arrays_of_any_size_are_measured_within_the_window_and_in_slices() -> None:
    parameters = MemoryParameters(size=1 << 30)
    for op in MEMORY.operations:
        work = MEMORY.work(op, parameters, 1, 0.3)
        assert (work.window_s, work.cannot_pause) == (0.3, ""), op


def test_the_size_may_be_a_multiple_of_the_host_s_cache() -> None:
    assert MEMORY.cache_sizes == {"size"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 0},
        {"type": "double"},
        {"simd": "mmx"},
        {"store": "sideways"},
        {"pages": "1G"},
        {"stride": 4},
        {"order": "backwards"},
        {"colour": "red"},
    ],
)
def test_other_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        MemoryParameters.model_validate(wrong)


def test_an_operation_that_does_not_exist_is_refused(said: Said) -> None:
    with pytest.raises(UsageError, match=r"^memory has no operation fill") as caught:
        asked("fill")
    said(caught.value.sentence)
