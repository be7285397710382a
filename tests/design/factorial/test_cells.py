"""Factors become cells: environments with settings, levels and names, and messages name the line of the level."""

from __future__ import annotations

from typing import Any

import pytest

from tests.design.test_parse import BOXES, GOOD, BoxSettings, a_kind, drills, messages, parse
from tests.sentences import Said
from virtometer.design.factorial.cells import space_of
from virtometer.design.factorial.registry import DESIGNS
from virtometer.design.parse import read_plan
from virtometer.design.plan.selection import Selection
from virtometer.errors import PlanError
from virtometer.model import Plan, TuningStep

FACTORS = """\
virtometer: 1
name: varied
environments:
  - name: native
    kind: native
  - name: box
    kind: box
    settings: {memory: 64M}
factors:
  - name: cache
    environment: box
    setting: cache
    levels: [none, writeback]
  - name: size
    environment: box
    levels:
      small: {cpus: 1, cpuset: [0]}
      large: {cpus: 2}
  - {name: dummy, environment: box, levels: {this: {}, that: {}}}
workloads:
  - {name: drill, workload: drill, op: deep}
blocks: 6
disk_span: 16M
"""


def varied(*changes: tuple[str, str]) -> str:
    text = FACTORS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_every_combination_is_an_environment_and_the_reference_the_baseline() -> None:
    plan = parse(FACTORS)
    assert len(plan.environments) == 9
    assert plan.environments[0].name == "native" and not plan.environments[0].levels
    first = plan.cells[0]
    assert first.name == plan.baseline == "box cache=none size=small dummy=this"
    assert first.levels == {"cache": "none", "size": "small", "dummy": "this"}
    assert (first.of, first.kind) == ("box", "box")
    assert first.settings == {"memory": 64 << 20, "cache": "none", "cpus": 1.0, "cpuset": [0]}
    large = next(one for one in plan.cells if one.levels["size"] == "large")
    assert large.settings == {"memory": 64 << 20, "cache": "none", "cpus": 2.0}
    assert len({tuple(one.levels.items()) for one in plan.cells}) == 8


def test_a_plan_that_was_read_has_references_environments_and_terms() -> None:
    plan = parse(FACTORS)
    assert [(one.reference, one.environment) for one in plan.factors] == [
        ("none", "box"), ("small", "box"), ("this", "box"),
    ]  # fmt: skip
    assert plan.design is not None
    assert plan.design.terms == ["cache", "size", "dummy", "cache:size", "cache:dummy", "size:dummy"]
    assert plan.design.left_out == []
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
    space = space_of(plan.factors, plan.constraints, plan.design)
    assert (space.names, space.references) == (("cache", "size", "dummy"), (0, 0, 0))


def test_a_baseline_that_is_no_cell_stays_and_the_name_of_the_environment_means_the_reference() -> None:
    assert parse(varied(("blocks:", "baseline: native\nblocks:"))).baseline == "native"
    assert parse(varied(("blocks:", "baseline: box\nblocks:"))).baseline == "box cache=none size=small dummy=this"


def test_a_reference_may_be_named() -> None:
    plan = parse(
        varied(("    levels: [none, writeback]\n", "    levels: [none, writeback]\n    reference: writeback\n"))
    )
    assert plan.baseline == "box cache=writeback size=small dummy=this"


def test_constraints_take_cells_away() -> None:
    never = "constraints:\n  - never: {cache: writeback, size: [large]}\n"
    plan = parse(varied(("blocks:", f"{never}blocks:")))
    assert len(plan.cells) == 6
    only = "constraints:\n  - {only: {size: small}, where: {cache: writeback}}\n"
    assert parse(varied(("blocks:", f"{only}blocks:"))).cells == plan.cells
    assert plan.design is not None and plan.design.left_out == ["cache:size"]


