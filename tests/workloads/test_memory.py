"""What plans may ask of the memory, and what the agent is then asked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.analysis.values import metric
from virtometer.errors import UsageError
from virtometer.workloads.base import Place
from virtometer.workloads.memory import ARRAYS, MemoryParameters
from virtometer.workloads.registry import WORKLOADS

MEMORY = WORKLOADS["memory"]
NOWHERE = Place(disk_path=None, peer=None)


def asked(op: str, **parameters: Any) -> dict[str, Any]:
    return MEMORY.arguments(op, MemoryParameters.model_validate(parameters), NOWHERE)


def test_what_is_not_given_is_left_to_the_agent() -> None:
    assert asked("triad") == {"size": 64 << 20}
    best = {"type": "int", "simd": "avx", "store": "non-temporal", "pages": "huge"}
    assert asked("copy", size="1K", **best) == {"size": 1024, **best}
    assert asked("latency", size="4M", stride="4K", order="page") == {"size": 4 << 20, "stride": 4096, "order": "page"}


def test_the_metric_s_name_says_how_often_the_size_is_counted() -> None:
    for op, count in ARRAYS.items():
        assert MEMORY.operations[op].metric == f"bandwidth, {count} x size"
    assert MEMORY.operations["read-write"].metric == "bandwidth, 2 x size"
    assert MEMORY.operations["latency"].better == "lower"
    for op, operation in MEMORY.operations.items():
        if op in ARRAYS:
            assert metric("memory", op, operation.unit) == operation.metric, "reports say it alike"
    assert metric("disk", "read", "B/s") == "throughput"


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


def test_an_operation_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match=r"memory has no operation fill; it has copy, scale, add"):
        asked("fill")
