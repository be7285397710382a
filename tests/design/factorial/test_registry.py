"""Every type of design, and what plans, schema and reference know of it."""

from __future__ import annotations

import pytest

from tests.design.factorial.spaces import space
from virtometer.design.factorial.registry import DESIGNS
from virtometer.design.reference.schema import plan_schema
from virtometer.design.reference.tables import sections
from virtometer.model import Design


def test_each_type_knows_its_name() -> None:
    assert [one.name for one in DESIGNS.values()] == list(DESIGNS)


def test_schema_and_reference_have_all_types_with_their_meanings() -> None:
    in_schema = plan_schema()["$defs"]["Design"]["properties"]["type"]
    (section,) = sections({}, "design")
    in_tables = next(one for one in section.entries if one.name == "type")
    assert in_schema["enum"] == list(DESIGNS) == in_tables.allowed.split(", ")
    for one in DESIGNS.values():
        assert f"{one.name}: {one.meaning}" in in_schema["description"]
        assert f"{one.name}: {one.meaning}" in in_tables.meaning


@pytest.mark.parametrize("name", DESIGNS)
def test_every_type_makes_a_design_around_the_reference(name: str) -> None:
    one = DESIGNS[name]
    of = space(3, 3, 3, references=(1, 1, 1)) if one.centred else space(2, 2, 2)
    numbers = [tuple(map(float, levels)) for levels in of.levels]
    assert one.choose(of, Design(type=name), numbers).cells[0] == of.references
