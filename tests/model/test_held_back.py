"""How often a quota has held a guest back, in words and back."""

from __future__ import annotations

import pytest

from virtometer.model.held_back import held_back, held_back_share


@pytest.mark.parametrize(
    ("text", "share"), [(held_back((3, 12)), 0.25), (held_back((0, 0)), None), ("", None), ("a of b periods", None)]
)
def test_the_condition_has_the_share(text: str, share: float | None) -> None:
    assert held_back_share(text) == share
