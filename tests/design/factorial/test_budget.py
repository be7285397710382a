"""Which designs are looked at, and which is the best."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from virtometer.design.factorial.budget import Option, Priced, best, options
from virtometer.model import Plan


def plan(levels: list[list[Any]], terms: int = 0, cells: int = 0, blocks: int = 8) -> Plan:
    environments = [
        {"name": f"c{number}", "kind": "native", "levels": {"f": str(number)}, "of": "x"} for number in range(cells)
    ]
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "environments": environments or [{"name": "x", "kind": "native"}],
            "workloads": [{"name": "w", "workload": "linpack", "op": "classic"}],
            "factors": [{"name": f"f{number}", "levels": some} for number, some in enumerate(levels)],
            "design": {"terms": [str(number) for number in range(terms)]},
            "blocks": blocks,
        }
    )


def types(of: Plan, given: dict[str, Any]) -> list[str]:
    return [str(one.design["type"]) for one in options(of, given) if one.blocks == of.blocks]


def test_designs_are_those_that_the_levels_allow_and_never_one_at_a_time() -> None:
    two = plan([["a", "b"], ["c", "d"]])
    assert types(two, {"type": "full"}) == ["full", *["fraction"] * 3, *["optimal"] * 3]
    three = plan([[1, 2, 4], ["1K", "2K", "4K"]])
    assert types(three, {"type": "full"}) == ["full", "screening", *["optimal"] * 3]
    assert types(plan([["a", "b", "c"]]), {"type": "full"}) == ["full", *["optimal"] * 3]
    assert {one.blocks for one in options(two, {"type": "full"})} == {8, 6}
    assert {one.blocks for one in options(two.model_copy(update={"blocks": 4}), {"type": "full"})} == {4}
    assert [one.given for one in options(two, {"type": "full"})].count(True) == 1
    assert Option({"type": "full"}, 6).fields == {"design": {"type": "full"}, "blocks": 6}


def test_the_best_that_fits_estimates_most() -> None:
    few = Priced(Option({}, 8), plan([["a", "b"]], terms=3, cells=4), 0, 50.0)
    many = Priced(Option({}, 8), plan([["a", "b"]], terms=6, cells=8), 0, 100.0)
    assert best([few, many], 100) is many
    assert best([few, many], 99) is few
    assert best([few, many], 49) is None


def test_of_equal_terms_resolution_then_blocks_then_cells_count() -> None:
    low = Priced(Option({}, 8), plan([["a", "b"]], terms=3, cells=8), 3, 50.0)
    assert best([low, high := replace(low, resolution=4)], 60) is high
    short = replace(low, plan=plan([["a", "b"]], terms=3, cells=8, blocks=6))
    assert best([short, low], 60) is low
    small = replace(low, plan=plan([["a", "b"]], terms=3, cells=4))
    assert best([small, low], 60) is low
    own = replace(low, option=Option({}, 8, given=True))
    assert best([low, own], 60) is own
