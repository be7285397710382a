"""A part of a plan, chosen by the names of its workloads and environments."""

from __future__ import annotations

import re

import pytest

from tests.design.plan.test_factors import FACTORS
from tests.design.test_parse import BOXES, drills
from tests.sentences import Said
from virtometer.design.parse import PlanRead, read_plan
from virtometer.design.plan.selection import Selection, words
from virtometer.environments.registry import KINDS
from virtometer.errors import PlanError, UsageError

TEXT = FACTORS.replace(
    "blocks: 3",
    """\
  - name: small, and simple
    workload: drill
    op: wide
  - {name: simple, workload: drill, op: deep}
blocks: 3""",
).replace("workloads:\n", "  - {name: second box, kind: box, settings: {cpus: 1}}\nworkloads:\n", 1)

ALL = ["drill deep 4K", "drill deep 64K", "drill wide 4K", "drill wide 64K", "small, and simple", "simple"]


def chosen(only: tuple[str, ...] = (), environments: tuple[str, ...] = (), text: str = TEXT) -> PlanRead:
    with drills():
        return read_plan(text, "p.yaml", BOXES, Selection(only, environments))


def names(read: PlanRead) -> tuple[list[str], list[str]]:
    plan = read.resolved.plan
    return [workload.name for workload in plan.workloads], [environment.name for environment in plan.environments]


@pytest.mark.parametrize(
    ("only", "left"),
    [
        ((), ALL),
        (("simple",), ["simple"]),
        (("simple,drill deep 4K",), ["drill deep 4K", "simple"]),
        ((" simple , drill deep 4K ",), ["drill deep 4K", "simple"]),
        (("simple", "drill deep 4K"), ["drill deep 4K", "simple"]),
        (("drill",), ALL[:4]),
        (("drill,drill wide 4K",), ALL[:4]),
        (("small, and simple",), ["small, and simple"]),
        (("simple,small, and simple,drill deep 64K",), ["drill deep 64K", "small, and simple", "simple"]),
    ],
)
def test_workloads_by_name_in_the_order_of_the_plan(only: tuple[str, ...], left: list[str]) -> None:
    assert names(chosen(only)) == (left, ["native", "box", "second box"])


@pytest.mark.parametrize(
    ("environments", "left"),
    [
        (("second box",), ["native", "second box"]),
        (("box,native",), ["native", "box"]),
        (("native",), ["native"]),
        (("second box,box",), ["native", "box", "second box"]),
    ],
)
def test_environments_by_name_and_always_the_baseline(environments: tuple[str, ...], left: list[str]) -> None:
    assert names(chosen((), environments)) == (ALL, left)


def test_what_is_chosen_is_otherwise_the_plan() -> None:
    whole, part = chosen().resolved.plan, chosen(("simple",), ("second box",)).resolved.plan
    assert part.workloads == whole.workloads[5:]
    assert part.environments == [whole.environments[0], whole.environments[2]]
    rest = {"workloads", "environments"}
    assert part.model_dump(exclude=rest) == whole.model_dump(exclude=rest)


@pytest.mark.parametrize(
    ("only", "environments", "fact"),
    [
        ("simpel", "", "'simple'"),
        ("Wide", "", "'drill wide 4K' or 'drill wide 64K'"),
        ("simple,zzz", "", "'zzz'"),
        ("simple,", "", "empty"),
        ("", "", "empty"),
        ("a\x1b[2Jb", "", "'a\\x1b[2Jb'"),
        ("simple", "Box", "'box' or 'second box'"),
    ],
)
def test_an_unknown_name_gives_one_sentence_with_the_nearest_names(
    said: Said, only: str, environments: str, fact: str
) -> None:
    with pytest.raises(UsageError) as caught:
        chosen((only,), (environments,) if environments else ())
    assert caught.value.sentence.startswith("--in: " if environments else "--only: ")
    assert fact in caught.value.sentence
    assert caught.value.exit_status == 2
    assert "'simple'" in caught.value.advice or "'second box'" in caught.value.advice
    said(caught.value.sentence)


def test_an_error_lists_a_few_names_of_many() -> None:
    levels = "[" + ", ".join(f"{number}K" for number in range(1, 33)) + "]"
    with pytest.raises(UsageError) as caught:
        chosen(("zzz",), text=re.sub(r"      size:\n.*\n.*64K\n", f"      size: {levels}\n", TEXT))
    assert caught.value.advice.endswith(" and 55 more")
    assert caught.value.advice.count("'") == 24


