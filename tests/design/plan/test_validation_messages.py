"""Every error that a field of a plan can have, in words of the plan: no wording of pydantic, no regular expression."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from tests.design.reading import parsed
from tests.sentences import Said
from virtometer.environments.registry import KINDS
from virtometer.errors import PlanError
from virtometer.model import Constraint, Design, Factor, Limits, Plan, PlanEnvironment, PlanWorkload, Rules
from virtometer.workloads.registry import WORKLOADS

LONG = "x" * 300
WRONG = [
    None, True, -1, 0, 1.5, 1e300, -0.001, 7, 101, 10**39, "", "x", "5", "-5%", "101%", "5 percent", "64X", "64 M",
    "1K", "9" * 30, "auto", "a\tb", "two\nlines", LONG,
    [], [1], ["x"], [-1], [None], [[1]], list(range(600)), {}, {"x": 1},
]  # fmt: skip
FOREIGN = re.compile(
    r"(?i:value error|input should|should be|should have|valid |validat|pydantic|assertion|regex|\bpattern\b|match)"
    r"|\[\^|\\[snrt]|\$|<class|None\b|True\b|False\b|lambda"
)
ALLOWED = re.compile(
    r" must |allowed|may have| is missing| has no | have no | is a |has only|needs|not both| belongs| no guest"
    r"| not [0-9]+| is one | is auto| has the form|choose|take |give |not among|another "
    r"|more than|less than|has nothing|cannot|only"
)


def plan() -> dict[str, object]:
    return {
        "virtometer": 1,
        "name": "p",
        "environments": [{"name": "native", "kind": "native"}],
        "workloads": [{"name": "w", "workload": "linpack", "op": "classic"}],
    }


def places() -> Iterator[tuple[str, str, BaseModel | type[BaseModel]]]:
    """Each field of a plan, as the part that it stands in, its name, and the part's model."""
    parts: tuple[tuple[str, type[BaseModel]], ...] = (
        ("", Plan), ("limits", Limits), ("rules", Rules),
        ("factors", Factor), ("constraints", Constraint), ("design", Design),
    )  # fmt: skip
    for part, model in parts:
        yield from ((part, field, model) for field in model.model_fields)
    yield from (("environment", field, PlanEnvironment) for field in PlanEnvironment.model_fields)
    yield from (("workload", field, PlanWorkload) for field in PlanWorkload.model_fields)
    for name, kind in KINDS.items():
        yield from ((f"kind {name}", field, kind.settings_type) for field in kind.settings_type.model_fields)
    for name, workload in WORKLOADS.items():
        yield from ((f"workload {name}", field, workload.parameters) for field in workload.parameters.model_fields)


def with_value(part: str, field: str, given: object) -> str:
    """A plan, as YAML, right but for one field."""
    whole = plan()
    kind, _, name = part.partition(" ")
    if part in ("limits", "rules"):
        whole[part] = {field: given}
    elif part in ("factors", "constraints", "design"):
        whole["factors"] = [{"name": "f", "levels": {"a": {}, "b": {}}}]
        right: dict[str, dict[str, object]] = {
            "factors": {"name": "f", "levels": {"a": {}, "b": {}}},
            "constraints": {"never": {"f": "b"}},
        }
        one = {**right.get(part, {}), field: given}
        whole[part] = one if part == "design" else [one]
    elif kind == "environment":
        whole["environments"][0][field] = given  # type: ignore[index]
    elif kind == "kind":
        other = {"name": "other", "kind": name, "settings": {field: given}}
        whole["environments"] = [{"name": "native", "kind": "native"}, other]
    elif kind == "workload" and name:
        op = next(iter(WORKLOADS[name].operations))
        whole["workloads"] = [{"name": "w", "workload": name, "op": op, "parameters": {field: given}}]
    elif kind == "workload":
        whole["workloads"][0][field] = given  # type: ignore[index]
    else:
        whole[field] = given
    return json.dumps(whole, ensure_ascii=False)  # JSON is YAML, with everything on one line


