"""What cannot be told apart, found from the columns alone: known designs and their known alias sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.analysis.effects.known_effects import EIGHT, Cells, fraction, full, variables
from virtometer.analysis.effects.aliases import Separation, separate
from virtometer.analysis.effects.coding import coded, name_of
from virtometer.analysis.effects.fit import within
from virtometer.analysis.effects.table import Variable


def separated(cells: Cells, *, block: Cells | None = None, promised: tuple[tuple[int, int], ...] = ()) -> Separation:
    blocks = np.zeros(len(cells), dtype=np.int64) if block is None else block
    terms = coded(variables([int(cells[:, at].max()) + 1 for at in range(cells.shape[1])]), cells)
    return separate(terms, {one.term: within(blocks, one.columns(cells)) for one in terms}, promised)


def named(of: Separation, factors: int) -> dict[str, list[str]]:
    variables_ = variables([2] * factors)
    return {name_of(term, variables_): [name_of(one, variables_) for one in of.aliases[term]] for term in of.aliases}


def test_a_full_factorial_has_no_aliases() -> None:
    for levels in ([2, 2], [2, 3, 4], [2] * 5):
        found = separated(full(levels))
        assert not found.aliases and not found.lost
        assert len(found.kept) == len(levels) * (len(levels) + 1) / 2


def test_resolution_three_mixes_main_effects_with_interactions() -> None:
    found = separated(fraction(3, (0, 1, 2)))
    assert named(found, 3) == {"a": ["b:c"], "b": ["a:c"], "c": ["a:b"]}
    assert all(found.same.values()) and found.kept == ((0,), (1,), (2,)) and not found.lost


def test_resolution_four_mixes_interactions_with_each_other_alone() -> None:
    found = separated(fraction(4, (0, 1, 2, 3)))
    assert named(found, 4) == {"a:b": ["c:d"], "a:c": ["b:d"], "a:d": ["b:c"]}
    assert all(found.same.values()) and len(found.kept) == 7


def test_resolution_five_mixes_nothing_that_the_model_has() -> None:
    found = separated(EIGHT)
    assert not found.aliases and len(found.kept) == 36


def test_the_twelve_runs_of_plackett_and_burman_mix_every_interaction_in_part() -> None:
    first = [1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0]
    cells = np.array([np.roll(first, shift) for shift in range(11)] + [[0] * 11])[:, :6]
    found = separated(cells)
    assert found.kept == tuple((at,) for at in range(6)), "main effects alone"
    assert not any(found.same.values())
    assert named(found, 6)["a"] == [f"{one}:{other}" for one, other in itertools.combinations("bcdef", 2)]


def test_promised_interactions_are_kept_rather_than_others() -> None:
    found = separated(fraction(3, (0, 1, 2)), promised=((1, 2),))
    assert found.kept == ((0,), (1,), (2,)), "it cannot be told from a main effect, whoever promised it"
    first = [1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0]
    cells = np.array([np.roll(first, shift) for shift in range(11)] + [[0] * 11])[:, :6]
    assert separated(cells, promised=((0, 1),)).kept == ((0,), (1,), (2,), (3,), (4,), (5,), (0, 1))


def test_factors_that_always_change_together_are_one() -> None:
    found = separated(np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]]))
    assert named(found, 3)["a"] == ["b"], "the interaction of both never changes"
    assert found.same[0,]


def test_what_changes_only_between_blocks_is_lost() -> None:
    cells = full([2, 2, 2])
    block = cells[:, 0]
    found = separated(cells, block=block)
    assert found.lost[0,] == () and (1,) in found.kept and (0, 1) in found.kept


@pytest.mark.parametrize("seed", range(20))
def test_what_is_kept_can_always_be_reported(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = full([2, 3, 2, 2])
    some = cells[rng.choice(len(cells), int(rng.integers(3, 20)), replace=False)]
    terms = {one.term: one for one in coded(variables([2, 3, 2, 2]), some)}
    columns = {term: within(np.zeros(len(some), dtype=np.int64), one.columns(some)) for term, one in terms.items()}
    found = separate(list(terms.values()), columns)
    if found.kept:
        matrix = np.concatenate([columns[term] for term in found.kept], axis=1)
        assert np.linalg.matrix_rank(matrix, tol=1e-7) == matrix.shape[1]
    told = {*found.kept, *found.lost, *(one for others in found.aliases.values() for one in others)}
    assert told == {term for term, one in terms.items() if one.width}, "each term is kept, named or lost"


def test_a_definitive_screening_design_keeps_its_main_effects() -> None:
    """Six factors, three levels: conference matrix of order 6, its negative, and the middle (Jones, Nachtsheim)."""
    c = np.array(
        [
            [0, 1, 1, 1, 1, 1],
            [1, 0, 1, -1, -1, 1],
            [1, 1, 0, 1, -1, -1],
            [1, -1, 1, 0, 1, -1],
            [1, -1, -1, 1, 0, 1],
            [1, 1, -1, -1, 1, 0],
        ]
    )
    assert (c @ c.T == 5 * np.eye(6)).all()
    cells = np.concatenate([c, -c, np.zeros((1, 6), dtype=np.int64)]) + 1
    of = [Variable(name, ("0", "1", "2"), (0, 1, 2)) for name in "abcdef"]
    terms = coded(of, cells)
    columns = {one.term: within(np.zeros(13, dtype=np.int64), one.columns(cells)) for one in terms}
    found = separate(terms, columns)
    assert found.kept == tuple((at,) for at in range(6))
