"""Factors: every combination becomes a workload, and messages name the line of the level."""

from __future__ import annotations

import re

import pytest

from tests.design.test_parse import GOOD, messages, parse
from tests.sentences import Said

FACTORS = GOOD.replace(
    "    op: deep\n    parameters:\n      size: 4K\n",
    "    factors:\n      op: [deep, wide]\n      size:\n        - 4K\n        - 64K\n",
)


def test_every_combination_is_a_workload_in_the_order_of_the_file() -> None:
    plan = parse(FACTORS)
    assert [(w.name, w.op, w.parameters) for w in plan.workloads] == [
        ("drill deep 4K", "deep", {"size": 4096}),
        ("drill deep 64K", "deep", {"size": 65536}),
        ("drill wide 4K", "wide", {"size": 4096}),
        ("drill wide 64K", "wide", {"size": 65536}),
    ]
    assert not any(workload.factors for workload in plan.workloads)


def test_every_combination_keeps_its_levels_in_the_types_of_the_parameters() -> None:
    plan = parse(FACTORS)
    assert [(workload.of, workload.levels) for workload in plan.workloads] == [
        ("drill", {"op": op, "size": size}) for op in ("deep", "wide") for size in (4096, 65536)
    ]
    plan = parse(GOOD.replace("    op: deep\n", "    op: deep\n    factors: {threads: [1, 2], direct: [true]}\n"))
    assert [workload.levels for workload in plan.workloads] == [
        {"threads": 1, "direct": True},
        {"threads": 2, "direct": True},
    ]
    assert [(workload.of, workload.levels) for workload in parse(GOOD).workloads] == [("", {})]


@pytest.mark.parametrize("field", ["levels: {size: 4096}", "of: drill"])
def test_levels_are_not_for_users_to_write(field: str) -> None:
    (line,) = messages(GOOD.replace("    op: deep\n", f"    op: deep\n    {field}\n"))
    assert f"unknown field '{field.partition(':')[0]}'" in line
    assert "levels" not in line.partition("; ")[2]


def test_threads_and_other_parameters_are_named_by_their_factor() -> None:
    plan = parse(
        GOOD.replace("    op: deep\n", "    op: deep\n    factors: {threads: [1, 2], direct: [true, false]}\n")
    )
    assert [workload.name for workload in plan.workloads] == [
        f"drill threads {threads} direct {direct}" for threads in (1, 2) for direct in ("true", "false")
    ]
    assert [workload.threads for workload in plan.workloads] == [1, 1, 2, 2]
    assert all(workload.parameters["size"] == 4096 for workload in plan.workloads)


def test_workloads_after_one_with_factors_keep_their_lines() -> None:
    more = "  - name: last\n    workload: drill\n    op: dep\n"
    (line,) = messages(FACTORS.replace("blocks: 3", more + "blocks: 3"))
    assert re.match(r"p\.yaml:19: unknown op of drill 'dep'", line), line


@pytest.mark.parametrize(
    ("old", "new", "number", "fact"),
    [
        ("        - 64K", "        - 0", 16, "at least 1"),
        ("      size:", "      sise:", 15, "'size'"),
        ("[deep, wide]", "[deep, wid]", 13, "'wide'"),
        ("[deep, wide]", "[]", 13, "'op'"),
        ("[deep, wide]", "deep", 13, "'deep'"),
        ("    factors:\n", "    parameters: {size: 1K}\n    factors:\n", 15, "'size'"),
        ("        - 64K\n", "        - 4K\n", 10, "'drill deep 4K'"),
        ("        - 64K\n", "        - [4K]\n", 16, "'size'"),
    ],
)
def test_one_error(said: Said, old: str, new: str, number: int, fact: str) -> None:
    assert old in FACTORS
    line = messages(FACTORS.replace(old, new, 1))[0]
    assert line.startswith(f"p.yaml:{number}: ") and fact in line
    said(line)


def test_too_many_combinations(said: Said) -> None:
    levels = ", ".join(str(level) for level in range(1, 65))
    text = FACTORS.replace("- 64K", "- 64K\n        - 1M")
    text = text.replace("[deep, wide]", "[deep, wide]\n      threads: [" + levels + "]\n      direct: [true, false]")
    sentence = messages(text)[0]
    assert "512" in sentence
    said(sentence)
