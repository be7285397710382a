"""What a factor does at each level of another one, and when it is said to do something with one of them only."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tests.analysis.effects.known_effects import full, variables
from virtometer.analysis.effects.claims import USUAL
from virtometer.analysis.effects.conditionals import conditionals
from virtometer.analysis.effects.effect import Conditional, quantity
from virtometer.analysis.effects.model import model
from virtometer.analysis.effects.table import Observed, Response
from virtometer.model import Estimate

REPETITIONS = 500
MARGIN = 0.05
RESPONSE = Response("m", "s", "lower", [], [], [])
EDGE = math.log1p(MARGIN)


def at(given: str, change: Estimate, *, none: bool = False) -> Conditional:
    return Conditional("a", "1", "0", "b", given, quantity(change, "m", "lower", "1", "0"), none)


NOTHING, SOME, OPEN = Estimate(0.1, -1.0, 1.2, 8), Estimate(9.0, 6.0, 12.0, 8), Estimate(3.0, -1.0, 7.0, 8)


def test_only_with_takes_an_effect_there_and_none_elsewhere() -> None:
    there = at("1", SOME)
    assert Conditional.only_with([at("0", NOTHING, none=True), there]) is there
    assert Conditional.only_with([at("0", NOTHING, none=True), at("1", OPEN)]) is None
    assert Conditional.only_with([at("0", NOTHING, none=True), at("1", Estimate(9.0, None, None, 8))]) is None
    assert Conditional.only_with([at("0", OPEN), there]) is None
    assert Conditional.only_with([at("0", NOTHING, none=True), at("1", NOTHING, none=True)]) is None
    assert Conditional.only_with([there]) is None


def repetitions(levels: list[int], truth: dict[tuple[int, ...], float], spread: float) -> Iterator[list[Conditional]]:
    """The conditionals of a:b in eight blocks. truth: logs of cells, by their levels; 0 elsewhere."""
    rng = np.random.default_rng(3)
    cells = full(levels)
    level, block = np.tile(cells, (8, 1)), np.repeat(np.arange(8), len(cells))
    means = np.array([truth.get(tuple(cell.tolist()), 0.0) for cell in level])
    for _ in range(REPETITIONS):
        logs = (means + spread * rng.standard_normal(len(level)))[:, None]
        made = model(variables(levels), Observed(level, block, np.arange(len(level)), logs))
        assert made is not None
        yield list(conditionals(made, RESPONSE, (0, 1), MARGIN, USUAL))


def effect(of: Conditional, truth: dict[tuple[int, ...], float]) -> float:
    """The true change that a conditional is of."""
    own, other = (0, 1) if of.factor == "a" else (1, 0)
    cells = []
    for level in (of.level, of.against):
        cell = [0, 0]
        cell[own], cell[other] = int(level), int(of.given)
        cells.append(truth.get(tuple(cell), 0.0))
    return cells[0] - cells[1]


@pytest.mark.parametrize(
    ("levels", "truth", "spread"),
    [
        ([2, 2], {(1, 0): EDGE, (1, 1): 0.3}, 0.02),  # a reaches the margin with b=0
        ([2, 2], {}, 0.03),  # nothing does anything, and often one level alone shows that
        ([2, 2], {(0, 1): EDGE, (1, 1): EDGE}, 0.03),  # b alone does something, at the margin
        ([2, 3], {(1, 0): EDGE, (1, 1): EDGE, (1, 2): 0.3}, 0.02),
    ],
)
def test_only_with_is_said_wrongly_in_at_most_one_of_twenty(
    levels: list[int], truth: dict[tuple[int, ...], float], spread: float
) -> None:
    wrong = loose = 0
    for found in repetitions(levels, truth, spread):
        changes = dict.fromkeys((one.factor, one.level) for one in found)
        groups = [[one for one in found if (one.factor, one.level) == change] for change in changes]
        said = [(only, own) for own in groups if (only := Conditional.only_with(own)) is not None]
        wrong += any(
            abs(effect(only, truth)) < 1e-9
            or any(abs(effect(one, truth)) > EDGE - 1e-9 for one in own if one is not only)
            for only, own in said
        )
        loose += any(sum(not one.none for one in own) == 1 and effect(own[0], truth) == 0.0 for own in groups)
    assert wrong / REPETITIONS <= 0.05
    if not truth:
        assert loose / REPETITIONS > 0.2, "one level alone is undecided often enough for this to be a test"


def test_only_with_is_said_where_it_is_so() -> None:
    truth: dict[tuple[int, ...], float] = {(1, 1): 0.2}
    said = [
        Conditional.only_with([one for one in found if one.factor == "a"])
        for found in repetitions([2, 2], truth, 0.015)
    ]
    right = [one for one in said if one is not None and one.given == "1"]
    assert len(right) / REPETITIONS > 0.9
