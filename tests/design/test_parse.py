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
    ("old", "new", "sentence"),
    [
        ("blocks: 3", "bloks: 3", r"15: unknown field 'bloks'; did you mean 'blocks'\? allowed: virtometer, name, .*"),
        (
            "blocks: 3",
            "residents_s: 3",
            r"15: plans have no 'residents_s' any more: leave it out; `python -m bench.*",
        ),
        ("blocks: 3", "limits: {residents_s: 3}", r"15: unknown field 'residents_s'; allowed: .*"),
        ("blocks: 3", "limits: {strat_s: 3}", r"15: unknown field 'strat_s'; did you mean 'start_s'\? allowed: .*"),
        ("    op: deep", "    opp: deep", r"12: unknown field 'opp'; did you mean 'op'\? allowed: .*"),
        ("virtometer: 1", "virtometer: 2", r"1: 'virtometer' is 2; allowed: 1"),
        ("blocks: 3", "blocks: three", r"15: 'blocks' is 'three', but must be a whole number"),
        ("blocks: 3", "blocks: '3'", r"15: 'blocks' is '3', but must be a whole number"),
        ("blocks: 3", "blocks: true", r"15: 'blocks' is true, but must be a whole number"),
        ("blocks: 3", "blocks: 2.5", r"15: 'blocks' is 2.5, but must be a whole number"),
        ("blocks: 3", "blocks: 0", r"15: 'blocks' is 0, but must be at least 1"),
        ("blocks: 3", "seconds: 0", r"15: 'seconds' is 0, but must be more than 0"),
        ("blocks: 3", "seconds: [1]", r"15: 'seconds' is a list, but must be a number"),
        ("blocks: 3", "seconds:", r"15: 'seconds' is empty, but must be a number"),
        ("blocks: 3", "margin: 1", r"15: 'margin' is 1, but must be less than 1"),
        ("blocks: 3", "fresh: never", r"15: 'fresh' is 'never'; allowed: trial, block"),
        ("blocks: 3", "limits: 7", r"15: 'limits' is 7, but must be a mapping .*"),
        ("blocks: 3", "seed: -1", r"15: 'seed' is -1, but must be at least 0"),
        ("blocks: 3", f"seed: {2**63}", r"15: 'seed' is 9223372036854775808, but must be less than .*"),
        ("name: good", "name: 7", r"2: 'name' is 7, but must be text; put it in quotes"),
        ("name: good", "name: ''", r"2: 'name' is '', but must have at least 1 character"),
        ("name: good", f"name: {'x' * 61}", r"2: 'name' has more than 60 characters, but may have 60 at most"),
        ("name: good\n", "", r"1: the field 'name' is missing"),
        ("disk_span: 16M", "disk_span: 16X", r"16: 'disk_span' is '16X', but a size is a whole number of bytes.*"),
        ("disk_span: 16M", "disk_span: 1K", r"16: 'disk_span' is '1K', but must be at least 1M"),
        (
            "blocks: 3",
            "baseline: nativ",
            r"15: the baseline is not among the environments: 'nativ'; did you mean 'nat.*",
        ),
        (
            "    kind: box",
            "    kind: bx",
            r"7: unknown kind of environment 'bx'; did you mean 'box'\? allowed: native, box",
        ),
        (
            "memory: 64M",
            "memry: 64M",
            r"8: unknown setting of box 'memry'; did you mean 'memory'\? allowed: processors, tuning, memory, .*",
        ),
        ("memory: 64M", "memory: 1", r"8: 'memory' is 1, but must be at least 1048576"),
        ("memory: 64M", "cache: often", r"8: 'cache' is 'often'; allowed: none, writeback"),
        ("colour: red", "colour: 3", r"8: 'colour' is 3; allowed: red"),
        (
            "kind: native",
            "kind: native\n    settings: {x: 1}",
            r"6: unknown setting of native 'x'; allowed: processors, tuning",
        ),
        (
            "    settings: {memory: 64M, cpus: 2, cpuset: [0, 1], colour: red}",
            "    settings:",
            r"8: 'settings' is empty, .*",
        ),
        ("workload: drill", "workload: dril", r"11: unknown workload 'dril'; did you mean 'drill'\? allowed: drill"),
        ("op: deep", "op: dep", r"12: unknown op of drill 'dep'; did you mean 'deep'\? allowed: deep, wide"),
        (
            "      size: 4K",
            "      sise: 4K",
            r"14: unknown parameter of drill 'sise'; did you mean 'size'\? .*: size, direct",
        ),
        ("      size: 4K", "      size: 0", r"14: 'size' is 0, but must be at least 1"),
        ("      size: 4K", "      direct: 1", r"14: 'direct' is 1, but must be true or false"),
        ("  - name: box", "  - name: native", r"6: another environment, in line 4, already has the name 'native'"),
        ("blocks: 3", "blocks: 10000\nseconds: 1", None),
    ],
)
def test_one_error(old: str, new: str, sentence: str | None) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if sentence is None:
        assert parse(text).blocks == 10_000
        return
    (line,) = messages(text)
    assert re.fullmatch(rf"p\.yaml:{sentence}", line), line


def test_an_absent_baseline_is_told_as_such() -> None:
    (line,) = messages(GOOD.replace("- name: native", "- name: host"))
    assert line == (
        "p.yaml:1: the baseline (native, where none is named) is not among the environments: 'native'; "
        "allowed: host, box"
    )


def test_all_errors_at_once_in_the_order_of_lines() -> None:
    text = GOOD.replace("op: deep", "op: dep").replace("memory: 64M", "memry: 64M").replace("kind: native", "kind: n")
    assert [line.split(":")[1] for line in messages(text)] == ["5", "8", "12"]


def test_very_many_errors_are_cut() -> None:
    text = GOOD + "".join(f"x{number}: 1\n" for number in range(50))
    lines = messages(text)
    assert len(lines) == MAX_MESSAGES + 1
    assert lines[-1] == "p.yaml: and 30 more"


def test_too_many_trials() -> None:
    names = "".join(f"  - {{name: w{number}, workload: drill, op: deep}}\n" for number in range(10))
    text = re.sub(r"workloads:\n.*(?=blocks)", f"workloads:\n{names}", GOOD, flags=re.DOTALL)
    (line,) = messages(text.replace("blocks: 3", "blocks: 3334"))
    assert line.endswith("100020 trials are more than the 100000 that one campaign may have")
    assert parse(text.replace("blocks: 3", "blocks: 3333")).blocks == 3333


@pytest.mark.parametrize("text", ["- 1\n", "7\n", "plan\n", "[]"])
def test_not_a_mapping(text: str) -> None:
    assert messages(text) == ["p.yaml:1: a plan is a mapping: lines of the form 'name: value'"]


def test_every_field_of_every_part_is_named_when_it_is_missing() -> None:
    assert messages("virtometer: 1\n") == [
        "p.yaml:1: the field 'environments' is missing",
        "p.yaml:1: the field 'name' is missing",
        "p.yaml:1: the field 'workloads' is missing",
    ]
    lines = messages(GOOD.replace("    op: deep\n", "").replace("    kind: box\n", ""))
    assert lines == ["p.yaml:6: the field 'kind' is missing", "p.yaml:9: the field 'op' is missing"]
