"""Plans: every error with file, line, what is wrong and what is allowed, and all of them at once."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal
from unittest.mock import patch

import pytest
from pydantic import BeforeValidator, Field

from tests.design.reading import parsed
from tests.sentences import Said
from virtometer.design.plan.document import MAX_MESSAGES
from virtometer.errors import PlanError
from virtometer.model import Kind, Kinds, Plan, Settings, parse_size
from virtometer.workloads.base import Operation, Parameters, Place, Workload
from virtometer.workloads.registry import WORKLOADS


class Colour(StrEnum):
    RED = "red"


class BoxSettings(Settings):
    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=1 << 20)] = 1 << 29
    cpus: float | None = Field(default=None, gt=0)
    cpuset: tuple[int, ...] | None = None
    cache: Literal["none", "writeback"] = "none"
    colour: Colour = Colour.RED


class DrillParameters(Parameters):
    size: Annotated[int, BeforeValidator(parse_size), Field(ge=1)] = 4096
    direct: bool = True


class Drill(Workload[DrillParameters]):
    name = "drill"
    kernel = "drill"
    operations: ClassVar = {"deep": Operation("B/s", "higher", "depth"), "wide": Operation("s", "lower", "width")}
    parameters = DrillParameters

    def arguments(self, op: str, parameters: DrillParameters, place: Place) -> dict[str, Any]:
        return {}


def a_kind(settings: type[Settings]) -> type[Kind]:
    return type("AKind", (Kind,), {"title": "a kind", "settings_type": settings})


BOXES: Kinds = {"native": a_kind(Settings), "box": a_kind(BoxSettings)}


def drills() -> AbstractContextManager[object]:
    """While it is open, `drill` is the only workload that there is."""
    return patch.dict(WORKLOADS, {"drill": Drill()}, clear=True)


GOOD = """\
virtometer: 1
name: good
environments:
  - name: native
    kind: native
  - name: box
    kind: box
    settings: {memory: 64M, cpus: 2, cpuset: [0, 1], colour: red}
workloads:
  - name: drill
    workload: drill
    op: deep
    parameters:
      size: 4K
