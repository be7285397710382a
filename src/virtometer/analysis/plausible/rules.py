"""All rules of implausible tables, as data: what is found, and where the rule comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """name: as in findings. meaning: what was found. source: of the rule."""

    name: str
    meaning: str
    source: str


_ARITHMETIC = "arithmetic; rounding changes a number by at most half a unit of its last digit"
_PATTERN = "rows and columns change alike: two-way tables in Tukey, Exploratory Data Analysis (1977)"
_REPAIR = "own rule: the change of one number restores the pattern or the arithmetic of the table"

RULES = {
    rule.name: rule
    for rule in (
        Rule("mean", "a mean that is not the mean of its cells", _ARITHMETIC),
        Rule("sum", "a sum that is not the sum of its cells", _ARITHMETIC),
        Rule("deviation", "a standard deviation that is not that of its cells", _ARITHMETIC),
        Rule("extreme", "a minimum, maximum or median that is not that of its cells", _ARITHMETIC),
        Rule("expected", "an expected value that does not follow as the others do", _ARITHMETIC),
        Rule("percentage", "a percentage or ratio that is not that of its cells", _ARITHMETIC),
        Rule("contradiction", "a value that contradicts others of its row, or of another table", _ARITHMETIC),
        Rule("limit", "an efficiency or share above its limit", "efficiencies and shares are at most 1"),
        Rule("decimal point", "a decimal point or a unit that slipped", f"{_REPAIR}; {_PATTERN}"),
        Rule("exchanged", "values exchanged between neighbouring cells", f"{_REPAIR}; {_PATTERN}"),
        Rule("digits", "two digits in the wrong order", f"{_REPAIR}; the difference is a multiple of 9"),
        Rule("sign", "a sign that is lost or added", _REPAIR),
        Rule("duplicated row", "a row that repeats another row", "own rule: chance repeats so many digits seldom"),
        Rule("repeated value", "the value of a neighbour", "own rule: chance repeats so many digits seldom"),
        Rule("order", "an order that is broken once, such as a larger size that is faster", _PATTERN),
        Rule("rank", "a rank that contradicts its values", "competition ranking: equal ranks for equal values"),
        Rule("range", "a range whose ends are exchanged, or a value outside of its range", _ARITHMETIC),
    )
}
