"""Power against simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import special

from tests.design.factorial.spaces import space, terms
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Effects
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Experiment, Response, Variable
from virtometer.design.factorial.matrix import model_matrix
from virtometer.design.factorial.power import (
    CLAIM_LEVEL,
    PROBABILITY,
    Power,
    contrasts_of,
    distance,
    power,
    usual_freedom,
)
from virtometer.design.factorial.regular import fraction
from virtometer.design.factorial.space import Cell, Space, Term

REPETITIONS = 4_000


def found_share(
    of: Space, cells: list[Cell], asked: list[Term], blocks: int, sd: float, term: Term, size: float, claims: int
) -> float:
    """How often a contrast of a term is claimed, at the first step of Holm, whose true size is `size` (a fraction)."""
    rng = np.random.default_rng(5)
    matrix = model_matrix(of, cells, asked)
    some = list(contrasts_of(of, asked))
    weights = next(weights for name, weights in some if name == term)
    # The truth: coefficients along the contrast, so that the contrast is log(1 + size) and all else is as it happens.
    truth = matrix @ (weights * math.log1p(size) / float(weights @ weights))
    own = weights @ np.linalg.pinv(matrix)
    drawn = rng.normal(0, sd, (REPETITIONS, blocks, len(cells))) + rng.normal(0, 0.2, (REPETITIONS, blocks, 1)) + truth
    effects = drawn @ own
    t = effects.mean(axis=1) / (effects.std(axis=1, ddof=1) / math.sqrt(blocks))
    limit = special.stdtrit(blocks - 1, 1 - CLAIM_LEVEL / (2 * claims))
    return float((np.abs(t) > limit).mean())


@pytest.mark.parametrize("blocks", [6, 8, 20])
def test_the_smallest_effect_is_found_in_90_of_100_simulated_campaigns(blocks: int) -> None:
    of = space(*[2] * 8)
    cells = fraction(8, 4, 4)
    assert cells is not None
    known = power(of, cells, of.mains(), blocks, 0.05, freedom=blocks - 1)
    share = found_share(of, cells, of.mains(), blocks, 0.05, (3,), known.main, known.claims)
    assert share == pytest.approx(PROBABILITY, abs=0.02)


def test_so_are_the_effects_of_a_design_that_is_not_orthogonal() -> None:
    of = space(3, 2, 2)
    cells = [cell for cell in of.cells() if cell[0] != 1 or cell[2] != 1]
    asked = terms(of, "A", "B", "C", "AB")
    known = power(of, cells, asked, 8, 0.03, freedom=7)
    assert known.interaction is not None
    worst = max(found_share(of, cells, asked, 8, 0.03, term, known.main, known.claims) for term in of.mains())
    assert worst >= PROBABILITY - 0.02
    assert found_share(of, cells, asked, 8, 0.03, (0, 1), known.interaction, known.claims) == pytest.approx(
        PROBABILITY, abs=0.02
    )


def test_a_contrast_is_a_difference_of_means_over_the_other_factors() -> None:
    of = space(3, 2)
    cells = list(of.cells())
    asked = [*of.mains(), *of.pairs()]
    values = np.array([10 * a + b + 2 * (a == 2 and b == 1) for a, b in cells], dtype=float)
    fitted = np.linalg.lstsq(model_matrix(of, cells, asked), values, rcond=None)[0]
    found = [(term, float(weights @ fitted)) for term, weights in contrasts_of(of, asked)]
    assert [term for term, _ in found] == [(0,), (0,), (1,), (0, 1), (0, 1)]
    assert [value for _, value in found] == pytest.approx([10, 21, 1 + 2 / 3, 0, 2])


def test_more_blocks_less_noise_and_fewer_claims_find_less() -> None:
    of = space(2, 2, 2)
    cells = list(of.cells())

    def main(blocks: int = 8, sd: float = 0.03, responses: int = 1) -> float:
        return power(of, cells, of.mains(), blocks, sd, responses).main

    assert main(16) < main() < main(6)
    assert main(sd=0.01) < main()
    assert main(responses=10) > main()
    assert power(of, cells, of.mains(), 8, 0.03).interaction is None
    assert power(of, cells, of.mains(), 8, 0.03, responses=3) == Power(main(responses=3), None, 18)


def test_the_distance_of_many_blocks_is_that_of_the_normal_distribution() -> None:
    assert distance(100_000, 1) == pytest.approx(2.326348 + 1.281552, abs=1e-3)


def test_a_fraction_needs_a_quarter_of_the_trials_of_one_factor_at_a_time() -> None:
    """Eight factors: 16 cells of a fraction, or 9 cells with one factor changed, for the same interval."""
    of = space(*[2] * 8)
    cells = fraction(8, 4, 4)
    assert cells is not None
    one = [of.references, *(tuple(int(at == f) for at in range(8)) for f in range(8))]

    def variance(some: list[Cell]) -> float:
        matrix = model_matrix(of, some, of.mains())
        inverse = np.linalg.inv(matrix.T @ matrix)
        return max(float(weights @ inverse @ weights) for _, weights in contrasts_of(of, of.mains()))

    # Variance of an effect times trials: what the same interval takes.
    assert variance(cells) * len(cells) <= variance(one) * len(one) / 4


def test_contrasts_that_vary_alike_lend_each_other_degrees_of_freedom() -> None:
    """The medians are those of 1,000 simulated analyses with normal noise."""
    assert [usual_freedom(blocks, 3) for blocks in (6, 8)] == [5, 7]
    for blocks, contrasts, median in ((8, 15, 16.8), (6, 15, 12.1), (8, 7, 12.4), (6, 7, 9.1), (20, 15, 45.3)):
        assert usual_freedom(blocks, contrasts) == pytest.approx(median, rel=0.15)


def analysed(
    of: Space, cells: Sequence[Cell], asked: Sequence[Term], known: Power, sd: float, responses: int, seed: int
) -> Effects:
    """The effects of a simulated campaign in eight blocks, of which A has the stated size in the first workload."""
    rng = np.random.default_rng(seed)
    variables = tuple(Variable(name, levels) for name, levels in zip(of.names, of.levels, strict=True))
    made = []
    for number in range(responses):
        rows = [(block, cells[at]) for block in range(8) for at in rng.permutation(len(cells))]
        truth = [math.log1p(known.main) * (number == 0 and cell[0] == 1) for _, cell in rows]
        levels = [{name: str(level) for name, level in zip(of.names, cell, strict=True)} for _, cell in rows]
        logs = (np.array(truth) + rng.normal(0, sd, len(rows))).tolist()
        made.append(Response(f"w{number}", "", "higher", levels, [block for block, _ in rows], logs))
    return effects(Experiment(variables, tuple(made), frozenset(map(of.term_name, asked))), 1e-4)


@pytest.mark.parametrize(
    ("sizes", "responses", "repetitions"), [((2, 2, 2), 1, 200), ((2, 2), 1, 200), ((3, 2), 2, 150), ((2,) * 8, 1, 40)]
)
def test_what_is_stated_by_default_is_what_the_analysis_finds(
    sizes: tuple[int, ...], responses: int, repetitions: int
) -> None:
    of = space(*sizes)
    cells = list(of.cells()) if len(sizes) < 8 else fraction(8, 4, 4)
    assert cells is not None
    asked = [*of.mains(), *of.pairs()] if len(sizes) < 8 else of.mains()
    known = power(of, cells, asked, 8, 0.03, responses)
    found = [analysed(of, cells, asked, known, 0.03, responses, seed) for seed in range(repetitions)]
    assert {one.tested for one in found} == {known.claims}, "the family of the analysis is the one that is counted"
    verdicts = [next(e for e in one.metrics[0].effects if e.term == "A").contrasts[0].verdict for one in found]
    share = float(np.mean([one is Influence.INFLUENCE for one in verdicts]))
    # Later steps of Holm's adjustment find more; 2 standard errors of the simulation.
    error = 2 * math.sqrt(PROBABILITY * (1 - PROBABILITY) / repetitions)
    assert PROBABILITY - error <= share <= min(0.98, PROBABILITY + 0.05 + error)


def test_no_more_claims_are_counted_than_the_cells_allow() -> None:
    of = space(*[2] * 8)
    cells = fraction(8, 4, 4)
    assert cells is not None
    assert power(of, cells, of.mains(), 8, 0.03).claims == 15
    full = list(space(2, 2, 2, 2).cells())
    assert power(space(2, 2, 2, 2), full, [(0,), (1,), (2,), (3,)], 8, 0.03, responses=2).claims == 20


@pytest.mark.parametrize(("drift", "most"), [(0.0, 0.25), (0.8, 0.4), (0.95, 0.4)])
def test_eight_factors_take_a_quarter_of_the_time_of_one_at_a_time(drift: float, most: float) -> None:
    """For the same interval, time is cells times variance: 16 / 4 by 9 * 2, where noise is that of each start.

    Noise that drifts over the trials of a block (AR(1), in random order) is less in the shorter blocks of the latter.
    """
    rng = np.random.default_rng(6)
    of, count = space(*[2] * 8), 2_000
    cells = fraction(8, 4, 4)
    assert cells is not None
    single: list[Cell] = [tuple(int(other == factor) for other in range(8)) for factor in range(-1, 8)]
    times = []
    for some in (cells, single):
        matrix = np.linalg.pinv(model_matrix(of, some, of.mains()))
        noise = rng.normal(0, 1, (count, len(some)))
        for at in range(1, len(some)):
            noise[:, at] = drift * noise[:, at - 1] + math.sqrt(1 - drift**2) * noise[:, at]
        noise = rng.permuted(noise, axis=1)
        found = [noise @ (weights @ matrix) for _, weights in contrasts_of(of, of.mains())]
        times.append(len(some) * float(np.mean([one.var() for one in found])))
    assert times[0] / times[1] < most
