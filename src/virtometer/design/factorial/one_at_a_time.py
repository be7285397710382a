"""One factor at a time: for the same precision it takes several times as many trials as a fraction. PURE."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.design.factorial.choice import OneStage
from virtometer.design.factorial.space import Cell, Space, Term, ordered
from virtometer.model import Design


class OneAtATime(OneStage):
    """The reference, and it with one factor changed to each of its other levels."""

    name = "one at a time"
    meaning = "the reference with one factor changed"

    def cells(self, space: Space, design: Design, terms: Sequence[Term]) -> Sequence[Cell]:
        """The reference, then the others in the order of the plan."""
        changed = (
            (*space.references[:factor], level, *space.references[factor + 1 :])
            for factor, size in enumerate(space.sizes)
            for level in range(size)
        )
        return ordered(changed, space.references)
