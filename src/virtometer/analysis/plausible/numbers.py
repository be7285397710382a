"""The text of a cell becomes a number, with the digits that stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from virtometer.analysis.plausible.grid import Printed

LARGEST = 1e100
"""Larger numbers, and smaller ones than its reciprocal, are no measurement; their products would overflow."""

_MISSING = frozenset(
    {"", "-", "–", "—", "--", "n/a", "na", "nan", "none", "null", "?", "...", "…", "unreadable", "dash", "x"}
)
_MOST_CHARACTERS = 100
_PLAIN = re.compile(r"-?\d{1,15}(?:\.(\d{1,15}))?", re.ASCII)
_NUMBER = r"[-+−]?(?:\d{1,3}(?:[ '’\u00a0\u202f]\d{3})+|\d+)?(?:[.,]\d+)*(?:[eE][-+]?\d+)?"
_WHOLE = re.compile(
    rf"^(?:about|ca\.?|~|≈|<=|>=|<|>|≤|≥)?\s*(?P<low>{_NUMBER})"
    rf"(?:\s*(?:-|–|—|\.\.\.?|…|to)\s*(?P<high>{_NUMBER}))?"
    rf"(?:\s*(?:±|\+/-|\+-)\s*(?P<within>{_NUMBER}))?\s*(?P<unit>%|[^\W\d_][\w/%*()·^-]*)?\s*\*{{0,2}}$",
)


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no number."""
    return text.strip().casefold() in _MISSING


def parsed(text: str, *, comma: bool) -> Printed | None:
    """The number of a cell; None where it has none. comma: whether a comma is the decimal point."""
    text = text.strip()
    if plain := None if comma else _PLAIN.fullmatch(text):
        return Printed(text, float(text), 10.0 ** -len(plain[1] or ""))
    found = _WHOLE.match(text) if len(text) <= _MOST_CHARACTERS else None
    if found is None or is_missing(text) or not any(char.isdigit() for char in found["low"]):
        return None
    low = _value(found["low"], comma=comma)
    high = _value(found["high"], comma=comma) if found["high"] else None
    if low is None or (found["high"] and high is None):
        return None
    value, step = low
    return Printed(text, value, step, None if high is None else high[0])


def _value(text: str, *, comma: bool) -> tuple[float, float] | None:
    """Value, and one unit of the last digit."""
    plain = re.sub(r"[ '’\u00a0\u202f]", "", text).replace("−", "-")
    if comma:
        plain = plain.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    else:
        plain = plain.replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return None
    if abs(value) > LARGEST or 0 < abs(value) < 1 / LARGEST:
        return None
    mantissa, _, exponent = plain.lower().partition("e")
    power = int(exponent or 0) if len(exponent) < 5 else 0
    decimals = len(mantissa.partition(".")[2])
    return value, 10.0 ** max(-200, min(200, power - decimals))


def too_large(text: str) -> bool:
    """Whether a text is a number, but one that nothing here calculates with."""
    try:
        value = abs(float(text.replace("−", "-")))
    except ValueError:
        return False
    return value > LARGEST or 0 < value < 1 / LARGEST


def decimal_comma(fields: Iterable[str]) -> bool:
    """Whether commas are decimal points: some stand as nothing else can, and no point does."""
    sure = points = three = long = False
    for field in fields:
        if "," in field and any(char.isdigit() for char in field):
            sure = sure or bool(re.search(r"\d,\d{1,2}(?!\d)|\d,\d{4,}|(?<!\d)0,\d", field))
            three = three or bool(re.search(r"^\W*\d+,\d{3}\W*$", field))
            long = long or bool(re.search(r"\d{4,},\d{3}", field))
        if "." in field:
            points = points or bool(re.search(r"\d\.\d{1,2}(?!\d)|\d\.\d{4,}|(?<!\d)0\.\d|,\d{3}\.\d", field))
    return sure and not points if sure or points else three and long