blocks: 3
disk_span: 16M
"""


def parse(text: str, kinds: Kinds = BOXES) -> Plan:
    with drills():
        return parsed(text, kinds=kinds)


def messages(text: str) -> list[str]:
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert caught.value.exit_status == 2
    return caught.value.sentence.splitlines()


def test_a_good_plan() -> None:
    plan = parse(GOOD)
    assert plan.name == "good"
    assert plan.baseline == "native"
    assert plan.environments[1].settings == {"memory": 64 << 20, "cpus": 2.0, "cpuset": [0, 1], "colour": "red"}
    assert plan.workloads[0].parameters == {"size": 4096}
    assert plan.disk_span == 16 << 20
    assert plan.blocks == 3
    assert Plan.model_validate_json(plan.model_dump_json()) == plan


@pytest.mark.parametrize(
    ("old", "new", "number", "fact"),
    [
        ("blocks: 3", "bloks: 3", 15, "'blocks'"),
        ("blocks: 3", "residents_s: 3", 15, "'residents_s'"),
        ("blocks: 3", "limits: {residents_s: 3}", 15, "'residents_s'"),
        ("blocks: 3", "limits: {strat_s: 3}", 15, "'start_s'"),
        ("    op: deep", "    opp: deep", 12, "'op'"),
        ("virtometer: 1", "virtometer: 2", 1, "allowed: 1"),
        ("blocks: 3", "blocks: three", 15, "'three'"),
        ("blocks: 3", "blocks: '3'", 15, "'3'"),
        ("blocks: 3", "blocks: true", 15, "true"),
        ("blocks: 3", "blocks: 2.5", 15, "2.5"),
        ("blocks: 3", "blocks: 0", 15, "at least 1"),
        ("blocks: 3", "seconds: 0", 15, "more than 0"),
        ("blocks: 3", "seconds: [1]", 15, "'seconds'"),
        ("blocks: 3", "seconds:", 15, "'seconds'"),
        ("blocks: 3", "margin: 1", 15, "less than 1"),
        ("blocks: 3", "fresh: never", 15, "allowed: trial, block"),
        ("blocks: 3", "limits: 7", 15, "'limits'"),
        ("blocks: 3", "seed: -1", 15, "at least 0"),
        ("blocks: 3", f"seed: {2**63}", 15, "9223372036854775808"),
        ("name: good", "name: 7", 2, "7"),
        ("name: good", "name: ''", 2, "at least 1"),
        ("name: good", f"name: {'x' * 61}", 2, "60"),
        ("name: good\n", "", 1, "'name'"),
        ("disk_span: 16M", "disk_span: 16X", 16, "'16X'"),
        ("disk_span: 16M", "disk_span: 1K", 16, "at least 1M"),
        ("blocks: 3", "baseline: nativ", 15, "'native'"),
        ("    kind: box", "    kind: bx", 7, "'box'"),
        ("memory: 64M", "memry: 64M", 8, "'memory'"),
        ("memory: 64M", "image: debian", 8, "'root: debian'"),
        ("memory: 64M", "memory: 1", 8, "at least 1048576"),
        ("memory: 64M", "cache: often", 8, "allowed: none, writeback"),
        ("colour: red", "colour: 3", 8, "allowed: red"),
        ("kind: native", "kind: native\n    settings: {x: 1}", 6, "'x'"),
        (
            "    settings: {memory: 64M, cpus: 2, cpuset: [0, 1], colour: red}",
            "    settings:",
            8,
            "'settings'",
        ),
        ("workload: drill", "workload: dril", 11, "'drill'"),
        ("op: deep", "op: dep", 12, "'deep'"),
        ("      size: 4K", "      sise: 4K", 14, "'size'"),
        ("      size: 4K", "      size: 0", 14, "at least 1"),
        ("      size: 4K", "      direct: 1", 14, "true or false"),
        ("  - name: box", "  - name: native", 6, "line 4"),
    ],
)
def test_one_error(said: Said, old: str, new: str, number: int, fact: str) -> None:
    assert old in GOOD
    (line,) = messages(GOOD.replace(old, new, 1))
    assert line.startswith(f"p.yaml:{number}: ") and fact in line
    said(line)


def test_many_blocks_of_short_windows_are_right() -> None:
    assert parse(GOOD.replace("blocks: 3", "blocks: 10000\nseconds: 1", 1)).blocks == 10_000


def test_an_absent_baseline_is_reported_as_such(said: Said) -> None:
    (line,) = messages(GOOD.replace("- name: native", "- name: host"))
    assert line.startswith("p.yaml:1: ") and line.endswith("allowed: host, box")
    said(line)


def test_all_errors_at_once_in_the_order_of_lines() -> None:
    text = GOOD.replace("op: deep", "op: dep").replace("memory: 64M", "memry: 64M").replace("kind: native", "kind: n")
    assert [line.split(":")[1] for line in messages(text)] == ["5", "8", "12"]


def test_very_many_errors_are_cut() -> None:
    text = GOOD + "".join(f"x{number}: 1\n" for number in range(50))
    lines = messages(text)
    assert len(lines) == MAX_MESSAGES + 1
    assert lines[-1] == "p.yaml: and 30 more"


def test_too_many_trials(said: Said) -> None:
    names = "".join(f"  - {{name: w{number}, workload: drill, op: deep}}\n" for number in range(10))
    text = re.sub(r"workloads:\n.*(?=blocks)", f"workloads:\n{names}", GOOD, flags=re.DOTALL)
    (line,) = messages(text.replace("blocks: 3", "blocks: 3334"))
    assert "100020" in line
    said(line)
    assert parse(text.replace("blocks: 3", "blocks: 3333")).blocks == 3333


def test_not_a_mapping(said: Said) -> None:
    sentences = [line for text in ("- 1\n", "7\n", "plan\n", "[]") for line in messages(text)]
    assert len(sentences) == 4
    (sentence,) = set(sentences)
    assert sentence.startswith("p.yaml:1: ")
    said(sentence)


def test_every_field_of_every_part_is_named_when_it_is_missing() -> None:
    assert messages("virtometer: 1\n") == [
        "p.yaml:1: the field 'environments' is missing",
        "p.yaml:1: the field 'name' is missing",
        "p.yaml:1: the field 'workloads' is missing",
    ]
    lines = messages(GOOD.replace("    op: deep\n", "").replace("    kind: box\n", ""))
    assert lines == ["p.yaml:6: the field 'kind' is missing", "p.yaml:9: the field 'op' is missing"]