def test_a_mistake_elsewhere_in_the_plan_is_one_still() -> None:
    with pytest.raises(PlanError, match="unknown op of drill 'deap'"):
        chosen(("drill",), text=TEXT.replace("op: deep}", "op: deap}"))


def test_what_is_left_out_need_not_be_possible() -> None:
    text = """\
virtometer: 1
name: files
environments: [{name: native, kind: native}, {name: emulated, kind: qemu}]
workloads:
  - {name: seeks, workload: disk, op: random-read}
  - {name: files, workload: memory, op: read, parameters: {size: 1G}}
"""
    with pytest.raises(PlanError, match=r"p\.yaml:6: .*memory read takes 1G of memory"):
        read_plan(text, "p.yaml", KINDS)
    with pytest.raises(PlanError, match=r"p\.yaml:6: .*memory read takes 1G of memory"):
        read_plan(text, "p.yaml", KINDS, Selection(("files",)))
    for part in (Selection(("seeks",)), Selection((), ("native",))):
        assert read_plan(text, "p.yaml", KINDS, part).resolved.plan.name == "files"


def test_lines_stay_those_of_the_file() -> None:
    read = chosen(("simple",), ("second box",))
    lines = TEXT.splitlines()
    for path, begin in (
        (("workloads", 0, "name"), "  - {name: simple,"),
        (("environments", 1), "  - {name: second box"),
        (("blocks",), "blocks"),
    ):
        assert lines[read.document.line(path) - 1].startswith(begin)
    assert read.document.line(("environments", 0, "kind")) == 5
    assert read.document.line(("workloads", 1)) == read.document.line(("workloads",))


def test_too_many_trials_can_be_made_fewer() -> None:
    text = TEXT.replace("blocks: 3", "blocks: 10000")
    with pytest.raises(PlanError, match="240000 trials are more"):
        chosen(text=text)
    assert names(chosen(("simple",), ("native",), text=text)) == (["simple"], ["native"])


def test_what_was_left_is_said_in_one_line(said: Said) -> None:
    both = Selection(("drill deep 4K",), ("box",))
    line = words(both, chosen(both.only, both.environments).resolved.plan)
    assert "'drill deep 4K'" in line and line.endswith(" 'native', 'box'")
    said(line)
    assert not words(Selection(), chosen().resolved.plan)


SCENARIOS = """\
virtometer: 1
name: several
environments:
  - {name: native, kind: native}
  - {name: box, kind: runc}
  - {name: other, kind: runc}
workloads:
  - {name: cpu, workload: linpack, op: classic}
  - {name: disk, workload: disk, op: random-read}
  - {name: net, workload: net, op: stream}
scenarios:
  - {name: alone, type: alone}
  - {name: loaded, type: loaded, environment: box, workload: disk, load: {workload: cpu}}
  - {name: mixed, type: mixed, environment: other, workloads: [disk, net], guests: [2]}
  - {name: matrix, type: matrix, members: [native, box]}
"""


@pytest.mark.parametrize(
    ("only", "environments", "workloads", "scenarios"),
    [
        (("disk",), (), ["cpu", "disk"], {"alone": ["disk"], "loaded": ["disk"]}),
        (("net",), (), ["net"], {"alone": ["net"], "matrix": ["net"]}),
        ((), ("other",), ["cpu", "disk", "net"], {"alone": ["cpu", "disk", "net"], "mixed": ["disk", "net"]}),
    ],
)
def test_scenarios_keep_what_is_chosen_and_what_loads(
    only: tuple[str, ...], environments: tuple[str, ...], workloads: list[str], scenarios: dict[str, list[str]]
) -> None:
    read = read_plan(SCENARIOS, "p.yaml", KINDS, Selection(only, environments))
    assert names(read)[0] == workloads
    assert {one.name: one.workloads for one in read.resolved.plan.scenarios} == scenarios
    place = [one.name for one in read.resolved.plan.scenarios].index(next(reversed(scenarios)))
    assert (
        read.document.line(("scenarios", place, "name"))
        == {"loaded": 13, "matrix": 15, "mixed": 14}[next(reversed(scenarios))]
    )


def test_a_choice_that_leaves_no_scenario_is_refused() -> None:
    text = SCENARIOS.replace("  - {name: alone, type: alone}\n", "")
    with pytest.raises(UsageError, match="--only: no scenario of the plan is left"):
        read_plan(text, "p.yaml", KINDS, Selection(("cpu",)))
