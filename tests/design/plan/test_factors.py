"""Factors: every combination becomes a workload, and messages name the line of the level."""

from __future__ import annotations

import re

import pytest

from tests.design.test_parse import GOOD, messages, parse

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
    ("old", "new", "sentence"),
    [
        ("        - 64K", "        - 0", r"16: 'size' is 0, but must be at least 1"),
        ("      size:", "      sise:", r"15: unknown parameter of drill 'sise'; did you mean 'size'\?.*"),
        ("[deep, wide]", "[deep, wid]", r"13: unknown op of drill 'wid'; did you mean 'wide'\?.*"),
        ("[deep, wide]", "[]", r"13: 'op' is empty, but must be a list of levels such as .*"),
        ("[deep, wide]", "deep", r"13: 'op' is 'deep', but must be a list of levels such as .*"),
        (
            "    factors:\n",
            "    parameters: {size: 1K}\n    factors:\n",
            r"15: 'size' is a factor and must not have .*",
        ),
        (
            "        - 64K\n",
            "        - 4K\n",
            r"10: another workload, in line 10, already has the name 'drill deep 4K'",
        ),
        ("        - 64K\n", "        - [4K]\n", r"16: a level of 'size' is a list, but must be a plain value"),
    ],
)
def test_one_error(old: str, new: str, sentence: str) -> None:
    assert old in FACTORS
    lines = messages(FACTORS.replace(old, new, 1))
    assert re.fullmatch(rf"p\.yaml:{sentence}", lines[0]), lines


def test_too_many_combinations() -> None:
    levels = ", ".join(str(level) for level in range(1, 65))
    text = FACTORS.replace("- 64K", "- 64K\n        - 1M")
    text = text.replace("[deep, wide]", "[deep, wide]\n      threads: [" + levels + "]\n      direct: [true, false]")
    assert messages(text)[0].endswith("with its factors the plan has more than 512 workloads")
