"""Times that are given as options: 90, 90s, 5m, 1h30m; and times in words."""

from __future__ import annotations

import re

_TIME = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,8}(?:\.\d{1,3})?)s?)?", re.ASCII)


def seconds_option(name: str, text: str) -> float:
    """Seconds, more than 0. Raises UsageError, with the option's `name`, for what is no such time."""
    from virtometer.errors import UsageError

    found = _TIME.fullmatch(text.strip())
    hours, minutes, seconds = (float(part or 0) for part in found.groups()) if found else (0.0, 0.0, 0.0)
    total = hours * 3600 + minutes * 60 + seconds
    if not 0 < total <= 10_000_000:
        raise UsageError(f"{name} is {text}, but must be a time of more than 0", advice="write 300, 90s, 5m or 1h30m")
    return total


def time_words(seconds: float) -> str:
    """A length of time in words, to the minute or second."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02} min"
