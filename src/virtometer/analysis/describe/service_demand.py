"""The check of netperf: throughput times service demand is the CPU use. PURE."""

from __future__ import annotations

CONSISTENT = 0.02
"""By this share of the CPU use the product may differ, which the rounding of printed numbers explains."""


def consistent(made: float, use: float) -> bool:
    """Whether throughput times service demand is the CPU use, both as processors or as shares of the same ones."""
    return abs(made - use) <= CONSISTENT * use
