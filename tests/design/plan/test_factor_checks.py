"""What is wrong with factors and constraints, each in a sentence with its line."""

from __future__ import annotations

import pytest

from tests.design.factorial.test_cells import FACTORS, varied
from tests.design.test_parse import GOOD, messages, parse
from tests.sentences import Said
from virtometer.design.plan.factor_checks import bases, settings_of
from virtometer.model import Factor


@pytest.mark.parametrize(
    ("old", "new", "number", "fact"),
    [
        ("name: size", "name: cache", 14, "'cache'"),
        ("name: size", "name: 'si:ze'", 14, "'si:ze'"),
        ("name: size", "name: main", 14, "'main'"),
        ("[none, writeback]", "[none]", 13, "2 to 16"),
        ("[none, writeback]", "[none, none]", 13, "'none' twice"),
        ("[none, writeback]", "[none, [1]]", 13, "list"),
        ("[none, writeback]", "none", 13, "'none'"),
        ("[none, writeback]", "[]", 13, "'environments'"),
        ("[none, writeback]", "[none, 'a=b']", 13, "'a=b'"),
        ("    setting: cache\n", "", 12, "'none' of 'cache'"),
        ("    setting: cache\n", "    seting: cache\n", 12, "'setting'"),
        ("large: {cpus: 2}", "large: 2", 18, "'large' of 'size'"),
        ("large: {cpus: 2}", "large: {cache: none}", 14, "'cache'"),
        ("    setting: cache\n", "    setting: memory\n", 8, "'memory'"),
        ("    environment: box\n    setting", "    setting", 10, "'environment'"),
        ("environment: box\n    setting", "environment: bx\n    setting", 11, "'box'"),
        ("dummy, environment: box", "dummy, environment: native", 19, "one environment"),
        ("dummy, environment: box, levels: {this: {}, that: {}}", "dummy, environments: [a, b]", 11, "'dummy'"),
        ("blocks: 6", "constraints: [{never: {cash: none}}]", 22, "'cache'"),
        ("blocks: 6", "constraints: [{never: {cache: non}}]", 22, "'none'"),
        ("blocks: 6", "constraints: [{only: {cache: none}}]", 22, "'only'"),
        ("blocks: 6", "constraints: [{never: {cache: [[1]]}}]", 22, "'cache' is a list"),
        ("blocks: 6", "constraints: [{never: {cache: []}}]", 22, "'cache' is an empty list"),
        ("blocks: 6", "constraints: [7]", 22, "7"),
        ("blocks: 6", "constraints: {never: {}}", 22, "'constraints'"),
        ("    levels: [none, writeback]", "    levels: [none, writeback]\n    reference: x", 14, "'x'"),
        ("blocks: 6", "constraints: [{never: {cache: none, size: small}}]", 9, "(cache=none, size=small, dummy=this)"),
    ],
)
def test_one_error(said: Said, old: str, new: str, number: int, fact: str) -> None:
    line = messages(varied((old, new)))[0]
    assert line.startswith(f"p.yaml:{number}: ") and fact in line
    said(line)


@pytest.mark.parametrize("field", ["constraints: [{never: {a: b}}]", "design: {type: full}"])
def test_constraints_and_designs_need_factors(said: Said, field: str) -> None:
    (line,) = messages(f"{GOOD}{field}\n")
    assert f"'{field.partition(':')[0]}'" in line
    said(line)


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
