"""Slips of a single number: its decimal point, unit, digits or sign."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from virtometer.analysis.plausible.grid import Printed

_DIGITS = re.compile(r"(?P<digits>\d(?:[\d.,' ’\u00a0\u202f]*\d)?)(?P<exponent>[eE][-+]?\d)?")
_FACTORS = {10.0: "", 100.0: "", 1000.0: "", 10000.0: "", 1024.0: " (a unit)"}
_FACTORS_OF_ARITHMETIC = {8.0: " (bits for bytes)", 60.0: " (a unit)"}  # patterns have them by chance


def slips(of: Printed, *, by_arithmetic: bool) -> Iterator[tuple[str, float, str]]:
    """Numbers of which this one may be a slip: the rule, the number, and the slip in words.

    by_arithmetic: whether the number that should stand there is calculated, and not guessed from a pattern.
    """
    for factor, hint in (_FACTORS | (_FACTORS_OF_ARITHMETIC if by_arithmetic else {})).items():
        yield "decimal point", of.value / factor, f"{factor:g} times too large{hint}"
        yield "decimal point", of.value * factor, f"{factor:g} times too small{hint}"
    if of.value:
        yield "sign", -of.value, "the sign is wrong"
    for value in exchanged_digits(of):
        yield "digits", value, "two digits are exchanged"


def exchanged_digits(of: Printed) -> Iterator[float]:
    """The number with each two neighbouring digits in the other order. A point between them stays in its place."""
    found = _DIGITS.search(of.text)
    if found is None or found["exponent"] or of.high is not None:
        return
    sign = -1.0 if of.value < 0 else 1.0
    plain = "".join(char for char in found["digits"] if char.isdecimal())
    scale = abs(of.value) / int(plain) if int(plain or "0") else 0.0
    if not scale or not math.isfinite(scale):
        return
    for at in range(len(plain) - 1):
        if plain[at] != plain[at + 1]:
            swapped = plain[:at] + plain[at + 1] + plain[at] + plain[at + 2 :]
            yield sign * int(swapped) * scale
