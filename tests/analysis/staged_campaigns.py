"""Many campaigns in two stages at once, with known truth: block log ratios, the rule, and the final analysis.

A campaign has four workloads in three environments. The comparisons of a workload share its baseline, as real ones do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.analysis.statistics.equivalence import LEVEL, limit
from virtometer.analysis.statistics.spread import Spread
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL
from virtometer.analysis.stopping.rule import ALPHA_FACTOR, allot

WORKLOADS, ENVIRONMENTS = 4, 3
MOST = 250
MARGIN = 0.05
KEYS = [(f"work {w}", f"place {e}") for w in range(WORKLOADS) for e in range(ENVIRONMENTS)]

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]


def _white(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.standard_normal(shape)


def _skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return 1.0 - rng.standard_exponential(shape)


def _bimodal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return (rng.standard_normal(shape) / 4 + np.where(rng.random(shape) < 0.5, 1.0, -1.0)) / math.sqrt(1 + 1 / 16)


def _outliers(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """One in twenty is slower by ten spreads. Centred, and with a variance of 1, as the others."""
    slow = (rng.random(shape) < 0.05) - 0.05
    return (rng.standard_normal(shape) - 10 * slow) / math.sqrt(1 + 100 * 0.05 * 0.95)


def pink(rng: np.random.Generator, campaigns: int, length: int) -> Array:
    """1/f noise of a host over a campaign, with a variance of 1."""
    frequencies = np.fft.rfftfreq(length)
    frequencies[0] = np.inf
    spectrum = np.fft.rfft(rng.standard_normal((campaigns, length))) / np.sqrt(frequencies)
    series = np.fft.irfft(spectrum, length)
    found: Array = series / series.std(axis=1, keepdims=True)
    return found


FAMILIES: dict[str, Draw] = {"white": _white, "skewed": _skewed, "bimodal": _bimodal, "outliers": _outliers}


def log_ratios(
    family: str, sd: float, truth: float, *, seed: int, campaigns: int, blocks: int = MOST, one_side: bool = False
) -> Array:
    """Block log ratios by campaign, comparison and block; `sd` is that of one of them, `truth` the ratio.

    one_side: the baseline has no noise. The family `1/f`: a host whose speed is 1/f noise from trial to trial; the
    treatments of a block come in random order.
    """
    rng = np.random.default_rng(seed)
    shape = (campaigns, WORKLOADS, ENVIRONMENTS + 1, blocks)
    if family == "1/f":
        slots = WORKLOADS * (ENVIRONMENTS + 1)
        host = pink(rng, campaigns, blocks * slots).reshape(campaigns, blocks, slots)
        noise = rng.permuted(host, axis=2).transpose(0, 2, 1).reshape(shape) + _white(rng, shape)
    else:
        noise = FAMILIES[family](rng, shape)
    subjects, baseline = noise[:, :, 1:], noise[:, :, :1]
    if family == "1/f":
        subjects = subjects / math.sqrt(2)
        baseline = baseline / math.sqrt(2)
    ratios = subjects if one_side else (subjects - baseline) / math.sqrt(2)
    found: Array = math.log(truth) + sd * ratios.reshape(campaigns, WORKLOADS * ENVIRONMENTS, blocks)
    return found


@dataclass(frozen=True)
class Outcome:
    """By campaign and comparison, after all blocks: their number, and what the final analysis says."""

    blocks: Array
    equivalent: Array
    different: Array
    covered: Array
    half_width: Array

    @property
    def campaigns_with_claims(self) -> float:
        return float(self.different.any(axis=1).mean())


def staged(
    logs: Array, first: int, *, truth: float, stages: int = 2, precision: float | None = None, left: float = math.inf
) -> Outcome:
    """The rule of `allot`, then the final analysis at its strict levels. stages: 3 is one extension by the same rule.

    An extension begins where the second stage ended, with all blocks so far. left: of a budget, in blocks of one
    comparison.
    """
    blocks = np.full(logs.shape[:2], first)
    for _ in range(stages - 1):
        blocks = np.array([_allotted(of, number, precision, left) for of, number in zip(logs, blocks, strict=True)])
    return concluded(logs, blocks, truth=truth, alpha_factor=ALPHA_FACTOR)


def concluded(logs: Array, blocks: Array, *, truth: float, alpha_factor: float) -> Outcome:
    """The final analysis of the first `blocks` of each comparison, as `decide` makes it: Student's t, TOST and Holm."""
    mean, error = _summary(logs, blocks)
    df = blocks - 1
    p_alike = special.stdtr(df, -(limit(MARGIN) - np.abs(mean)) / error)
    equivalent = p_alike < LEVEL * alpha_factor
    p = 2 * special.stdtr(df, -np.abs(mean) / error)
    ranked = np.sort(p, axis=1) * np.arange(p.shape[1], 0, -1)
    adjusted = np.take_along_axis(np.maximum.accumulate(ranked, axis=1), p.argsort(axis=1).argsort(axis=1), axis=1)
    half = special.stdtrit(df, 1 - alpha_factor * 0.05 / 2) * error
    return Outcome(
        blocks,
        equivalent,
        ~equivalent & (adjusted < CLAIM_LEVEL * alpha_factor),
        np.abs(mean - math.log(truth)) <= half,
        half,
    )


def looked_at_after_every_block(logs: Array, first: int, *, truth: float) -> Outcome:
    """What not to do: after every block all undecided comparisons are looked at, and go on until they are decided."""
    blocks = np.full(logs.shape[:2], first)
    open_ = np.ones(blocks.shape, dtype=bool)
    for _ in range(first, logs.shape[2]):
        seen = concluded(logs, blocks, truth=truth, alpha_factor=1.0)
        open_ &= ~(seen.equivalent | seen.different)
        blocks = blocks + open_
    return concluded(logs, blocks, truth=truth, alpha_factor=1.0)


def spreads(logs: Array, blocks: Array) -> list[Spread]:
    """Of one campaign's comparisons."""
    return [Spread(float(of[:n].mean()), float(of[:n].std(ddof=1)), int(n)) for of, n in zip(logs, blocks, strict=True)]


def _allotted(logs: Array, blocks: Array, precision: float | None, left: float) -> list[int]:
    family = dict(zip(KEYS, spreads(logs, blocks), strict=True))
    free = dict.fromkeys(KEYS, 1.0)
    found = {}
    # A comparison begins its next stage with the blocks that it has, and not with the most that any other has.
    done = int(blocks.max())
    allotted = allot(
        family, MARGIN, cost_s=free, shared_s={}, start_s={}, left_s=left, precision=precision,
        most_blocks=logs.shape[1] + done - int(blocks.min()), first=done,
    )  # fmt: skip
    for key, of in family.items():
        found[key] = min(of.n + allotted.blocks[key] - done, logs.shape[1])
    return list(found.values())


def _summary(logs: Array, blocks: Array) -> tuple[Array, Array]:
    """Mean and standard error of the first `blocks` of each comparison."""
    used = np.arange(logs.shape[2]) < blocks[:, :, None]
    mean = np.where(used, logs, 0.0).sum(axis=2) / blocks
    squares = np.where(used, (logs - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    return mean, np.sqrt(squares / (blocks - 1) / blocks)
