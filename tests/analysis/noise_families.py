"""Families of noise with known truth through the code that decides: first stage, `doubts`, `allot`, `decide`.

A campaign has six workloads in five environments, and two guests of the baseline in each block. Log values have a
white noise of NOISE a guest; the families differ in what is added to the subjects, or to all guests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.analysis.staged_campaigns import pink
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.notes.doubts import Doubts, doubts
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.verdicts import Decision, decide
from virtometer.analysis.stopping.rule import ALPHA_FACTOR, allot
from virtometer.model import Estimate, Verdict

WORKLOADS, ENVIRONMENTS = 6, 5
FIRST, MOST = 6, 60  # blocks of the first stage, and in all where there is no budget: ten times as many
BUDGET_S = 120.0  # a trial takes a second: three further blocks of everything, the baseline included
NOISE, MARGIN = 0.015, 0.05
LIMIT = math.log1p(MARGIN)
SLOW = math.log(0.8)
KEYS = [(f"work {w}", f"place {e}") for w in range(WORKLOADS) for e in range(ENVIRONMENTS)]

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
"""Noise of guests by workload, environment and block."""


def _white(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return NOISE * rng.standard_normal(shape)


def _t3(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return NOISE / math.sqrt(3) * rng.standard_t(3, shape)


def _nothing(_rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.zeros(shape)


def _stalls(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Stops cost a tenth of the blocks 10 % on average."""
    stopped = (rng.random(shape) < 0.1) * 0.1 * rng.standard_exponential(shape)
    return 0.01 - stopped


def _modes(share: float) -> Draw:
    """So many of the starts are 20 % slower, in each comparison alone."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return SLOW * ((rng.random(shape) < share) - share)

    return draw


def _modes_of_one(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """In one environment 30 % of the starts are 20 % slower, in all of its workloads."""
    slow = np.zeros(shape)
    slow[:, 0] = SLOW * ((rng.random(shape[2]) < 0.3) - 0.3)
    return slow


def _own_pink(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return 0.05 * pink(rng, shape[0] * shape[1], shape[2]).reshape(shape)


def _ramp(_rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Every treatment becomes 20 % faster over the blocks of a long campaign."""
    return np.broadcast_to(np.linspace(-0.1, 0.1, shape[2]), shape)


@dataclass(frozen=True)
class Family:
    """guests: noise of every guest. own: of subjects alone; both have a mean of 0. most: blocks of a campaign."""

    guests: Draw = _white
    own: Draw = _nothing
    most: int = MOST


def _both(of: Draw) -> Draw:
    return lambda rng, shape: _white(rng, shape) + of(rng, shape)


FAMILIES = {
    "Gauss": Family(),
    "t3": Family(guests=_t3),
    "two-sided stalls": Family(guests=_both(_stalls)),
    "one-sided stalls": Family(own=_stalls),
    "modes in 8 %": Family(own=_modes(0.08)),
    "modes in 30 %": Family(own=_modes(0.3)),
    "modes in 30 %, one environment": Family(own=_modes_of_one),
    "own 1/f": Family(own=_own_pink),
    "ramp": Family(own=_ramp, most=24),
}


@dataclass
class Rates:
    """What became of many campaigns. with_note: a note stood beside; of verdicts also in tables.

    A verdict that is refused is no error. An interval that misses is one, also where a verdict is refused.
    """

    campaigns: int = 0
    with_claims: int = 0
    with_silent_claims: int = 0
    comparisons: int = 0
    covered: int = 0
    missed_with_note: int = 0
    equivalent: int = 0
    equivalent_with_note: int = 0
    claims: int = 0
    claims_with_note: int = 0
    refused: int = 0
    blocks: list[int] = field(default_factory=list)

    @property
    def false_claims(self) -> float:
        """Share of campaigns with any claim."""
        return self.with_claims / self.campaigns

    @property
    def coverage(self) -> float:
        return self.covered / self.comparisons

    @property
    def wrong_equivalences(self) -> float:
        return self.equivalent / self.comparisons

    @property
    def spoke_beside_missing(self) -> float:
        return self.missed_with_note / max(self.comparisons - self.covered, 1)

    @property
    def spoke_beside_equivalent(self) -> float:
        return self.equivalent_with_note / max(self.equivalent, 1)

    @property
    def spoke_beside_claims(self) -> float:
        """Share of the campaigns with a claim in which a note stands beside each of them."""
        return 1 - self.with_silent_claims / max(self.with_claims, 1)


@dataclass(frozen=True)
class Drawn:
    """One campaign: log ratios by comparison and block, and those of the control by workload."""

    logs: dict[Key, Array]
    controls: dict[str, Array]

    def first(self, blocks: dict[Key, int]) -> tuple[dict[Key, list[float]], dict[Key, Spread]]:
        """Of so many blocks of each comparison, with the control of all blocks in which its workload was measured."""
        longest = {workload: max(n for key, n in blocks.items() if key[0] == workload) for workload in self.controls}
        spreads = {workload: spread(of[: longest[workload]].tolist()) for workload, of in self.controls.items()}
        family = {key: self.logs[key][:n].tolist() for key, n in blocks.items()}
        return family, {key: of for key in family if (of := spreads[key[0]]) is not None}


