"""What the CPU time of a guest was spent for over a window, from readings at its ends or at those of its slices."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.host.cpu.parts import CpuReading
from virtometer.model import GuestUse

Pair = tuple[CpuReading | None, CpuReading | None]
"""Readings at the beginning and at the end of a stretch; None where the guest could not be read."""


def between(first: CpuReading | None, last: CpuReading | None, share: float) -> CpuReading | None:
    """The reading at a moment between two points, `share` of the way from 0 to 1."""
    if first is None or last is None:
        return None

    def at(name: str) -> float | None:
        a, b = getattr(first, name), getattr(last, name)
        return None if a is None or b is None else a + (b - a) * share

    return CpuReading(at("code"), at("vmm"), at("kernel"), at("user"), at("system"), _reasons([first, last]))


def used(pairs: Sequence[Pair]) -> GuestUse | None:
    """CPU seconds in these stretches; None where the guest could not be read in one of them."""
    known = [(first, last) for first, last in pairs if first is not None and last is not None]
    if not known or len(known) < len(pairs):
        return None

    def spent(name: str) -> float | None:
        ends = [(getattr(first, name), getattr(last, name)) for first, last in known]
        differences = [last - first for first, last in ends if first is not None and last is not None]
        # The account and the threads are read one after the other: a part that did nothing may come out below zero.
        return max(sum(differences) * 1e-9, 0.0) if len(differences) == len(ends) else None

    return GuestUse(
        spent("code"),
        spent("vmm"),
        spent("kernel"),
        spent("user"),
        spent("system"),
        _reasons([one for pair in known for one in pair]),
    )


def _reasons(readings: Sequence[CpuReading]) -> str:
    return "; ".join(dict.fromkeys(one.unknown for one in readings if one.unknown))
