"""Experiments with known effects, many repetitions at once: designs, and noise over the order of execution."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis.effects.claims import Claim, claims, interval, p_of_none, p_of_zero
from virtometer.analysis.effects.model import Model, model
from virtometer.analysis.effects.table import Observed, Variable

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]


def white(rng: np.random.Generator, trials: int, repetitions: int) -> Floats:
    return rng.standard_normal((trials, repetitions))


def drifting(memory: float) -> Callable[[np.random.Generator, int, int], Floats]:
    """AR(1) over the order of execution, with a standard deviation of 1."""

    def noise(rng: np.random.Generator, trials: int, repetitions: int) -> Floats:
        fresh = rng.standard_normal((trials, repetitions)) * np.sqrt(1 - memory**2)
        found: Floats = np.empty_like(fresh)
        found[0] = rng.standard_normal(repetitions)
        for at in range(1, trials):
            found[at] = memory * found[at - 1] + fresh[at]
        return found

    return noise


def skewed(rng: np.random.Generator, trials: int, repetitions: int) -> Floats:
    """Never much faster than usual, sometimes much slower."""
    found: Floats = 1.0 - rng.exponential(1.0, (trials, repetitions))
    return found


def outliers(rng: np.random.Generator, trials: int, repetitions: int) -> Floats:
    """One trial in thirty is slower by eight spreads."""
    found: Floats = rng.standard_normal((trials, repetitions)) - 8.0 * (rng.random((trials, repetitions)) < 1 / 30)
    return found


def everything(rng: np.random.Generator, trials: int, repetitions: int) -> Floats:
    """A drift, skewed starts, and bursts."""
    bursts = 6.0 * (rng.random((trials, repetitions)) < 0.02)
    return drifting(0.9)(rng, trials, repetitions) + 0.5 * skewed(rng, trials, repetitions) - bursts


NOISE: Mapping[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "white": white,
    "AR 0.8": drifting(0.8),
    "AR 0.95": drifting(0.95),
    "skewed": skewed,
    "outliers": outliers,
    "all": everything,
}


def variables(levels: Sequence[int]) -> tuple[Variable, ...]:
    """Factors a, b, ... with levels 0, 1, ..."""
    names = "abcdefghijklmnopqrstuvwxyz"
    return tuple(Variable(names[at], tuple(map(str, range(count)))) for at, count in enumerate(levels))


def full(levels: Sequence[int]) -> Cells:
    return np.array(list(itertools.product(*map(range, levels))), dtype=np.int64)


def fraction(factors: int, *words: Sequence[int]) -> Cells:
    """The part of a two-level factorial in which each of these sets of factors has an even number of upper levels."""
    cells = full([2] * factors)
    kept = np.ones(len(cells), dtype=bool)
    for word in words:
        kept &= cells[:, list(word)].sum(axis=1) % 2 == 0
    return cells[kept]


EIGHT = fraction(8, (0, 1, 2, 3, 6), (0, 1, 4, 5, 7))
"""Eight factors in 64 cells of resolution V."""


@dataclass(frozen=True)
class Case:
    """A design in random order within each block."""

    levels: Sequence[int]
    cells: Cells
    blocks: int

    def ordered(self, rng: np.random.Generator) -> tuple[Cells, Cells]:
        """Levels and blocks of all trials, in the order of execution."""
        level = np.concatenate([self.cells[rng.permutation(len(self.cells))] for _ in range(self.blocks)])
        return level, np.repeat(np.arange(self.blocks), len(self.cells))


CASES = {
    "2x2x2": Case([2] * 3, full([2] * 3), 8),
    "2x3x4": Case([2, 3, 4], full([2, 3, 4]), 8),
    "eight": Case([2] * 8, EIGHT, 6),
    "2x2": Case([2, 2], full([2, 2]), 8),
}


@dataclass(frozen=True)
class Shown:
    """k contrasts of R repetitions: whether the interval holds the truth, p values, and the terms."""

    names: Sequence[str]
    holds: NDArray[np.bool_]
    zero: Floats
    none: Floats
    error: Floats
    freedom: Floats

    def claimed(self, repetition: int) -> list[Claim]:
        return claims(self.zero[:, repetition], self.none[:, repetition])


def repeat(
    case: Case,
    noise: str | Callable[[np.random.Generator, int, int], Floats],
    effects: Mapping[str, float] | None = None,
    *,
    repetitions: int = 500,
    orders: int = 10,
    seed: int = 1,
    spread: float = 0.05,
    margin: float = 0.05,
    lost: float = 0.0,
    starts: float = 0.0,
) -> Shown:
    """Repetitions of an experiment of two-level effects (changes of the log), in so many random orders.

    lost: the part of the trials that fail. starts: the spread of a random effect of each start.
    """
    found: list[Shown] = []
    make = NOISE[noise] if isinstance(noise, str) else noise
    for number in range(orders):
        rng = np.random.default_rng(1000 * seed + number)
        level, block = case.ordered(rng)
        logs = spread * make(rng, len(level), repetitions // orders)
        logs = logs + starts * rng.standard_normal(logs.shape)
        kept = rng.random(len(level)) >= lost
        observed = Observed(level[kept], block[kept], np.arange(int(kept.sum())), logs[kept])
        made = model(variables(case.levels), observed)
        assert made is not None
        found.append(_shown(made, effects or {}, margin, observed))
    return Shown(
        found[0].names,
        *(
            np.concatenate([getattr(one, name) for one in found], axis=1)
            for name in Shown.__annotations__
            if name != "names"
        ),
    )


def _shown(made: Model, effects: Mapping[str, float], margin: float, observed: Observed) -> Shown:
    asked = [one for term in made.spans for one in made.asked(term)]
    names = [made.name(one.term) for one in asked]
    # The truth is added to the estimates: the model is linear and has all of these terms.
    estimates = made.fit.contrasts([one.weights for one in asked])
    truth = np.array([effects.get(name, 0.0) for name in names])[:, None]
    moved = type(estimates)(estimates.value + truth, estimates.error, estimates.freedom)
    low, high = interval(moved)
    holds = (low <= truth) & (truth <= high)
    return Shown(names, holds, p_of_zero(moved), p_of_none(moved, margin), estimates.error, estimates.freedom)
