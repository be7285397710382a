"""What is counted from some start on, by name, and how much of it passes in stretches of time. PURE."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

Key = tuple[Hashable, ...]
Counts = Mapping[Key, float]
"""What was counted until a moment. What cannot be read is missing, and is never taken for 0."""

Piece = tuple[Counts, Counts, float]
"""The counts at two moments, and how many times as much as between them is meant."""


def passed(pieces: Sequence[Piece]) -> Counts:
    """How much was counted in these pieces in total. A count that is unknown at one of their ends is missing."""
    known = set[Key](pieces[0][0]) if pieces else set[Key]()
    for first, last, _ in pieces:
        known &= first.keys() & last.keys()
    return {key: math.fsum((last[key] - first[key]) * share for first, last, share in pieces) for key in known}
