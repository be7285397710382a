"""A value that a command prints, found by a regular expression in the end of its output. PURE."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.errors import UsageError
from virtometer.model import Better
from virtometer.workloads.base import Reading

LONGEST_PATTERN = 200
"""Characters of a regular expression."""

_GROUP = "value"  # by name, where there is such a group
_LONGEST_UNIT = 16
_UNIT = re.compile(r"[^\W_][\w/%.·*^-]*|%")
_FACTORS: Mapping[str, float] = {
    "": 1.0, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40,
}  # fmt: skip
_NUMBER = re.compile(
    r"\s*([+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,4})?)\s*([A-Za-zµ]{0,2})\s*"
)


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """What of an output is the result of a run, with its unit and direction. ValueError for what cannot be that."""

    pattern: str
    unit: str
    better: Better

    def __post_init__(self) -> None:
        """Every fault is one sentence without its end."""
        if len(self.pattern) > LONGEST_PATTERN:
            raise ValueError(f"the regular expression is longer than {LONGEST_PATTERN} characters")
        try:
            re.compile(self.pattern, re.MULTILINE)
        except (re.error, OverflowError, RecursionError) as cause:
            raise ValueError(f"{self.pattern!r} is no regular expression: {cause}") from cause
        if len(self.unit) > _LONGEST_UNIT or not _UNIT.fullmatch(self.unit):
            raise ValueError(f"{self.unit!r} is no unit, such as MB/s, with {_LONGEST_UNIT} characters at most")

    def read(self, output: str) -> Reading:
        """The value of the last match: of the group `value`, else of the first group, else of all of the match.

        Raises UsageError where there is no match, no number, or a number that no ratio can be made of.
        """
        last = None
        for found in re.finditer(self.pattern, output, re.MULTILINE):
            last = found
        if last is None:
            raise UsageError(f"nothing that the command printed matches {self.pattern!r}")
        text = last[_GROUP] if _GROUP in last.re.groupindex else last[1] if last.re.groups else last[0]
        value = number(text or "")
        if value is None:
            raise UsageError(f"the command printed {(text or '')[:60]!r} as its value, which is no number")
        if value <= 0:
            raise UsageError(f"the command printed {value:g} as its value, and ratios need values above 0")
        try:
            return Reading(value, None)
        except ValueError as cause:
            raise UsageError(f"the command printed {value:g} as its value, a number that cannot be") from cause


def number(text: str) -> float | None:
    """A decimal number with a point, perhaps with an exponent or a prefix: 1.5, 2e3, 20k, 4 Gi. None for others."""
    found = _NUMBER.fullmatch(text)
    factor = None if found is None else _FACTORS.get(found[2])
    if found is None or factor is None:
        return None
    value = float(found[1]) * factor
    return value if math.isfinite(value) else None
