"""Levels of factors: their names, values and numbers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.model import Constraint, Design, Factor, level_list, level_text


@pytest.mark.parametrize(
    ("levels", "names", "values", "numbers"),
    [
        (["64M", "1G"], ("64M", "1G"), ("64M", "1G"), (float(64 << 20), float(1 << 30))),
        ([1, 2.5], ("1", "2.5"), (1, 2.5), (1.0, 2.5)),
        ([False, True], ("false", "true"), (False, True), None),
        (["none", "writeback"], ("none", "writeback"), ("none", "writeback"), None),
        ({"one": 1, "two": 2}, ("one", "two"), (1, 2), (1.0, 2.0)),
        ({"a": {}, "b": {"cpus": 1}}, ("a", "b"), ({}, {"cpus": 1}), None),
    ],
)
def test_levels_have_names_values_and_numbers(levels: Any, names: Any, values: Any, numbers: Any) -> None:
    factor = Factor(name="f", levels=levels)
    assert (factor.level_names, factor.values, factor.numbers) == (names, values, numbers)
    assert Factor.model_validate_json(factor.model_dump_json()) == factor


def test_environments_are_levels() -> None:
    factor = Factor(name="f", environments=["a", "b"])
    assert (factor.level_names, factor.values, factor.numbers) == (("a", "b"), ("a", "b"), None)


def test_names_of_levels_and_lists_of_constraints() -> None:
    assert [level_text(one) for one in (True, 1, 2.5, "x")] == ["true", "1", "2.5", "x"]
    assert level_list("a") == ("a",)
    assert level_list(["a", "b"]) == ("a", "b")


@pytest.mark.parametrize("wrong", [{"type": 1}, {"resolution": 2}, {"runs": 65}, {"seed": -1}, {"colour": 1}])
def test_what_a_design_cannot_say_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Design.model_validate(wrong)
    assert Design().type == "full"


def test_a_constraint_keeps_one_level_and_several() -> None:
    one = Constraint.model_validate({"never": {"cache": "none", "aio": ["threads", "native"]}})
    assert one.never == {"cache": "none", "aio": ["threads", "native"]}


def test_levels_may_be_written_as_numbers_and_truth_values() -> None:
    one = Constraint.model_validate_json('{"never": {"cpus": 0.5, "gso": [true, "x", 2]}}', strict=True)
    assert one.never == {"cpus": "0.5", "gso": ["true", "x", "2"]}
    assert Factor.model_validate_json('{"name": "f", "levels": [1, 2], "reference": 2}', strict=True).reference == "2"
    with pytest.raises(ValidationError):
        Constraint.model_validate({"never": {"cpus": {}}})
