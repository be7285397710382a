"""Random order that is the same for a seed for ever, whatever the versions of Python or numpy.

splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014) and the Fisher-Yates
shuffle as Durstenfeld wrote it (Algorithm 235, CACM 1964), with numbers below a bound by rejection, so that every order
is equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_MASK = (1 << 64) - 1

Item = TypeVar("Item")


class Generator:
    """A stream of 64-bit numbers from one seed."""

    def __init__(self, seed: int) -> None:
        """`seed`: 0 <= seed < 2^64."""
        self._state = seed & _MASK

    def next(self) -> int:
        """The next number, 0 <= number < 2^64."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1, each equally likely."""
        accepted = (1 << 64) - (1 << 64) % bound
        while True:
            number = self.next()
            if number < accepted:
                return number % bound

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in random order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result
