"""Shares as options."""

from __future__ import annotations

import pytest

from virtometer.cli.parts.shares import share_option
from virtometer.errors import UsageError


@pytest.mark.parametrize(("text", "share"), [("0.05", 0.05), ("5%", 0.05), ("5 %", 0.05), ("99.9%", 0.999)])
def test_a_share_is_a_number_or_a_percentage(text: str, share: float) -> None:
    assert share_option("--margin", text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["0", "1", "100%", "5", "-1", "some", "", "nan", "inf", "1e999"])
def test_what_is_no_share_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError, match=r"--margin is .*, but must be more than 0 and less than 1"):
        share_option("--margin", text)
