"""Operations and their parameters: what plans are told of values that the agent refuses."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer.runner.catalogue import catalogue


@pytest.mark.parametrize(
    ("name", "op", "parameters", "sentence"),
    [
        (
            "memory",
            "triad",
            {"stride": 64},
            "memory triad has no parameter stride; it has pages, simd, size, ",
        ),
        (
            "memory",
            "read-write",
            {"store": "non-temporal"},
            "memory read-write: store is non-temporal, but must be one of auto, temporal",
        ),
        ("disk", "seeks", {"align": 512}, "disk seeks has no parameter align; it has direct, seed, size, span, "),
        ("disk", "create-random", {"span": "4M"}, "disk create-random has no parameter span; it has files, seed, size"),
        ("os", "fork", {"processes": 2}, "os fork has no parameter processes; it has pin"),
        (
            "linpack",
            "blocked",
            {"variant": "rolled"},
            "linpack blocked has no parameter variant; it has ",
        ),
        ("net", "connect", {"connections": 2}, "net connect has no parameter connections; it has request, "),
        ("disk", "create-random", {"size": "8M"}, "disk create-random: size is 8388608, but must be 0 to 1048576"),
        ("disk", "random-read", {"size": 0}, "disk random-read: size is 0, but must be 8 to 1073741824"),
        ("disk", "random-read", {"size": 1001}, "disk random-read: size is 1001, but must be a multiple of 8"),
        ("disk", "write", {"direct": True, "size": 512}, "disk write: size is 512, but must be a multiple of 4096"),
        ("disk", "write", {"span": "1M", "size": 1536}, "disk write: span is 1048576, but must be a multiple of 1536"),
        ("disk", "access", {"mix": "nonsense"}, "disk access: mix has 'nonsense', which is not as in '4K share=67"),
        ("disk", "access", {"mix": "4K share=60, 64K share=39"}, "disk access: the shares of mix add up to 99"),
        ("disk", "access", {"mix": "4K share=60 read"}, "disk access: mix has '4K share=60 read', which is not as in"),
        ("disk", "access", {"mix": "4K, 8K share"}, "disk access: mix has '8K share', which is not as in"),
        ("disk", "access", {"mix": "4K read=101"}, "disk access: mix has '4K read=101', but shares are percentages"),
        ("disk", "access", {"mix": "4K share=67 read=80 random=100, 64K share=33 align=4K"}, ""),
        ("memory", "triad", {"size": 9}, "memory triad: size is 9, but must be a multiple of 8"),
        ("memory", "latency", {"size": 64, "stride": 128}, "memory latency: size is 64, but must be a multiple of the"),
        ("net", "udp-stream", {"size": 10}, "net udp-stream: size is 10, but must be 16 to 65507"),
        ("os", "file-reread", {"size": 12}, "os file-reread: size is 12, but must be a multiple of 8"),
        ("fio", "random-read", {}, ""),
        ("ab", "get", {}, ""),
    ],
)
def test_plans_are_told_what_an_operation_does_not_take(
    name: str, op: str, parameters: dict[str, Any], sentence: str
) -> None:
    description = catalogue().workloads[name]
    said = description.refusal(op, description.parameters.model_validate(parameters))
    assert said.startswith(sentence)
    assert bool(said) == bool(sentence)
