"""A cell that the rules of plausibility call impossible: as JSON, and the words of its fields."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from virtometer.analysis.plausible.check import Implausible

_MOST_NAMED = 3


def implausible_object(one: Implausible) -> dict[str, Any]:
    """The cell as JSON. column is empty for a whole row, expected null where arithmetic does not say.

    others: cells of which one may be wrong instead.
    """
    return {
        "table": one.table,
        "row": one.row,
        "column": one.column,
        "rule": one.rule,
        "reason": one.reason,
        "value": one.value,
        "printed": one.printed,
        "expected": expected(one),
        "others": [{"table": table, "row": row, "column": column} for table, row, column in one.others],
    }


def expected(one: Implausible) -> float | None:
    """What is expected, with as many digits as are printed: 22.3 where 22.29999999999999 was calculated for 223.

    What another table prints has its own digits.
    """
    value = one.expected
    if value is None or value == 0 or not math.isfinite(value) or _elsewhere(one):
        return value
    number = re.match(r"[^\d]*(\d[\d.,'’ ]*)", one.printed)
    digits = len(re.sub(r"\D", "", number[1]).lstrip("0")) if number else 15
    after_point = digits - 1 - math.floor(math.log10(abs(value)))
    return round(value, max(len(one.expected_text.partition(".")[2]), after_point, 0))


def expected_words(one: Implausible) -> str:
    """The same in digits; empty where arithmetic does not say."""
    value = expected(one)
    if value is None:
        return ""
    try:
        same = float(one.expected_text) == value
    except ValueError:
        same = False
    return one.expected_text if same else repr(value).removesuffix(".0")


def reason_words(one: Implausible) -> str:
    """The reason, then up to three cells of which one may be wrong instead."""
    if not one.others:
        return one.reason
    if _elsewhere(one):
        return f"{one.reason}, which may be wrong instead"
    named = [f"{row}, {column}" for _, row, column in one.others[:_MOST_NAMED]]
    more = len(one.others) - len(named)
    words = "; ".join([*named, *([f"{more} more"] if more else [])])
    return f"{one.reason}; or {words} may be wrong"


def _elsewhere(one: Implausible) -> bool:
    """Whether another table contradicts the cell. The reason names its cell then."""
    return one.rule == "contradiction" and any(table != one.table for table, _, _ in one.others)
