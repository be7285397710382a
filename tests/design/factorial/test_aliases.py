"""What is mixed up with what, from the cells alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.design.factorial.spaces import space, terms
from virtometer.design.factorial.aliases import aliases, chains, resolution, sentences
from virtometer.design.factorial.matrix import columns, model_matrix


def half() -> list[tuple[int, ...]]:
    """C = A + B."""
    return [(a, b, a ^ b) for a in (0, 1) for b in (0, 1)]


def test_a_half_of_three_factors_mixes_each_with_the_pair_of_the_others() -> None:
    of = space(2, 2, 2)
    assert sentences(of, aliases(of, half(), of.mains())) == [
        "the effect of A cannot be told from B:C",
        "the effect of B cannot be told from A:C",
        "the effect of C cannot be told from A:B",
    ]
    assert resolution(of, half()) == 3
    assert not chains(of, half(), of.mains())


def test_the_full_factorial_mixes_nothing() -> None:
    of = space(2, 3, 2)
    cells = list(of.cells())
    assert not sentences(of, aliases(of, cells, of.mains()))
    assert resolution(of, cells) is None
    assert resolution(space(2, 2), list(space(2, 2).cells())) is None


def test_a_constant_factor_and_two_equal_ones_are_found() -> None:
    of = space(2, 2)
    assert resolution(of, [(0, 0), (1, 0)]) == 1
    assert resolution(of, [(0, 0), (1, 1)]) == 2
    assert resolution(of, [(0, 1), (1, 0)]) == 2


def test_one_factor_at_a_time_mixes_each_effect_with_its_interactions() -> None:
    of = space(2, 2, 2)
    cells = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    found = {one.term: one for one in aliases(of, cells, of.mains())}
    assert found[0,].whole == ((0, 1), (0, 2))


def test_the_share_is_the_bias_of_the_estimate() -> None:
    """Of values that an interaction alone makes, the fitted main effects are off by the share."""
    of = space(2, 2, 2)
    cells = [cell for cell in of.cells() if cell != (1, 1, 1)]
    made = columns(of, cells, (1, 2))[:, 0]
    fitted = np.linalg.lstsq(model_matrix(of, cells, of.mains()), made, rcond=None)[0]
    found = {one.term: dict(one.part) for one in aliases(of, cells, of.mains())}
    for at, term in enumerate(of.mains(), 1):
        assert found[term].get((1, 2), 0.0) == pytest.approx(abs(fitted[at]), abs=0.02)
    assert any("is mixed with up to" in line for line in sentences(of, aliases(of, cells, of.mains())))


def test_interactions_that_are_asked_for_have_aliases_too() -> None:
    of = space(2, 2, 2, 2)
    cells = [(a, b, c, a ^ b ^ c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    asked = terms(of, "A", "B", "C", "D", "AB")
    assert sentences(of, aliases(of, cells, asked)) == ["the effect of A:B cannot be told from C:D"]
    assert chains(of, cells, asked) == [((0, 2), (1, 3)), ((0, 3), (1, 2))]