def test_environments_may_be_levels() -> None:
    text = varied(
        ("  - name: native\n    kind: native\n", "  - {name: other, kind: box, settings: {memory: 32M}}\n"),
        ("    environment: box\n    setting", "    setting"),
        ("    environment: box\n    levels:", "    levels:"),
        ("{name: dummy, environment: box, levels: {this: {}, that: {}}}", "{name: place, environments: [box, other]}"),
    )
    plan = parse(text)
    assert [(one.name, one.of, one.settings["memory"]) for one in plan.cells[:2]] == [
        ("box cache=none size=small", "box", 64 << 20),
        ("other cache=none size=small", "other", 32 << 20),
    ]
    assert plan.cells[1].levels == {"cache": "none", "size": "small", "place": "other"}
    assert len(plan.environments) == 8


def test_long_names_lose_the_factors_and_then_the_levels() -> None:
    longer = parse(varied(("name: dummy", "name: a factor with quite a long name indeed")))
    assert longer.cells[0].name == "box none small this"
    text = varied(("small:", "a level of a long name here:"), ("large:", "another level of a long name:"))
    longest = parse(text.replace("this", "a dummy in many more words").replace("that", "another one"))
    assert longest.cells[0].name == "box cell 1"


def test_a_screening_has_its_centre_as_the_reference() -> None:
    factors = "factors:\n" + "".join(
        f"  - {{name: {name}, environment: box, levels: {{low: {{}}, middle: {{}}, high: {{}}}}}}\n" for name in "ab"
    )
    text = GOOD + "design: {type: screening}\n" + factors
    assert "screening has factors of three numeric levels" in messages(text)[0]
    numeric = "factors:\n" + "".join(
        f"  - {{name: {name}, environment: box, setting: {name}, levels: [{levels}]}}\n"
        for name, levels in (("memory", "8M, 16M, 32M"), ("cpus", "1, 2, 4"))
    )
    base = GOOD.replace("settings: {memory: 64M, cpus: 2, cpuset: [0, 1], colour: red}", "settings: {}")
    assert (
        "screening has 3 to 18 factors, and the plan has 2"
        in messages(base + "design: {type: screening}\n" + numeric)[0]
    )


def read(selected: Selection, instead: dict[str, Any] | None = None) -> Plan:
    with drills():
        return read_plan(FACTORS, "p.yaml", BOXES, selected, instead).resolved.plan


def test_the_name_in_the_file_chooses_all_cells() -> None:
    found = read(Selection(environments=("box",)))
    assert [one.of for one in found.environments] == ["box"] * 8
    one = read(Selection(environments=("native",)))
    assert [place.name for place in one.environments] == ["native", one.baseline]


def test_fields_may_be_replaced() -> None:
    found = read(Selection(), {"design": {"type": "one at a time"}, "blocks": 7})
    assert (len(found.cells), found.blocks) == (4, 7)


@pytest.mark.parametrize(
    ("old", "new", "number", "fact"),
    [
        ("levels: [none, writeback]", "levels: [none, writebak]", 13, "'writeback'"),
        ("large: {cpus: 2}", "large: {cpus: -2}", 18, "more than 0"),
        ("large: {cpus: 2}", "large: {cpu: 2}", 18, "'cpus'"),
    ],
)
def test_settings_that_do_not_go_together_are_said_once(said: Said, old: str, new: str, number: int, fact: str) -> None:
    """Each message names the line of the level; the same mistake in several cells is one message."""
    (line,) = messages(varied((old, new)))
    assert line.startswith(f"p.yaml:{number}: ") and fact in line
    said(line)


def test_a_fraction_of_three_factors_of_resolution_five_has_all_cells() -> None:
    text = varied(("blocks:", "design: {type: fraction, resolution: 5, terms: [cache:size]}\nblocks:"))
    assert len(parse(text).cells) == 8


@pytest.mark.parametrize(
    ("design", "fact"),
    [
        ("{type: optimal, runs: 3}", "4 numbers"),
        ("{terms: [cash]}", "'cash'"),
        ("{left_out: []}", "'left_out'"),
        ("full", "'full'"),
    ],
)
def test_a_design_that_cannot_be_made_names_its_line(said: Said, design: str, fact: str) -> None:
    line = messages(varied(("blocks:", f"design: {design}\nblocks:")))[0]
    assert line.startswith("p.yaml:22: ") and fact in line
    said(line)


