"""Times as options."""

from __future__ import annotations

import pytest

from virtometer.cli.times import seconds_option
from virtometer.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("5m", 300), ("1h30m", 5400), ("1h", 3600), ("2m30s", 150), ("0.5s", 0.5), (" 5m ", 300)],
)
def test_a_time_is_read(text: str, seconds: float) -> None:
    assert seconds_option("--budget", text) == seconds


@pytest.mark.parametrize(
    "text", ["", "0", "0m", "-5m", "five", "5 m", "5d", "nan", "inf", "1e9", "99999999999s", "5m5m"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--budget is .*, but must be a time of more than 0"):
        seconds_option("--budget", text)
