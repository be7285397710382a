"""How much is counted between moments."""

from __future__ import annotations

from virtometer.runner.watch.counts import Counts, passed

ONE, OTHER = ("guest", 0), ("cpu", 3)


def counts(one: float | None, other: float) -> Counts:
    return {OTHER: other} if one is None else {ONE: one, OTHER: other}


def test_what_pieces_have_is_added_by_their_shares() -> None:
    first, last, later = counts(100, 1), counts(300, 5), counts(310, 5)
    assert passed([(first, last, 1.0), (last, later, 0.5)]) == counts(205, 4)
    assert passed([(first, last, 0.25)]) == counts(50, 1)
    assert passed([]) == {}


def test_what_is_unknown_at_one_end_is_missing_and_not_zero() -> None:
    pieces = [(counts(1, 1), counts(2, 2), 1.0), (counts(None, 5), counts(9, 6), 1.0)]
    assert passed(pieces) == counts(None, 2)
