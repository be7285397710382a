"""What the label of a row or column says: a derived value, a limit, a size."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ROLES = {
    "mean": "mean average avg mittel mittelwert durchschnitt ø",
    "sum": "sum total summe gesamt σ",
    "sd": "sd std stdev stddev deviation standardabweichung",
    "minimum": "min minimum",
    "maximum": "max maximum",
    "median": "median",
    "expected": "expected soll calculated theoretical",
    "demand": "demand",
    "rank": "rank place position rang ranking",
    "efficiency": "efficiency utilisation utilization wirkungsgrad effizienz",
    "share": "% percent percentage share ratio relative loss gain overhead difference speedup"
    " normalized normalised anteil verlust",
    "low": "low lower",
    "high": "high upper",
    "count": "runs run n count repetitions guests cpus threads processes number läufe anzahl",
}
ROLE_OF = {word: role for role, words in _ROLES.items() for word in words.split()}
DERIVED = frozenset({"mean", "sum", "sd", "minimum", "maximum", "median", "expected", "rank", "share", "efficiency"})
"""Roles of lines that are calculated from others of their table."""
OVER_ALL = frozenset({"mean", "sum", "sd", "minimum", "maximum", "median"})
"""Roles of lines that are calculated from all others."""

_INTENSIVE = frozenset(
    {"rate", "throughput", "speed", "bandwidth", "latency", "per", "mean", "average", "percentile", "iops"}
)
_WORD = re.compile(r"%|[^\W\d_]+")
_AGAIN = re.compile(r" #\d+$")
"""What the second and later lines with the same label have at their end."""
_UNIT = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|,\s*([^,\s]+)$")
_SIZE = re.compile(r"^\W*(\d+(?:[.,]\d+)?)\s*(k|m|g|t|ki|mi|gi|ti)?(?:i?b|bytes?)?\b", re.IGNORECASE)
_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def role(label: str) -> str:
    """The role of a line that is called so and nothing else; empty where it has none."""
    return ROLE_OF.get(_UNIT.sub(" ", _AGAIN.sub("", label)).strip().strip(".:").casefold(), "")


def hinted(label: str) -> str:
    """The role that one of the words of a label names; empty without any."""
    if exact := role(label):
        return exact
    return next((ROLE_OF[word] for word in _WORD.findall(label.casefold()) if word in ROLE_OF), "")


def leading(label: str) -> str:
    """The role over all other lines that the first word names, as in `sum of VMs`, or the last one of `grand total`."""
    words = _WORD.findall(label.casefold())
    found = [ROLE_OF.get(word, "") for word in words[:1] + words[-1:]]
    return next((what for what in found if what in OVER_ALL), "") if len(words) > 1 else ""


def intensive(label: str) -> bool:
    """Whether a label names a quantity that does not add up over unlike lines: a rate, a ratio, a latency."""
    by_word = not _INTENSIVE.isdisjoint(_WORD.findall(label.casefold()))
    return by_word or "/" in label or hinted(label) in ("share", "efficiency", "demand", "rank")


def unit(label: str) -> str:
    """What stands in brackets, or after the last comma; empty without any."""
    found = _UNIT.search(label)
    return next((part for part in found.groups() if part), "").strip().casefold() if found else ""


def sizes(labels: Sequence[str]) -> list[float | None]:
    """The numbers that labels begin with, such as 4096 of `4 KB`; None where one begins with none."""
    found = [_SIZE.match(label) for label in labels]
    return [
        None if one is None else float(one[1].replace(",", ".")) * _FACTORS[(one[2] or "").casefold()[:1]]
        for one in found
    ]
