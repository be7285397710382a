"""From what is asked for to a verified design, or one sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.design.factorial.spaces import never, space
from tests.sentences import Said
from virtometer.design.factorial.choice import MAX_CELLS, Chosen, DesignError, OneStage, term_of
from virtometer.design.factorial.matrix import estimates
from virtometer.design.factorial.optimal import usual_runs
from virtometer.design.factorial.registry import DESIGNS
from virtometer.design.factorial.space import Space
from virtometer.model import Design

ALL = [name for name, one in DESIGNS.items() if isinstance(one, OneStage) and not one.centred]


def chosen(of: Space, **fields: object) -> Chosen:
    design = Design.model_validate(fields)
    return DESIGNS[design.type].choose(of, design, [None] * len(of.names))


def names(of: Space, found: Chosen) -> list[str]:
    return [of.term_name(term) for term in found.terms]


def test_full_takes_all_and_estimates_all_pairs() -> None:
    of = space(3, 2, 2)
    found = chosen(of)
    assert found.cells == tuple(of.cells())
    assert names(of, found) == ["A", "B", "C", "A:B", "A:C", "B:C"]
    assert found.left_out == ()


def test_full_with_a_constraint_leaves_out_what_never_meets() -> None:
    of = space(3, 2, 2, without=[never(A=1, C=1)])
    found = chosen(of)
    assert len(found.cells) == 10
    assert [of.term_name(term) for term in found.left_out] == ["A:C"]


def test_the_reference_may_be_any_level_and_comes_first() -> None:
    for references in ((1, 0, 1, 0, 1), (0, 0, 0, 0, 0), (1, 1, 1, 1, 1)):
        of = space(2, 2, 2, 2, 2, references=references)
        for kind in ALL:
            found = chosen(of, type=kind)
            assert found.cells[0] == references, kind


def test_a_fraction_has_the_fewest_cells_of_its_resolution() -> None:
    of = space(*[2] * 8)
    assert [len(chosen(of, type="fraction", resolution=order).cells) for order in (3, 4, 5)] == [16, 16, 64]
    assert len(chosen(space(*[2] * 7), type="fraction", resolution=3).cells) == 8
    found = chosen(of, type="fraction", resolution=5)
    assert len(found.terms) == 36 and not found.left_out
    assert len(chosen(of, type="fraction", terms=["main", "A:B", "C:D"]).terms) == 10


def test_screening_takes_numeric_levels_around_a_centre() -> None:
    of = space(3, 3, 3, 3, references=(1, 1, 1, 1))
    found = chosen(of, type="screening")
    assert len(found.cells) == 9
    assert names(of, found) == ["A", "B", "C", "D"]


def test_optimal_takes_pairs_where_there_is_room() -> None:
    of = space(3, 2, 2, 2, without=[never(A=1, C=1)])
    found = chosen(of, type="optimal")
    assert names(of, found)[4:] == ["A:B", "A:D", "B:C", "B:D", "C:D"]
    assert len(found.cells) == usual_runs(of.freedom(found.terms) + 1)
    small = chosen(of, type="optimal", runs=8)
    assert names(of, small) == ["A", "B", "C", "D"]
    assert len(chosen(space(*[2] * 16), type="optimal", runs=20).cells) == 20


def test_one_at_a_time_only_changes_one() -> None:
    of = space(3, 2, 2)
    found = chosen(of, type="one at a time")
    assert len(found.cells) == 5
    assert all(sum(level != 0 for level in cell) <= 1 for cell in found.cells)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(2, 3), min_size=2, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=2),
    st.sampled_from(ALL),
)
def test_every_design_that_is_made_keeps_its_promise(sizes: list[int], pairs: list[tuple[int, int]], kind: str) -> None:
    without = [never(**{"ABCDEFGH"[a]: 1, "ABCDEFGH"[b]: 1}) for a, b in pairs if a != b and max(a, b) < len(sizes)]
    of = space(*sizes, without=without)
    try:
        found = chosen(of, type=kind)
    except DesignError as refused:
        assert refused.sentence and refused.sentence.count(". ") == 0
        return
    assert found.cells[0] == of.references
    assert len(set(found.cells)) == len(found.cells) <= MAX_CELLS
    assert all(of.allows(cell) for cell in found.cells)
    assert estimates(of, found.cells, found.terms)
    assert not set(found.terms) & set(found.left_out)
    assert {*found.terms, *found.left_out} == {*of.mains(), *of.pairs()}


REFUSED: dict[str, tuple[Space, dict[str, object], str, str]] = {
    "too many cells": (space(*[2] * 8), {}, "256", ""),
    "too many cells of a full design": (space(*[2] * 8), {"type": "full"}, "256", "type"),
    "fraction of three levels": (space(3, 2), {"type": "fraction"}, "'A' has 3", "type"),
    "no such fraction": (space(*[2] * 12), {"type": "fraction", "resolution": 5}, "64", "resolution"),
    "full with a resolution": (space(2, 2), {"resolution": 4}, "'resolution'", "resolution"),
    "full with runs": (space(2, 2), {"runs": 4}, "'runs'", "runs"),
    "too many runs": (space(2, 2, 2), {"type": "optimal", "runs": 9}, "only 8", "runs"),
    "too few runs": (space(2, 2, 2), {"type": "optimal", "runs": 3}, "4 numbers", "runs"),
    "term of no factor": (space(2, 2), {"terms": ["A:X"]}, "'A:X'", "terms"),
    "term of one factor twice": (space(2, 2), {"terms": ["A:A"]}, "'A:A'", "terms"),
    "reference that is excluded": (space(2, 2, without=[never(A=0)]), {}, "(A=0, B=0)", ""),
    "level that is excluded": (space(2, 2, without=[never(A=1)]), {}, "'1'", ""),
    "term that is excluded": (
        space(2, 2, 2, without=[never(A=1, B=1)]),
        {"terms": ["main", "A:B"]},
        "A:B: 6 combinations for 5 numbers",
        "terms",
    ),
    "fraction with a constraint": (
        space(2, 2, 2, 2, 2, without=[never(A=1, B=1)]),
        {"type": "fraction", "resolution": 3},
        "2 of the 8",
        "type",
    ),
    "screening of two levels": (space(2, 2, 2), {"type": "screening"}, "'A'", "type"),
    "screening of two factors": (space(3, 3, references=(1, 1)), {"type": "screening"}, "3 to 18", "type"),
    "too many combinations": (space(*[4] * 9), {"type": "random"}, "262144", "type"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_made_is_refused_in_one_sentence(said: Said, case: str) -> None:
    of, fields, fact, field = REFUSED[case]
    with pytest.raises(DesignError) as caught:
        chosen(of, **fields)
    assert fact in caught.value.sentence
    assert caught.value.field == field
    said(caught.value.sentence)


def test_a_term_may_name_its_factors_in_any_order() -> None:
    of = space(2, 2, 2)
    assert term_of(of, "C:A") == (0, 2)
    assert term_of(of, "B") == (1,)
