"""What a page consists of."""

from __future__ import annotations

from virtometer.report.parts.section import some


def test_what_is_not_there_is_left_out() -> None:
    assert some("a", None, "") == ["a", ""]
    assert some(None) == []
