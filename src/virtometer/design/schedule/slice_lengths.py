"""Lengths of slices that vary at random from round to round, so that slices fall into step with nothing. PURE.

Slices of one length follow each other at a fixed period. What changes its speed at nearly the same period is then
always seen at the same moment of its own cycle. Sampling at random intervals is the known cure (Shapiro, Silverman:
Alias-free sampling of random noise, SIAM 8, 1960).
"""

from __future__ import annotations

from virtometer.design.schedule.shuffle import Generator

SHORTEST = 0.75
LONGEST = 1.25
"""The shortest and the longest length of a round, by the plan's. Their mean is 1: a window has as many slices."""

_OWN_STREAM = 0x5C1E_1E46  # so that lengths do not depend on the order of the guests


def length_factor(seed: int, number: int) -> float:
    """By which the slices of round `number` are longer than the plan's: SHORTEST to LONGEST, each equally likely.

    seed: of the order of the slices. All guests of a round have the same length, so that the round is comparable.
    """
    stream = Generator(Generator(seed ^ _OWN_STREAM).next() + number)
    return SHORTEST + (LONGEST - SHORTEST) * (stream.next() >> 11) / (1 << 53)
