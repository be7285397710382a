"""All combinations of levels. PURE.

Source: R. A. Fisher: The Design of Experiments, 1935.
"""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.design.factorial.choice import OneStage, too_many
from virtometer.design.factorial.space import MAX_CANDIDATES, Cell, Space, Term, ordered
from virtometer.model import Design


class Full(OneStage):
    """All combinations that the constraints allow."""

    name = "full"
    meaning = "every combination"
    finds_pairs = True

    def cells(self, space: Space, design: Design, terms: Sequence[Term]) -> Sequence[Cell]:
        """All cells. Raises DesignError where there are too many to look at."""
        if space.size > MAX_CANDIDATES:
            raise too_many(space.size, design)
        return ordered(space.cells(), space.references)