def drawn(family: Family, truth: float, rng: np.random.Generator) -> Drawn:
    """truth: the mean log ratio of all comparisons."""
    shape = (WORKLOADS, ENVIRONMENTS, family.most)
    baseline = family.guests(rng, (WORKLOADS, 2, family.most))
    subjects = truth + family.guests(rng, shape) + family.own(rng, shape)
    logs = subjects - baseline.mean(axis=1, keepdims=True)
    control = baseline[:, 1] - baseline[:, 0]
    return Drawn(
        {key: logs[at // ENVIRONMENTS, at % ENVIRONMENTS] for at, key in enumerate(KEYS)},
        {f"work {w}": control[w] for w in range(WORKLOADS)},
    )


_NONE = Doubts({}, {}, {})


Reported: TypeAlias = tuple[dict[Key, Decision], dict[Key, Estimate | None], Doubts]


def decided(of: Drawn, left_s: float | None, most: int, *, careful: bool = True) -> Reported:
    """The verdicts and ratios of one campaign. left_s: of the second stage; None: without. careful: with doubts."""
    blocks = dict.fromkeys(KEYS, FIRST)
    alpha_factor = 1.0
    if left_s is not None:
        alpha_factor = ALPHA_FACTOR
        family, controls = of.first(blocks)
        open_ = doubts(family, MARGIN, controls=controls, alpha_factor=alpha_factor) if careful else _NONE
        allotted = allot(
            {key: spread(logs) for key, logs in family.items()}, MARGIN,
            cost_s=dict.fromkeys(KEYS, 1.0), shared_s=dict.fromkeys(of.controls, 2.0), start_s={}, left_s=left_s,
            controls=controls, most_blocks=most, first=FIRST, doubted=open_.blocks, refused=open_.refused,
        )  # fmt: skip
        blocks = {key: min(count, most) for key, count in allotted.blocks.items()}
    family, controls = of.first(blocks)
    beside = doubts(family, MARGIN, controls=controls, alpha_factor=alpha_factor) if careful else _NONE
    spreads = {key: spread(logs) for key, logs in family.items()}
    decisions = decide(
        spreads, MARGIN, controls=controls, refused=beside.refused, blocks=beside.blocks, alpha_factor=alpha_factor
    )
    return decisions, {key: interval(logs, alpha_factor=alpha_factor) for key, logs in family.items()}, beside


def simulated(
    name: str, truth: float, repetitions: int, *, left_s: float | None, careful: bool = True, seed: int = 0
) -> Rates:
    """Many campaigns of a family. truth: the mean log ratio of every comparison."""
    family, rates = FAMILIES[name], Rates()
    for repetition in range(repetitions):
        of = drawn(family, truth, np.random.default_rng([seed, sorted(FAMILIES).index(name), repetition]))
        decisions, ratios, beside = decided(of, left_s, family.most, careful=careful)
        claims = silent = 0
        for key, one in decisions.items():
            notes = beside.notes.get(key, ())
            in_table = any(note.brief for note in notes)
            ratio = ratios[key]
            assert ratio is not None and ratio.low is not None and ratio.high is not None
            rates.blocks.append(ratio.n)
            rates.refused += key in beside.refused
            if ratio.low <= math.exp(truth) <= ratio.high:
                rates.covered += 1
            else:
                rates.missed_with_note += bool(notes) or key in beside.refused
            if one.verdict is Verdict.EQUIVALENT:
                rates.equivalent += 1
                rates.equivalent_with_note += in_table
            elif one.verdict in (Verdict.SLOWER, Verdict.FASTER):
                claims += 1
                silent += not in_table
        rates.campaigns += 1
        rates.comparisons += len(decisions)
        rates.with_claims += claims > 0
        rates.with_silent_claims += silent > 0
        rates.claims += claims
        rates.claims_with_note += claims - silent
    return rates


def row(name: str, null: Rates, edge: Rates) -> str:
    """A line of the table: at the null, and where the ratio is at the margin."""
    n = sorted(null.blocks)
    parts = (
        f"{name:30} claims {_told(null.false_claims, null.spoke_beside_claims)}",
        f"coverage {_told(null.coverage, null.spoke_beside_missing)}",
        f"wrong equivalent {_told(edge.wrong_equivalences, edge.spoke_beside_equivalent)}",
        f"refused {100 * null.refused / null.comparisons:3.0f} %",
        f"equivalent at 1 {100 * null.wrong_equivalences:3.0f} %",
        f"blocks {n[len(n) // 2]} to {n[-1]}",
    )
    return "  ".join(parts)


def _told(share: float, spoke: float) -> str:
    return f"{100 * share:5.1f} % (spoke {100 * spoke:3.0f} %)"
