"""How much is counted between moments."""

from __future__ import annotations

from virtometer.runner.watch.counts import Piece, passed

ONE, OTHER = ("guest", 0), ("cpu", 3)


def test_what_pieces_have_is_added_by_their_shares() -> None:
    first, last = {ONE: 100.0, OTHER: 1.0}, {ONE: 300.0, OTHER: 5.0}
    assert passed([(first, last, 1.0), (last, {ONE: 310.0, OTHER: 5.0}, 0.5)]) == {ONE: 205.0, OTHER: 4.0}
    assert passed([(first, last, 0.25)]) == {ONE: 50.0, OTHER: 1.0}
    assert passed([]) == {}


def test_what_is_unknown_at_one_end_is_missing_and_not_zero() -> None:
    pieces: list[Piece] = [
        ({ONE: 1.0, OTHER: 1.0}, {ONE: 2.0, OTHER: 2.0}, 1.0),
        ({OTHER: 5.0}, {ONE: 9.0, OTHER: 6.0}, 1.0),
    ]
    assert passed(pieces) == {OTHER: 2.0}
