"""Which effects cannot be told apart: read from the columns of the model themselves, after the blocks are taken out.

Columns that depend on each other linearly have a null space. Its projector is block diagonal over the sets of terms
that are confounded with each other: these are the alias sets of G. E. P. Box, J. S. Hunter, "The 2^(k-p) fractional
factorial designs", Technometrics 3 (1961) 311-351, and their generalisation to any design.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from virtometer.analysis.effects.coding import Coded, Term
from virtometer.analysis.effects.table import Floats

_LINKED = 1e-7
_RANK = 1e-9


@dataclass(frozen=True, slots=True)
class Separation:
    """Which terms the model keeps, and why others are not in it.

    shares: of a kept term those that it is confounded with, and how much of each enters it: 1 is all of it. same:
    whether it is wholly the same as these. lost: terms that have no
    number of their own, with those that they cannot be told from; empty: their columns change only between blocks.
    """

    kept: tuple[Term, ...]
    shares: Mapping[Term, Mapping[Term, float]]
    same: Mapping[Term, bool]
    lost: Mapping[Term, tuple[Term, ...]]

    @property
    def aliases(self) -> dict[Term, tuple[Term, ...]]:
        """Of a kept term those that it is confounded with, wholly (`same`) or in part."""
        return {term: tuple(others) for term, others in self.shares.items()}


def separate(terms: Sequence[Coded], columns: Mapping[Term, Floats], promised: Collection[Term] = ()) -> Separation:
    """Choose what can be told.

    columns: of each term, N x its width, with the means of the blocks taken out. promised: interactions that are kept
    rather than others. Main effects are kept where they can be told from each other; then what they are confounded with
    is named. Of interactions that are wholly the same one stands for all; others that are confounded are lost.
    """
    order = [one.term for one in terms if one.width]
    groups, clean = _groups(order, columns)
    kept, lost = list(clean), {}
    for group in groups:
        mains: list[Term] = [term for term in group if len(term) == 1]
        wished: list[Term] = mains + [term for term in group if len(term) == 2 and term in promised]
        stay: list[Term] = wished if wished and _independent([*clean, *wished], columns) else []
        if not stay and mains:
            stay = mains if _independent([*clean, *mains], columns) else _first_of_chains(mains, clean, columns)
        if not mains and not stay:
            stay = _first_of_chains(group, clean, columns)
        kept += stay
        for term in group:
            if term not in stay:
                lost[term] = tuple(one for one in group if one != term)
    kept.sort(key=order.index)
    shares = _shares(kept, list(lost), columns)
    same = {term: all(_spans(columns[term], columns[one]) for one in others) for term, others in shares.items()}
    shown = {term: others for term, others in lost.items() if not any(term in of for of in shares.values())}
    return Separation(tuple(kept), shares, same, shown)


def _groups(order: Sequence[Term], columns: Mapping[Term, Floats]) -> tuple[list[list[Term]], list[Term]]:
    """The sets of terms that are confounded with each other, and the terms that are with none."""
    if not order:
        return [], []
    matrix, spans = _joined(order, columns)
    null = np.eye(matrix.shape[1]) - _row_space(matrix)
    linked = {a: {b for b in order if float(np.abs(null[np.ix_(spans[a], spans[b])]).max()) > _LINKED} for a in order}
    clean = [term for term in order if not linked[term]]
    groups: list[list[Term]] = []
    seen: set[Term] = set(clean)
    for term in order:
        if term in seen:
            continue
        group, ahead = {term}, [term]
        while ahead:
            for other in linked[ahead.pop()] - group:
                group.add(other)
                ahead.append(other)
        seen |= group
        groups.append([one for one in order if one in group])
    return groups, clean


def _joined(order: Sequence[Term], columns: Mapping[Term, Floats]) -> tuple[Floats, dict[Term, list[int]]]:
    """All columns with length 1, and which of them belong to each term. A column of zeros stays one."""
    spans, at = {}, 0
    for term in order:
        width = columns[term].shape[1]
        spans[term] = list(range(at, at + width))
        at += width
    matrix = np.concatenate([columns[term] for term in order], axis=1)
    size = np.linalg.norm(matrix, axis=0)
    matrix = np.where(size > _RANK, matrix / np.where(size > _RANK, size, 1.0), 0.0)
    return matrix, spans


def _row_space(matrix: Floats) -> Floats:
    gram = matrix.T @ matrix
    values, vectors = np.linalg.eigh(gram)
    used = vectors[:, values > _RANK * max(1.0, float(values[-1]))]
    found: Floats = used @ used.T
    return found


def _rank(matrix: Floats) -> int:
    return int(np.linalg.matrix_rank(matrix, tol=1e-7)) if matrix.size else 0


def _independent(order: Sequence[Term], columns: Mapping[Term, Floats]) -> bool:
    matrix, _ = _joined(order, columns)
    return bool(_rank(matrix) == matrix.shape[1])


def _first_of_chains(group: Sequence[Term], clean: Sequence[Term], columns: Mapping[Term, Floats]) -> list[Term]:
    """Of terms that are wholly the same the first; none of those that are the same only in part."""
    first: list[Term] = []
    for term in group:
        if float(np.linalg.norm(columns[term])) > _RANK and not any(
            _spans(columns[term], columns[one]) for one in first
        ):
            first.append(term)
    return first if first and _independent([*clean, *first], columns) else []


def _spans(one: Floats, other: Floats) -> bool:
    """Whether two terms have the same column space."""
    a, b = _rank(one), _rank(other)
    return bool(a == b == _rank(np.concatenate([one, other], axis=1)))


def _shares(
    kept: Sequence[Term], lost: Sequence[Term], columns: Mapping[Term, Floats]
) -> dict[Term, dict[Term, float]]:
    """Of each kept term the lost ones that would change its estimate: the alias matrix of Box and Hunter.

    With how much of each enters it, as a part of the length of its columns.
    """
    if not kept or not lost:
        return {}
    matrix, spans = _joined(kept, columns)
    found: dict[Term, dict[Term, float]] = {}
    for other in lost:
        loads = np.linalg.lstsq(matrix, columns[other], rcond=None)[0]
        length = float(np.linalg.norm(columns[other]))
        for term in kept:
            if float(np.abs(loads[spans[term]]).max()) > 1e-6 * max(1.0, length):
                entering = float(np.linalg.norm(matrix[:, spans[term]] @ loads[spans[term]]))
                found.setdefault(term, {})[other] = entering / length if length > 0 else 0.0
    return found
