"""What a second stage says of itself."""

from __future__ import annotations

from virtometer.model import FollowUp, Screened, Why


def test_factors_are_kept_for_their_effects_and_interactions_alone() -> None:
    assert [why for why in Why if why.kept] == [Why.MATTERS, Why.INTERACTION]
    of = FollowUp(tuple(Screened(why.name, why, "calls", "b", -1.0, 2.0) for why in Why))
    assert of.kept == ("MATTERS", "INTERACTION")
    assert not of.cells
