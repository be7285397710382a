"""Shares that are given as options: 0.05 or 5%."""

from __future__ import annotations


def share_option(name: str, text: str) -> float:
    """A share as a fraction. Raises UsageError, with the option's `name`, for what is none between 0 and 1."""
    from virtometer.errors import UsageError
    from virtometer.model import parse_share

    try:
        share = float(str(parse_share(text) if text.endswith("%") else text))
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise UsageError(f"{name} is {text}, but must be more than 0 and less than 1", advice="write 0.05 or 5%")
    return share
