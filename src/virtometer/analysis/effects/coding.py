"""Columns of the model: main effects and two-factor interactions, coded so that a main effect is an average.

Deviation coding: the effects of the levels of a factor sum to 0, so that a main effect is the mean over the levels of
the other factors, and an interaction what is left. Where combinations of two factors never ran, their interaction is
what an additive description leaves over of the combinations that did.
R. N. Cardinal, M. R. F. Aitken, "ANOVA for the behavioural sciences researcher" (2006), section 7 for the coding.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.effects.table import Floats, Integers, Variable

Term = tuple[int, ...]
"""Numbers of one factor or two."""

_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Coded:
    """One term. rows: what each combination of levels of its factors has in its columns.

    absent: the combinations of two factors that never ran.
    """

    term: Term
    rows: Mapping[tuple[int, ...], Floats]
    absent: tuple[tuple[int, int], ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(next(iter(self.rows.values())))

    def columns(self, level: Integers) -> Floats:
        """N x width."""
        if not self.width:
            return np.zeros((len(level), 0))
        pairs, which = np.unique(level[:, list(self.term)], axis=0, return_inverse=True)
        table = np.stack([self.rows[tuple(int(one) for one in pair)] for pair in pairs])
        found: Floats = table[which.reshape(-1)]
        return found


def name_of(term: Term, variables: Sequence[Variable]) -> str:
    """`bus`, or `bus:cache`."""
    return ":".join(variables[one].name for one in term)


def coded(variables: Sequence[Variable], level: Integers) -> list[Coded]:
    """All main effects, then all two-factor interactions. Factors with one level that ran have no column.

    Interactions of ordered factors with more than two levels are of their linear parts alone, where there are fewer
    combinations of levels than columns.
    """
    present = [sorted({int(one) for one in level[:, at]}) for at in range(len(variables))]
    mains = [_main(at, present[at]) for at in range(len(variables))]
    pairs = list(itertools.combinations(range(len(variables)), 2))
    widths = [one.width for one in mains]
    wanted = 1 + sum(widths) + sum(widths[a] * widths[b] for a, b in pairs)
    short = len(np.unique(level, axis=0)) < wanted
    inner = [
        _linear(variables[at], at, present[at]) if short and _is_numeric(variables[at], present[at]) else mains[at]
        for at in range(len(variables))
    ]
    return [*mains, *(_pair(inner[a], inner[b], mains[a], mains[b], level) for a, b in pairs)]


def _is_numeric(of: Variable, present: Sequence[int]) -> bool:
    return of.ordered is not None and len(present) > 2


def _main(at: int, present: Sequence[int]) -> Coded:
    """The first level that ran has -1 in each column."""
    width = len(present) - 1
    unit = np.eye(width)
    rows: dict[tuple[int, ...], Floats] = {
        (level,): unit[place - 1] if place else -np.ones(width) for place, level in enumerate(present)
    }
    return Coded((at,), rows)


def _linear(of: Variable, at: int, present: Sequence[int]) -> Coded:
    assert of.ordered is not None
    ranks = [of.ordered[level] for level in present]
    middle, half = (max(ranks) + min(ranks)) / 2, (max(ranks) - min(ranks)) / 2
    return Coded((at,), {(level,): np.array([(of.ordered[level] - middle) / half]) for level in present})


def _pair(a: Coded, b: Coded, main_a: Coded, main_b: Coded, level: Integers) -> Coded:
    term = (a.term[0], b.term[0])
    ran = sorted({(int(one), int(other)) for one, other in np.unique(level[:, list(term)], axis=0)})
    grid = [(one, other) for (one,) in a.rows for (other,) in b.rows]
    rows: dict[tuple[int, ...], Floats] = {
        pair: np.outer(a.rows[pair[:1]], b.rows[pair[1:]]).reshape(-1) for pair in ran
    }
    absent = tuple(pair for pair in grid if pair not in rows)
    if not absent or not rows[ran[0]].size:
        return Coded(term, rows, absent)
    products = np.stack([rows[pair] for pair in ran])
    additive = np.stack([np.concatenate([[1.0], main_a.rows[pair[:1]], main_b.rows[pair[1:]]]) for pair in ran])
    left = products - additive @ np.linalg.lstsq(additive, products, rcond=None)[0]
    u, size, _ = np.linalg.svd(left, full_matrices=False)
    kept = u[:, size > _TINY] * np.sqrt(len(ran))
    return Coded(term, {pair: kept[place] for place, pair in enumerate(ran)}, absent)


def main_contrast(of: Coded, level: int, reference: int) -> Floats:
    """A level against another one, over the term's columns."""
    found: Floats = of.rows[level,] - of.rows[reference,]
    return found


def pair_contrast(of: Coded, level: tuple[int, int], reference: tuple[int, int]) -> Floats | None:
    """By how much the effect of the first factor differs between the levels of the second; None: one never ran."""
    corners = (level, (level[0], reference[1]), (reference[0], level[1]), reference)
    if any(one not in of.rows for one in corners):
        return None
    high, left, right, low = (of.rows[one] for one in corners)
    found: Floats = high - left - right + low
    return found