def messages(text: str) -> list[str]:
    try:
        parsed(text)
    except PlanError as error:
        said = [line.partition(": ")[2] for line in error.sentence.splitlines()]
        return [one for one in said if not re.fullmatch(r"and [0-9]+ more", one)]
    return []


@pytest.mark.parametrize(
    ("part", "field", "model"), list(places()), ids=lambda one: one if isinstance(one, str) else ""
)
def test_each_wrong_value_has_a_sentence_of_our_own(part: str, field: str, model: type[BaseModel]) -> None:
    found = 0
    for given in WRONG:
        for said in messages(with_value(part, field, given)):
            found += 1
            quoted = re.sub(r"'[^']*'", "''", said)  # the plan's own words may be anything
            assert not FOREIGN.search(quoted), said
            assert ALLOWED.search(quoted), said
            assert len(said) < 1500
            assert said.count(". ") == 0, said
            if isinstance(given, str) and said.startswith(f"'{field}' is"):
                shown = given.replace("\t", "\\t").replace("\n", "\\n")
                assert f"'{shown if len(shown) <= 60 else shown[:57] + '...'}'" in said
    assert found or field == "factors"


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ("name: ''", "at least 1"),
        ('name: "a\\tb"', "'a\\tb'"),
        pytest.param(f"name: {LONG}", "60", id="a very long name"),
        ("environments: []", "at least 1"),
        ("fresh: trail", "'trial'"),
        ("disk_span: 1K", "at least 1M"),
        ("disk_span: 64kb", "at least 1M"),
        ("disk_span: 1024", "at least 1048576"),
        ("disk_span: 9999999T", "less than 8388608T"),
        ("margin: 5", "less than 1; write 5%"),
        ("margin: 100%", "less than 100%"),
        ("margin: 0 %", "more than 0%"),
        ("margin: a lot", "'a lot'"),
        ("limits: {clock_error: 120%}", "less than 100%"),
        ("rules: {max_steal_share: 101}", "at most 1"),
        ("rules: {min_free_memory_bytes: lots}", "'lots'"),
    ],
)
def test_sentences(said: Said, change: str, fact: str) -> None:
    field = change.partition(":")[0]
    rest = "".join(f"{key}: {json.dumps(value)}\n" for key, value in plan().items() if key != field)
    (sentence,) = messages(f"{rest}{change}\n")
    assert fact in sentence
    said(sentence)


def test_settings_are_named_in_the_same_way() -> None:
    def said(kind: str, settings: str) -> list[str]:
        whole = plan()
        whole["environments"] = [{"name": "native", "kind": "native"}]
        text = yaml.safe_dump(whole).replace(
            "environments:\n", f"environments:\n- {{name: x, kind: {kind}, settings: {settings}}}\n"
        )
        return messages(text)

    assert said("qemu", "{memory: 500KB}") == ["'memory' is '500KB', but must be at least 128M"]
    assert said("qemu", "{memory: 1048577K}") == ["'memory' is '1048577K', but must be a multiple of 1M"]
    assert said("runc", "{cpuset: [0, x]}") == ["item 2 of 'cpuset' is 'x', but must be a whole number"]
    assert said("runc", "{memory: 512MB}") == said("qemu", "{memory: 512MB}") == said("uml", "{memory: 512mib}") == []


def test_shares_may_be_percentages() -> None:
    text = json.dumps(
        plan() | {"margin": "5%", "rules": {"max_steal_share": "12.5 %"}, "limits": {"clock_error": "0.1%"}}
    )
    read = parsed(text)
    assert (read.margin, read.rules.max_steal_share, read.limits.clock_error) == (0.05, 0.125, 0.001)


def test_sizes_are_those_of_the_contract() -> None:
    cases = json.loads((Path(__file__).parents[3] / "contract/sizes.json").read_text())
    assert len(cases["valid"]) > 20 and len(cases["invalid"]) > 20
    for text, size in cases["valid"].items():
        rules = parsed(json.dumps(plan() | {"rules": {"min_free_memory_bytes": text}})).rules
        assert rules.min_free_memory_bytes == size, text
    for text in cases["invalid"]:
        (said,) = messages(json.dumps(plan() | {"disk_span": text}))
        assert " a size is " in said, text
