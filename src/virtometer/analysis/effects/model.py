"""The model of one metric: which terms it has, its fit, and the contrasts that are reported of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.effects import fit
from virtometer.analysis.effects.aliases import Separation, separate
from virtometer.analysis.effects.coding import Coded, Term, coded, main_contrast, name_of, pair_contrast
from virtometer.analysis.effects.fit import Fit
from virtometer.analysis.effects.table import Experiment, Floats, Observed, Response, Variable, observed

Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A contrast of a term, with its weights over all columns of the model."""

    term: Term
    level: Levels
    against: Levels
    weights: Floats


@dataclass(frozen=True, slots=True)
class Model:
    """The fitted model of an experiment. spans: columns of each kept term. x: N x P."""

    variables: Sequence[Variable]
    observed: Observed
    terms: Mapping[Term, Coded]
    separation: Separation
    spans: Mapping[Term, range]
    x: Floats
    fit: Fit

    def name(self, term: Term) -> str:
        """`bus`, or `bus:cache`."""
        return name_of(term, self.variables)

    def reference(self, factor: int) -> int:
        """The level that the others of a factor are compared with: the first that ran."""
        return min(level for (level,) in self.terms[factor,].rows)

    def asked(self, term: Term) -> list[Asked]:
        """The contrasts of a kept term, each level against the reference."""
        of = self.terms[term]
        against = tuple(self.reference(one) for one in term)
        found = []
        for level in _levels(of, against):
            if len(term) == 1:
                found.append(Asked(term, level, against, self._main(term[0], level[0], against[0])))
                continue
            weights = pair_contrast(of, (level[0], level[1]), (against[0], against[1]))
            if weights is not None and float(np.abs(weights).max(initial=0.0)) > 0:
                found.append(Asked(term, level, against, self.padded({term: weights})))
        return found

    def _main(self, factor: int, level: int, against: int) -> Floats:
        """A level against another one, averaged over the levels of each other factor with which both ran."""
        parts: dict[Term, Floats] = {(factor,): main_contrast(self.terms[factor,], level, against)}
        for term in self.spans:
            of = self.terms[term]
            if len(term) == 1 or factor not in term or not of.absent:
                continue
            own, other = (0, 1) if term[0] == factor else (1, 0)
            mine = {pair[other]: row for pair, row in of.rows.items() if pair[own] == level}
            theirs = {pair[other]: row for pair, row in of.rows.items() if pair[own] == against}
            if both := sorted(mine.keys() & theirs.keys()):
                parts[term] = np.mean([mine[one] - theirs[one] for one in both], axis=0)
        return self.padded(parts)

    def setting(self, to: Mapping[int, int], from_: Mapping[int, int]) -> Floats | None:
        """The change from levels of some factors to others, averaged over the factors that are not named.

        None where a combination of two of them never ran.
        """
        parts: dict[Term, Floats] = {}
        for term in self.spans:
            if not set(term) <= to.keys():
                continue
            rows = self.terms[term].rows
            high, low = tuple(to[one] for one in term), tuple(from_[one] for one in term)
            if high not in rows or low not in rows:
                return None
            parts[term] = rows[high] - rows[low]
        if any(pair not in self._ran(term) for term, pair in _pairs(to)):
            return None
        return self.padded(parts)

    def padded(self, parts: Mapping[Term, Floats]) -> Floats:
        """Weights of terms over all columns of the model."""
        found = np.zeros(self.x.shape[1])
        for term, weights in parts.items():
            span = self.spans[term]
            found[span.start : span.stop] = weights
        return found

    def _ran(self, term: Term) -> Mapping[tuple[int, ...], Floats]:
        return self.terms[term].rows if term in self.terms else {}


def _pairs(to: Mapping[int, int]) -> list[tuple[Term, Levels]]:
    return [((a, b), (to[a], to[b])) for a, b in itertools.combinations(sorted(to), 2)]


def _levels(of: Coded, against: Levels) -> list[Levels]:
    """The levels of a term's factors, none of them the reference; of an interaction of linear parts the ends alone."""
    found = [level for level in of.rows if all(a != b for a, b in zip(level, against, strict=True))]
    if len(of.term) == 2 and found and of.width < len(found):
        far = {level: float(np.abs(of.rows[level] - of.rows[against]).sum()) for level in found if against in of.rows}
        if of.width == 1 and far:
            return [max(far, key=lambda level: far[level])]
    return found


def model_of(of: Experiment, response: Response) -> Model | None:
    """The model of one response of an experiment, with the terms that it promises; None as `model`."""
    return model(of.variables, observed(of.variables, response).averaged(), sorted(of.promised))


def models(of: Experiment) -> Iterator[tuple[str, Model]]:
    """The metrics that are to be made best and have a model, with it."""
    for response in of.responses:
        if not response.beside and (made := model_of(of, response)) is not None:
            yield response.metric, made


def model(variables: Sequence[Variable], observed: Observed, promised: Sequence[str] = ()) -> Model | None:
    """Fit the terms that can be told apart. None where there is no trial, or no factor with two levels that ran."""
    if len(observed.level) < 2 or not variables:
        return None
    terms = {one.term: one for one in coded(variables, observed.level)}
    columns = {term: one.columns(observed.level) for term, one in terms.items()}
    centred = {term: fit.within(observed.block, one) for term, one in columns.items()}
    wished = {term for term in terms if name_of(term, variables) in promised}
    separation = separate(list(terms.values()), centred, wished)
    if not separation.kept:
        return None
    spans, at = {}, 0
    for term in separation.kept:
        spans[term] = range(at, at + terms[term].width)
        at += terms[term].width
    x = np.concatenate([columns[term] for term in separation.kept], axis=1)
    return Model(variables, observed, terms, separation, spans, x, fit.fit(observed, x))
