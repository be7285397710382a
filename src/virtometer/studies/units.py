"""The units in which the studies print, and how a printed number becomes a value. PURE.

No study says whether its MB is decimal or binary. Assumed: 1 KB = 1024 B and 1 MB = 2^20 B, as Iometer, RAMspeed,
netperf and Bonnie++ count. lmbench counts 1 MB = 10^6 B. A megabit is 10^6 bit everywhere.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

_MILLIONTHS = Decimal("0.000001")
_UNITS: dict[str, tuple[str, Decimal]] = {
    "s": ("s", Decimal(1)),
    "ms": ("s", Decimal("0.001")),
    "us": ("s", _MILLIONTHS),
    "min": ("s", Decimal(60)),
    "MB/s": ("B/s", Decimal(2**20)),
    "KB/s": ("B/s", Decimal(2**10)),
    "kB/s": ("B/s", Decimal(2**10)),
    "Mb/s": ("B/s", Decimal(10**6) / 8),
    "requests/s": ("1/s", Decimal(1)),
    "%": ("share", Decimal("0.01")),
    "us/KB": ("s/B", _MILLIONTHS / 2**10),
    "Mb/(s*CPU%)": ("B/(s*CPU)", Decimal(10**6) / 8 * 100),
    "kB/(s*CPU%)": ("B/(s*CPU)", Decimal(2**10) * 100),
    "score": ("score", Decimal(1)),
    "bytes": ("B", Decimal(1)),
    "GB": ("B", Decimal(2**30)),
    "count": ("1", Decimal(1)),
    "factor": ("1", Decimal(1)),
    "rank": ("1", Decimal(1)),
    "word": ("1", Decimal(1)),
}
_WITHOUT_UNIT = {"count", "factor", "rank", "word"}


def unit_and_factor(unit_printed: str, workload: str, metric: str) -> tuple[str, Decimal]:
    """The unit of the value, and the factor from the printed number to it, of a cell with this workload and metric.

    Raises KeyError for a unit in which no study prints.
    """
    unit, factor = _UNITS[unit_printed]
    if unit_printed == "MB/s" and workload == "lmbench":
        factor = Decimal(10**6)
    if unit_printed == "%" and metric == "ratio":
        unit = "1"
    if unit_printed == "word" and metric in {"loss", "gain"}:
        unit = "share"
    return unit, factor


def printed_number(text: str) -> Decimal:
    """A number as printed: `0.351`, or `1/3`, which counts with six decimal places. Raises for what is no number."""
    if "/" not in text:
        return Decimal(text)
    share = Fraction(text)
    return (Decimal(share.numerator) / share.denominator).quantize(_MILLIONTHS)


def unit_words(unit_printed: str) -> str:
    """The unit as it stands beside a number; empty for counts, factors, ranks and words, which stand alone."""
    return "" if unit_printed in _WITHOUT_UNIT else unit_printed
