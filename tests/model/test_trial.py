"""Trials of placements: what identifies a placement and a guest."""

from __future__ import annotations

import pytest

from tests.sentences import Said
from virtometer.model import GuestKey, Placement, Trial


def trial(*placements: Placement) -> Trial:
    return Trial(0, 0, 0, 0, placements)


@pytest.mark.parametrize("ordinals", [[1], [0, 0], [1, 0], [0, 2], [0, 1, 1]])
def test_placements_that_are_not_in_order_are_refused(ordinals: list[int]) -> None:
    with pytest.raises(ValueError, match="placements are not numbered in their order"):
        trial(*(Placement("native", "w", ordinal=ordinal) for ordinal in ordinals))


@pytest.mark.parametrize("uses", [(1,), (2,), (7,), (0, 2)], ids=str)
def test_what_is_used_is_a_service_of_the_same_trial(said: Said, uses: tuple[int, ...]) -> None:
    service = Placement("runc", "w", "service", guest=2)
    placements = (service, Placement("runc", "w", ordinal=1, uses=uses), Placement("runc", "w", "load", ordinal=2))
    with pytest.raises(ValueError, match="with the role service") as caught:
        trial(*placements)
    said(str(caught.value))
    assert trial(service, Placement("runc", "w", ordinal=1, uses=(0,))).placements[1].uses == (0,)


def test_each_guest_is_named_once_in_the_order_of_the_placements() -> None:
    of = trial(
        Placement("runc", "a", guest=2),
        Placement("native", "a", ordinal=1),
        Placement("runc", "b", "load", guest=2, ordinal=2),
        Placement("runc", "b", "load", guest=1, ordinal=3),
    )
    assert of.guests == (GuestKey("runc", 2), GuestKey("native", 1), GuestKey("runc", 1))
