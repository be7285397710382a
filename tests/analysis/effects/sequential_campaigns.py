"""Many campaigns of a sequential design with known effects: its own designs, rule and claims, on simulated noise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from tests.analysis.effects.known_effects import NOISE, Cells, Floats
from virtometer.analysis.effects.claims import AlphaFactors, Claim, Influence, claims, interval, p_of_none, p_of_zero
from virtometer.analysis.effects.model import Model, model
from virtometer.analysis.effects.screening import SHARE, of_model, screened
from virtometer.analysis.effects.table import Observed, Variable
from virtometer.design.factorial.choice import MAX_CELLS
from virtometer.design.factorial.sequential import USUAL_CELLS, first_stage, second_stage
from virtometer.design.factorial.space import Space
from virtometer.model import Design

NAMES = "abcdefghijklmnop"


def space_of(levels: Sequence[int]) -> Space:
    """Factors a, b, ... with levels 0, 1, ...; the reference is 0."""
    names = tuple(NAMES[: len(levels)])
    return Space(names, tuple(tuple(map(str, range(count))) for count in levels), (0,) * len(levels))


@dataclass(frozen=True)
class Rule:
    """A plan of this kind: the factors, the blocks of both stages, the margin."""

    space: Space
    first_blocks: int = 6
    blocks: int = 8
    margin: float = 0.05
    numbers: Sequence[Sequence[float] | None] = ()

    def first_cells(self) -> Cells:
        return _first_cells(self.space, tuple(self._numbers()))

    def second_cells(self, kept: frozenset[str]) -> tuple[Cells, tuple[str, ...]] | None:
        """Cells and terms of the second stage, as a campaign takes them."""
        return _second_cells(self.space, tuple(self._numbers()), kept)

    def second_blocks(self, cells: int) -> int:
        return max(self.blocks, -(-len(self.first_cells()) * self.first_blocks // cells))

    def _numbers(self) -> Sequence[Sequence[float] | None]:
        return self.numbers or [None] * len(self.space.names)


@cache
def _first_cells(space: Space, numbers: Sequence[Sequence[float] | None]) -> Cells:
    return np.array(first_stage(space, numbers, Design(type="sequential")).cells)


@cache
def _second_cells(
    space: Space, numbers: Sequence[Sequence[float] | None], kept: frozenset[str]
) -> tuple[Cells, tuple[str, ...]] | None:
    given = sorted(NAMES.index(one) for one in kept)
    if set(space.sizes) == {2} and given != list(range(len(given))):
        # All factors are alike: the design of the first ones, for others. To make one takes a second.
        found = _second_cells(space, numbers, frozenset(NAMES[: len(given)]))
        if found is None:
            return None
        cells = np.zeros_like(found[0])
        cells[:, given] = found[0][:, : len(given)]
        other = dict(zip(NAMES, (NAMES[one] for one in given), strict=False))
        return cells, tuple(":".join(other[name] for name in term.split(":")) for term in found[1])
    most = min(USUAL_CELLS, MAX_CELLS - len(_first_cells(space, numbers)) + 1)
    made = second_stage(space, numbers, given, most, 1)
    if made is None:
        return None
    return np.array(made.chosen.cells), tuple(map(space.term_name, made.chosen.terms))


@dataclass
class Outcome:
    """One campaign. first, second: terms with an influence by each stage; first_none, second_none: without one.

    covered: whether each interval of the second stage holds the truth. trials: of both stages.
    """

    kept: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    first: set[str] = field(default_factory=set)
    first_none: set[str] = field(default_factory=set)
    second: set[str] = field(default_factory=set)
    second_none: set[str] = field(default_factory=set)
    covered: list[bool] = field(default_factory=list)
    trials: int = 0

    @property
    def claimed(self) -> set[str]:
        """What the report says: the second stage of what is kept, the first of what is dropped."""
        return self.second | (self.first & self.dropped)

    @property
    def idle(self) -> set[str]:
        return self.second_none | (self.first_none & self.dropped)


def truth_of(effects: Mapping[str, float], level: Cells) -> Floats:
    """The log of the value of each trial: effects are changes from level 0 to all others, interactions of changes."""
    found: Floats = np.zeros(len(level))
    for term, size in effects.items():
        column = np.ones(len(level))
        for name in term.split(":"):
            column = column * ((level[:, NAMES.index(name)] > 0) - 0.5)
        found += size * column
    return found


@dataclass(frozen=True)
class Host:
    """What is simulated. spread: of the noise over the order of execution; starts: of a random effect of each start."""

    rule: Rule
    noise: str
    effects: Mapping[str, float]
    rng: np.random.Generator
    spread: float
    starts: float

    def measured(self, cells: Cells, blocks: int, repetitions: int) -> Observed:
        level = np.concatenate([cells[self.rng.permutation(len(cells))] for _ in range(blocks)])
        logs = self.spread * NOISE[self.noise](self.rng, len(level), repetitions)
        logs = logs + truth_of(self.effects, level)[:, None] + self.starts * self.rng.standard_normal(logs.shape)
        return Observed(level, np.repeat(np.arange(blocks), len(cells)), np.arange(len(level)), logs)

    @property
    def variables(self) -> list[Variable]:
        space, numbers = self.rule.space, self.rule.numbers or [None] * len(self.rule.space.names)
        return [
            Variable(name, levels, None if own is None else tuple(range(len(levels))))
            for name, levels, own in zip(space.names, space.levels, numbers, strict=True)
        ]


def repeat(
    rule: Rule,
    noise: str,
    effects: Mapping[str, float] | None = None,
    *,
    repetitions: int = 500,
    orders: int = 10,
    seed: int = 1,
    spread: float = 0.05,
    starts: float = 0.02,
) -> list[Outcome]:
    """Whole campaigns, in so many random orders."""
    host = Host(rule, noise, effects or {}, np.random.default_rng(seed), spread, starts)
    return [one for _ in range(orders) for one in _campaigns(host, repetitions // orders)]


def noise_within_blocks(rule: Rule, noise: str, spread: float = 0.05, starts: float = 0.02) -> float:
    """What an earlier campaign would say of the noise of single trials: within blocks of the first design."""
    host = Host(rule, noise, {}, np.random.default_rng(99), spread, starts)
    of = host.measured(rule.first_cells(), 20, 50)
    by_block = of.logs.reshape(20, -1, of.logs.shape[1])
    return float(np.sqrt(by_block.var(axis=1, ddof=1).mean()))


def _campaigns(host: Host, count: int) -> list[Outcome]:
    rule = host.rule
    names = rule.space.names
    cells = rule.first_cells()
    made = model(host.variables, host.measured(cells, rule.first_blocks, count))
    assert made is not None
    terms, decided = _claims(made, rule.margin)
    seen = of_model(made, "")

    def has_room(kept: Collection[str]) -> bool:
        return rule.second_cells(frozenset(kept)) is not None

    outcomes = []
    by_kept: dict[frozenset[str], list[Outcome]] = defaultdict(list)
    for number, claimed in enumerate(decided):
        found = screened(names, [one[number] for one in seen], rule.margin, has_room)
        kept = frozenset(one.factor for one in found if one.why.kept)
        outcome = Outcome(kept, frozenset(names) - kept, trials=len(cells) * rule.first_blocks)
        outcome.first = _with(terms, claimed, Influence.INFLUENCE)
        outcome.first_none = _all(terms, claimed, Influence.NONE)
        outcomes.append(outcome)
        by_kept[kept].append(outcome)
    for kept, some in by_kept.items():
        if kept:
            _second(host, kept, some)
    return outcomes


def _second(host: Host, kept: frozenset[str], outcomes: Sequence[Outcome]) -> None:
    found = host.rule.second_cells(kept)
    assert found is not None
    cells, promised = found
    blocks = host.rule.second_blocks(len(cells))
    of = host.measured(cells, blocks, len(outcomes))
    at = [number for number, name in enumerate(host.rule.space.names) if name in kept]
    variables = [host.variables[one] for one in at]
    made = model(variables, Observed(of.level[:, at], of.block, of.order, of.logs), promised)
    assert made is not None
    terms, decided = _claims(made, host.rule.margin)
    low, high = interval(made.fit.contrasts([one.weights for term in made.spans for one in made.asked(term)]))
    dropped = [name for name in host.rule.space.names if name not in kept]
    for number, (outcome, claimed) in enumerate(zip(outcomes, decided, strict=True)):
        outcome.trials += len(cells) * blocks
        outcome.second = _with(terms, claimed, Influence.INFLUENCE)
        outcome.second_none = _all(terms, claimed, Influence.NONE)
        for row, name in enumerate(terms):
            truth = host.effects.get(name, 0.0)
            if ":" not in name:  # the dropped ones stay at level 0
                pairs = [":".join(sorted((name, other))) for other in dropped]
                truth -= 0.5 * sum(host.effects.get(pair, 0.0) for pair in pairs)
            outcome.covered.append(bool(low[row, number] <= truth <= high[row, number]))


def _claims(made: Model, margin: float) -> tuple[list[str], list[list[Claim]]]:
    asked = [one for term in made.spans for one in made.asked(term)]
    estimates = made.fit.contrasts([one.weights for one in asked])
    zero, none = p_of_zero(estimates), p_of_none(estimates, margin)
    share = AlphaFactors(claims=SHARE)
    names = [made.name(one.term) for one in asked]
    return names, [claims(zero[:, r], none[:, r], share) for r in range(zero.shape[1])]


def _with(names: Sequence[str], decided: Sequence[Claim], verdict: Influence) -> set[str]:
    """Terms of which any contrast has the verdict."""
    return {name for name, claim in zip(names, decided, strict=True) if claim.verdict is verdict}


def _all(names: Sequence[str], decided: Sequence[Claim], verdict: Influence) -> set[str]:
    """Terms of which all contrasts have the verdict."""
    return set(names) - {name for name, claim in zip(names, decided, strict=True) if claim.verdict is not verdict}
