"""Pairs of campaigns with a known loss: what compare says of them, and how often it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate, with_runs
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.analysis.compared.worse import Outcome
from virtometer.model import Campaign, Run

READ = Work("read", "disk", "random-read", "IO/s", 1e4)
THREE = [Work(f"read {number}", "disk", "random-read", "IO/s", 1e4) for number in range(3)]
PLACES = [Place("native"), Place("box", "runc")]
BLOCKS = 10
SLICE_S = 0.012
Loss = Callable[[np.random.Generator], float]

BASES = {count: simulate(PLACES, THREE[:count], blocks=BLOCKS, control=True, samples=2) for count in (1, 3)}


def pair_member(rng: np.random.Generator, loss: Loss, works: int, sd: float) -> Campaign:
    """A campaign whose box has lost in each run what `loss` draws; all runs have noise."""

    def change(run: Run) -> Run:
        left = loss(rng) if run.placement.environment == "box" else 1.0
        value = run.scored.value * left * math.exp(rng.normal(0, sd))
        return replace(run, score=replace(run.scored, value=value))

    return with_runs(BASES[works], change)


def none(_rng: np.random.Generator) -> float:
    return 1.0


def uniform(share: float) -> Loss:
    return lambda _rng: share


def stalls(length_s: float, loss: float) -> Loss:
    """Stalls of one second of work that come at random and cost so much of the work in the mean."""
    rate = loss / (1 - loss) / length_s
    return lambda rng: 1 / (1 + rng.poisson(rate) * length_s)


def in_slices(length_s: float, share: float) -> Loss:
    """Stalls in this share of the slices."""
    slices = round(1 / SLICE_S)
    return lambda rng: 1 / (1 + rng.binomial(slices, share) * length_s)


def slow_starts(part: float, loss: float) -> Loss:
    """This part of the starts is slow, by so much that the mean loses `loss`."""
    return lambda rng: 1 - loss / part if rng.random() < part else 1.0


LOSSES = {
    "uniform": uniform(0.9),
    "stalls of 16 ms": stalls(0.016, 0.1),
    "stalls of 80 ms": stalls(0.08, 0.1),
    "stalls of 110 ms": stalls(0.11, 0.1),
    "80 ms in 10 % of slices": in_slices(0.08, 0.1),
    "half of the starts": slow_starts(0.5, 0.1),
}


def outcomes(loss: Loss, repetitions: int, *, works: int = 1, sd: float = 0.01, seed: int = 1) -> list[Outcome]:
    rng = np.random.default_rng(seed)
    return [
        compare_campaigns(pair_member(rng, none, works, sd), pair_member(rng, loss, works, sd), 0.05).outcome
        for _ in range(repetitions)
    ]


def never_not_worse(name: str, repetitions: int) -> None:
    assert outcomes(LOSSES[name], repetitions).count(Outcome.NOT_WORSE) == 0


def seldom_worse(sd: float, repetitions: int, most: int) -> None:
    assert outcomes(uniform(0.96), repetitions, works=3, sd=sd).count(Outcome.WORSE) <= most


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_of_a_tenth_is_never_not_worse(name: str) -> None:
    never_not_worse(name, 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_of_a_tenth_is_never_not_worse_in_500_pairs(name: str) -> None:
    never_not_worse(name, 500)


@pytest.mark.parametrize("sd", [0.005, 0.03])
def test_a_loss_within_the_margin_is_seldom_worse(sd: float) -> None:
    seldom_worse(sd, 20, 3)


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0.005, 0.01, 0.03])
def test_a_loss_within_the_margin_is_worse_in_at_most_5_percent_of_500_pairs(sd: float) -> None:
    seldom_worse(sd, 500, 25)


def test_nothing_lost_is_mostly_not_worse_and_a_fifth_is_worse() -> None:
    assert outcomes(none, 20).count(Outcome.NOT_WORSE) >= 18
    assert outcomes(uniform(0.8), 20).count(Outcome.WORSE) >= 18
    assert outcomes(LOSSES["80 ms in 10 % of slices"], 20).count(Outcome.WORSE) >= 18
