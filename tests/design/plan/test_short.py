"""The short form of a plan: less work for the same comparisons."""

from __future__ import annotations

import pytest

from tests.design.test_parse import BOXES, drills
from tests.sentences import Said
from virtometer.design.parse import PlanRead, read_plan
from virtometer.errors import PlanError
from virtometer.model import Plan

TEXT = """\
virtometer: 1
name: sizes
environments:
  - {name: native, kind: native}
  - {name: box, kind: box}
workloads:
  - {name: deep, workload: drill, op: deep, parameters: {size: 64M}, seconds: 30}
  - name: wide
    workload: drill
    op: wide
    factors: {size: [4K, 64K, 1M]}
seconds: 180
disk_span: 10G
blocks: 6
short:
  seconds: 0.5
  disk_span: 64M
  workloads:
    deep: {parameters: {size: 1M}}
    wide: {factors: {size: [4K, 64K]}, seconds: 0.25}
"""


def read(text: str = TEXT, *, short: bool = True) -> PlanRead:
    with drills():
        return read_plan(text, "p.yaml", BOXES, short=short)


def test_the_full_form_is_what_the_plan_says() -> None:
    plan = read(short=False).resolved.plan
    assert [one.name for one in plan.workloads] == ["deep", "wide 4K", "wide 64K", "wide 1M"]
    assert (plan.seconds, plan.disk_span, plan.workloads[0].seconds) == (180, 10 << 30, 30)
    assert plan.shortened == []


def test_the_short_form_replaces_sizes_and_times_alone() -> None:
    full, plan = read(short=False).resolved.plan, read().resolved.plan
    assert [(one.name, one.seconds) for one in plan.workloads] == [
        ("deep", None),
        ("wide 4K", 0.25),
        ("wide 64K", 0.25),
    ]
    assert plan.workloads[0].parameters == {"size": 1 << 20}
    assert (plan.seconds, plan.disk_span) == (0.5, 64 << 20)
    assert (plan.environments, plan.blocks, plan.scenarios) == (full.environments, full.blocks, full.scenarios)


def test_it_says_what_was_shortened(said: Said) -> None:
    said("\n".join(read().resolved.plan.shortened))


def test_what_was_read_in_short_form_is_kept_with_the_plan() -> None:
    plan = read().resolved.plan
    assert Plan.model_validate_json(plan.model_dump_json()) == plan


def test_a_plan_without_a_short_form_has_none(said: Said) -> None:
    text = TEXT.partition("short:")[0]
    assert read(text, short=False).resolved.plan.short is None
    with pytest.raises(PlanError) as error:
        read(text)
    said(str(error.value))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("deep: {parameters: {size: 1M}}", "deeper: {seconds: 1}"),
        ("deep: {parameters: {size: 1M}}", "deep: {parameters: {direct: false}}"),
        ("deep: {parameters: {size: 1M}}", "deep: {factors: {size: [4K]}}"),
        ("[4K, 64K]}, seconds", "[4K, 2M]}, seconds"),
        ("[4K, 64K]}, seconds", "[]}, seconds"),
        ("seconds: 0.5", "seconds: -1"),
        ("seconds: 0.5", "blocks: 3"),
        ("seconds: 0.5", "environments: []"),
        ("blocks: 6", "shortened: [nothing]"),
        ("short:\n  seconds: 0.5\n", "short: 5\nlimits:\n"),
    ],
)
def test_a_mistake_names_its_line_in_either_form(said: Said, old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    with pytest.raises(PlanError) as full:
        read(text, short=False)
    with pytest.raises(PlanError) as error:
        read(text)
    assert str(error.value) == str(full.value)
    said(str(error.value))


def test_a_value_that_the_workload_refuses_has_the_line_of_the_short_form() -> None:
    text = TEXT.replace("deep: {parameters: {size: 1M}}", "deep: {parameters: {size: large}}")
    line = text[: text.index("size: large")].count("\n") + 1
    read(text, short=False)
    with pytest.raises(PlanError) as error:
        read(text)
    assert error.value.line == line
