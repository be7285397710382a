"""What is wrong with factors and constraints, each in a sentence with its line."""

from __future__ import annotations

import re

import pytest

from tests.design.factorial.test_cells import FACTORS, varied
from tests.design.test_parse import GOOD, messages, parse
from virtometer.design.plan.factor_checks import bases, settings_of
from virtometer.model import Factor


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("name: size", "name: cache", r"14: another factor already has the name 'cache'"),
        ("name: size", "name: 'si:ze'", r"14: 'si:ze' is no name of a factor: without ':', ',' and '=', and not .*"),
        ("name: size", "name: main", r"14: 'main' is no name of a factor.*"),
        ("[none, writeback]", "[none]", r"13: 'cache' has 1 levels, but must have 2 to 16"),
        ("[none, writeback]", "[none, none]", r"13: 'cache' has the level 'none' twice"),
        ("[none, writeback]", "[none, [1]]", r"13: a level is a list, but must be a plain value, or have a name: .*"),
        ("[none, writeback]", "none", r"13: 'levels' is 'none', but must be a list such as .*"),
        ("[none, writeback]", "[]", r"13: the factor 'cache' needs 'levels', or 'environments' as its levels"),
        ("[none, writeback]", "[none, 'a=b']", r"13: the level 'a=b' needs a short name, .*"),
        ("    setting: cache\n", "", r"12: the level 'none' of 'cache' must be a mapping of settings, .*"),
        ("    setting: cache\n", "    seting: cache\n", r"12: unknown field 'seting'; did you mean 'setting'\?.*"),
        ("large: {cpus: 2}", "large: 2", r"18: the level 'large' of 'size' must be a mapping of settings, .*"),
        ("large: {cpus: 2}", "large: {cache: none}", r"14: 'cache' is varied by the factor 'cache' already"),
        ("    setting: cache\n", "    setting: memory\n", r"8: 'memory' is a factor and must not have a value of .*"),
        ("    environment: box\n    setting", "    setting", r"10: the factor 'cache' needs 'environment': one of .*"),
        ("environment: box\n    setting", "environment: bx\n    setting", r"11: unknown environment 'bx'; did you .*"),
        ("dummy, environment: box", "dummy, environment: native", r"19: all factors vary one environment, and .*"),
        (
            "dummy, environment: box, levels: {this: {}, that: {}}",
            "dummy, environments: [a, b]",
            r"11: 'dummy' has the .*",
        ),
        ("blocks: 6", "constraints: [{never: {cash: none}}]", r"22: unknown factor 'cash'; did you mean 'cache'\?.*"),
        ("blocks: 6", "constraints: [{never: {cache: non}}]", r"22: unknown level of cache 'non'; did you mean .*"),
        ("blocks: 6", "constraints: [{only: {cache: none}}]", r"22: a constraint must have 'never', or 'only' with .*"),
        ("blocks: 6", "constraints: [{never: {cache: [[1]]}}]", r"22: 'cache' is a list, but must be a level, .*"),
        ("blocks: 6", "constraints: [{never: {cache: []}}]", r"22: 'cache' is an empty list, but must be a level, .*"),
        ("blocks: 6", "constraints: [7]", r"22: a constraint is 7, but must be a mapping .*"),
        ("blocks: 6", "constraints: {never: {}}", r"22: 'constraints' is a mapping, but must be a list .*"),
        (
            "    levels: [none, writeback]",
            "    levels: [none, writeback]\n    reference: x",
            r"14: unknown level of .*",
        ),
        (
            "blocks: 6",
            "constraints: [{never: {cache: none, size: small}}]",
            r"9: the constraints exclude the reference \(cache=none, size=small, dummy=this\)",
        ),
    ],
)
def test_one_error(old: str, new: str, sentence: str) -> None:
    lines = messages(varied((old, new)))
    assert re.fullmatch(rf"p\.yaml:{sentence}", lines[0]), lines


@pytest.mark.parametrize("field", ["constraints: [{never: {a: b}}]", "design: {type: full}"])
def test_constraints_and_designs_need_factors(field: str) -> None:
    (line,) = messages(f"{GOOD}{field}\n")
    assert line.endswith(f"the field '{field.partition(':')[0]}' needs factors, and the plan has none")


@pytest.mark.parametrize("field", ["levels: {size: small}", "of: box"])
def test_levels_of_environments_are_not_for_users_to_write(field: str) -> None:
    (line,) = messages(GOOD.replace("    kind: box\n", f"    kind: box\n    {field}\n"))
    assert f"unknown field '{field.partition(':')[0]}'" in line
    assert "levels" not in line.partition("; ")[2]


def test_the_only_environment_needs_no_name() -> None:
    text = FACTORS.replace("    environment: box\n", "").replace(", environment: box", "")
    text = text.replace("  - name: native\n    kind: native\n", "")
    assert parse(text).cells == parse(FACTORS).cells


def test_settings_and_environments_of_factors() -> None:
    several = Factor.model_validate({"name": "f", "levels": {"a": {"x": 1}, "b": {"x": 2, "y": 3}}})
    assert settings_of(several) == ["x", "y"]
    assert settings_of(Factor(name="f", setting="z", levels=[1, 2])) == ["z"]
    assert bases([several], ["first", "second"]) == ["first"]
    assert bases([several, Factor(name="g", environments=["p", "q"])], ["first"]) == ["p", "q"]