def test_an_unknown_type_of_design_names_its_line_and_all_types() -> None:
    (line,) = messages(varied(("blocks:", "design: {type: whole}\nblocks:")))
    assert line.startswith("p.yaml:22: ") and "'whole'" in line
    assert line.endswith(", ".join(DESIGNS))


def test_a_screening_of_three_numeric_settings(said: Said) -> None:
    class Numbers(BoxSettings):
        depth: int = 1

    kinds = {"box": a_kind(Numbers)}
    factors = "".join(
        f"  - {{name: {name}, setting: {name}, levels: [{levels}]}}\n"
        for name, levels in (("memory", "8M, 16M, 32M"), ("cpus", "1, 2, 4"), ("depth", "1, 8, 64"))
    )
    text = f"""\
virtometer: 1
name: screened
environments: [{{name: box, kind: box}}]
factors:
{factors}design: {{type: screening}}
workloads: [{{name: drill, workload: drill, op: deep}}]
"""
    plan = parse(text, kinds)
    assert len(plan.cells) == 9
    assert plan.baseline == "box memory=16M cpus=2 depth=8"
    assert plan.cells[0].settings == {"memory": 16 << 20, "cpus": 2.0, "depth": 8}
    assert [factor.reference for factor in plan.factors] == ["16M", "2", "8"]
    refused = text.replace("name: cpus, setting: cpus, ", "name: cpus, setting: cpus, reference: '1', ")
    with pytest.raises(PlanError) as caught:
        parse(refused, kinds)
    assert "'2' of 'cpus'" in caught.value.sentence
    said(caught.value.sentence)


STEPS = (
    ("settings: {memory: 64M}", "settings: {memory: 64M, tuning: [{run: first}]}"),
    ("small: {cpus: 1, cpuset: [0]}", "small: {tuning: [{queue_length: 5}]}"),
    ("that: {}", "that: {tuning: [{run: third}, {offloads: {tx: false}}]}"),
)


def test_the_steps_of_tuning_of_several_factors_add_up() -> None:
    plan = parse(varied(*STEPS))
    found = {tuple(one.levels.values())[1:]: one.settings.get("tuning") for one in plan.cells}
    first, small = {"run": "first"}, {"queue_length": 5}
    assert found == {
        ("small", "this"): [first, small],
        ("small", "that"): [first, small, {"run": "third"}, {"offloads": {"tx": False}}],
        ("large", "this"): [first],
        ("large", "that"): [first, {"run": "third"}, {"offloads": {"tx": False}}],
    }


def test_a_wrong_step_of_a_level_has_the_line_of_the_level() -> None:
    text = varied(*STEPS, ("{queue_length: 5}", "{queue_length: often}"))
    line = text.splitlines().index("      small: {tuning: [{queue_length: often}]}") + 1
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert caught.value.line == line


def test_the_host_is_tuned_for_one_environment_only_where_its_guests_live_alone(said: Said) -> None:
    host = ("{run: first}", "{where: host, sysctl: {vm.dirty_ratio: 5}}")
    parse(varied(*STEPS, host))
    with pytest.raises(PlanError) as caught:
        parse(varied(*STEPS, host, ("blocks: 6", "blocks: 6\nfresh: block")))
    lines = caught.value.sentence.splitlines()
    assert len(lines) == 8 and all("'fresh: trial'" in line for line in lines), "a line for each combination"
    said(lines[0])
    whole = "tuning: [{where: host, sysctl: {vm.dirty_ratio: 5}}]\nfresh: block"
    plan = parse(varied(("blocks: 6", f"blocks: 6\n{whole}")))
    assert plan.tuning == [TuningStep(where="host", sysctl={"vm.dirty_ratio": 5})]
