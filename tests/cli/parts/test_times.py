"""Times as options."""

from __future__ import annotations

import pytest

from virtometer.cli.parts.times import seconds_option, time_words
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


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 seconds"), (89.4, "89 seconds"), (90, "2 minutes"), (7100, "118 minutes"), (7200, "2 h 00 min")],
)
def test_a_time_in_words(seconds: float, words: str) -> None:
    assert time_words(seconds) == words
