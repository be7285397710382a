"""Sizes as multiples of the host's last-level cache: bytes, the same for all guests, and a sentence without a cache."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sentences import Said
from virtometer.design.parse import read_plan
from virtometer.design.plan.cache_sizes import in_bytes
from virtometer.design.plan.document import Document
from virtometer.environments.registry import KINDS
from virtometer.errors import PlanError
from virtometer.model import Plan

_PLAN = """\
virtometer: 1
name: caches
environments:
  - {{name: native, kind: native}}
  - {{name: box, kind: bubblewrap}}
workloads:
  - {{name: w, workload: {workload}, op: {op}, {more}}}
"""


def plan(more: str, cache: int | None = 32 << 20, workload: str = "memory", op: str = "triad") -> Plan:
    text = _PLAN.format(workload=workload, op=op, more=more)
    return read_plan(text, "p.yaml", KINDS, last_cache_bytes=cache).resolved.plan


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4x llc", 128 << 20),
        ("4 x llc", 128 << 20),
        ("4xllc", 128 << 20),
        ("4X LLC", 128 << 20),
        ("' 4  x  llc '", 128 << 20),
        ("2x llc", 64 << 20),
        ("0.5x llc", 16 << 20),
        ("1.0001 x llc", 33554432),
        ("64M", 64 << 20),
        ("'4x llc, at most 1G'", 128 << 20),
        ("'4x llc, at most 96M'", 96 << 20),
        ("'4 x llc , at  most 96MiB '", 96 << 20),
    ],
)
def test_a_multiple_of_the_cache_is_recorded_in_bytes(text: str, size: int) -> None:
    (workload,) = plan(f"parameters: {{size: {text}}}").workloads
    assert workload.parameters == {"size": size}


def test_the_size_follows_the_host() -> None:
    sizes = [plan("parameters: {size: 4x llc}", cache).workloads[0].parameters["size"] for cache in (1 << 20, 8 << 20)]
    assert sizes == [4 << 20, 32 << 20]


def test_levels_of_a_factor_may_be_multiples() -> None:
    workloads = plan("factors: {size: [0.5x llc, 4x llc]}").workloads
    assert [(one.name, one.levels, one.parameters) for one in workloads] == [
        ("w 0.5x llc", {"size": 16 << 20}, {"size": 16 << 20}),
        ("w 4x llc", {"size": 128 << 20}, {"size": 128 << 20}),
    ]


def test_a_host_that_reports_no_cache_is_a_sentence_with_what_to_do(said: Said) -> None:
    with pytest.raises(PlanError) as caught:
        plan("parameters: {size: 4 x llc}", None)
    assert caught.value.line == 7 and "'size' is 4 x llc" in caught.value.sentence
    said(caught.value.sentence)
    assert plan("parameters: {size: 64M}", None).workloads[0].parameters == {"size": 64 << 20}


@pytest.mark.parametrize(
    "text", ["x llc", "4 llc", "4x", "-4x llc", "4x l3c", "4e2x llc", "9999999x llc", "4x llc, at most"]
)
def test_other_texts_are_no_sizes(text: str) -> None:
    with pytest.raises(PlanError, match=r"p.yaml:7: .*size"):
        plan(f"parameters: {{size: '{text}'}}")


def test_a_multiple_out_of_bounds_is_refused_like_other_sizes() -> None:
    for text in ("0x llc", "999999 x llc"):
        with pytest.raises(PlanError, match=r"p.yaml:7: .*size"):
            plan(f"parameters: {{size: {text}}}", 1 << 40)


def test_only_what_is_a_size_of_the_cache_may_be_one() -> None:
    with pytest.raises(PlanError, match="a size is a whole number of bytes"):
        plan("parameters: {size: 4x llc}", workload="disk", op="random-read")


@pytest.mark.parametrize("workloads", [None, 1, ["x"], [{"workload": []}], [{"workload": "memory", "parameters": 1}]])
def test_what_is_no_plan_passes_unchanged(workloads: Any) -> None:
    document = Document({"workloads": workloads}, {})
    assert in_bytes(document, 1 << 20) == document
