"""Definitive screening designs: many factors with three numeric levels, in 2m + 1 cells. PURE.

With a conference matrix C of the even order m >= k (zeros on the diagonal, 1 and -1 elsewhere, C C' = (m - 1) I) the
cells are the rows of C, those of -C and the centre; k of the columns are used. Main effects are free of each other, of
all interactions of two factors and of all curvatures. Conference matrices are made as Paley did: of the squares of a
finite field with q = m - 1 elements, q an odd prime or 9.

Source: Jones, Nachtsheim: A class of three-level designs for definitive screening, Journal of Quality Technology 43
(2011); Xiao, Lin, Bai: Constructing definitive screening designs using conference matrices, the same 44 (2012); Paley:
On orthogonal matrices, Journal of Mathematics and Physics 12 (1933). `conference` checks what it made.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from virtometer.design.factorial.choice import DesignError, OneStage
from virtometer.design.factorial.space import Cell, Space, Term, ordered
from virtometer.model import Design

ORDERS = (4, 6, 8, 10, 12, 14, 18)
"""Of the conference matrices that are made here."""


class Screening(OneStage):
    """The definitive screening design of three to eighteen factors."""

    name = "screening"
    meaning = "the definitive one of three numeric levels"
    centred = True

    def cells(self, space: Space, design: Design, terms: Sequence[Term]) -> Sequence[Cell]:
        """The cells of `screening`."""
        if any(size != 3 for size in space.sizes):
            wrong = next(name for name, size in zip(space.names, space.sizes, strict=True) if size != 3)
            raise DesignError(
                f"screening has factors of three numeric levels, low to high: '{wrong}' has others", "type"
            )
        if not 3 <= len(space.names) <= ORDERS[-1]:
            raise DesignError(f"screening has 3 to {ORDERS[-1]} factors, and the plan has {len(space.names)}", "type")
        return ordered(screening(len(space.names)), space.references)


def screening(factors: int) -> list[Cell]:
    """The cells: 0 is the low level of a factor, 1 the middle, 2 the high one; the centre is the first.

    Raises ValueError for more factors than the largest matrix has columns.
    """
    order = next((one for one in ORDERS if one >= factors), None)
    if order is None:
        raise ValueError(f"definitive screening has at most {ORDERS[-1]} factors here")
    rows = [row[:factors] for row in conference(order)]
    signs = [(0,) * factors, *rows, *(tuple(-one for one in row) for row in rows)]
    return [tuple(one + 1 for one in row) for row in signs]


def conference(order: int) -> list[tuple[int, ...]]:
    """A conference matrix of this order. Raises ValueError where none is known here."""
    if order not in ORDERS:
        raise ValueError(f"no conference matrix of the order {order}")
    elements, difference, squares = _field(order - 1)
    symbol = {one: 0 if one == elements[0] else 1 if one in squares else -1 for one in elements}
    # With q = 3 modulo 4 the field's matrix is skew, and so is the border.
    below = 1 if (order - 1) % 4 == 1 else -1
    matrix = [(0, *[1] * (order - 1))]
    matrix += [(below, *(symbol[difference(one, other)] for other in elements)) for one in elements]
    for (at, one), (to, other) in itertools.product(enumerate(matrix), repeat=2):
        product = sum(a * b for a, b in zip(one, other, strict=True))
        if product != (order - 1 if at == to else 0) or (one[to] == 0) != (at == to):
            raise ValueError(f"the matrix of the order {order} is no conference matrix")
    return matrix


_Element = tuple[int, int]
_Difference = Callable[[_Element, _Element], _Element]


def _field(size: int) -> tuple[list[_Element], _Difference, set[_Element]]:
    """The elements of a finite field, 0 first, the difference of two, and the squares of all but 0.

    An element a + bi is (a, b). Of a prime size b is 0; of the size 9 i^2 = -1, modulo 3.
    """
    prime, second = (3, 3) if size == 9 else (size, 1)
    elements = [(a, b) for b in range(second) for a in range(prime)]

    def difference(one: _Element, other: _Element) -> _Element:
        return ((one[0] - other[0]) % prime, (one[1] - other[1]) % prime)

    squares = {((a * a - b * b) % prime, 2 * a * b % prime) for a, b in elements if (a, b) != (0, 0)}
    return elements, difference, squares
