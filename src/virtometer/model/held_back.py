"""How often a quota of processor time has held a guest back, as a condition of its runs. PURE."""

from __future__ import annotations

HELD_BACK = "held_back_by_quota"
"""The condition of a run: `12 of 15 periods`, of all that its guest has had so far."""


def held_back(periods: tuple[int, int]) -> str:
    """As the condition has it."""
    return f"{periods[0]} of {periods[1]} periods"


def held_back_share(condition: str) -> float | None:
    """The share of such a condition; None of another text, and of no periods."""
    words = condition.split()
    if len(words) != 4 or not (words[0].isdecimal() and words[2].isdecimal()) or int(words[2]) == 0:
        return None
    return int(words[0]) / int(words[2])
