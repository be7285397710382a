"""What the CPU time of a guest was spent for, from readings at the ends of windows."""

from __future__ import annotations

from collections.abc import Iterable

from virtometer.host.cpu.parts import CpuReading
from virtometer.model import GuestUse
from virtometer.runner.watch.counts import Counts, Key

_PARTS = ("code", "vmm", "kernel", "user", "system")


def counts_of(guest: int, reading: CpuReading | None) -> dict[Key, float]:
    """What a reading counted of a guest, in ns; nothing where the guest could not be read."""
    if reading is None:
        return {}
    known = {("part", guest, name): getattr(reading, name) for name in _PARTS}
    return {("parts", guest): 0.0, **{key: ns for key, ns in known.items() if ns is not None}}


def used(guest: int, spent: Counts, unknown: Iterable[str]) -> GuestUse | None:
    """CPU seconds of the parts; None where the guest could not be read. `unknown`: why parts are, of each reading."""
    if ("parts", guest) not in spent:
        return None
    # The account and the threads are read one after the other: a part that did nothing may come out below zero.
    found = (spent.get(("part", guest, name)) for name in _PARTS)
    code, vmm, kernel, user, system = (None if ns is None else max(ns * 1e-9, 0.0) for ns in found)
    return GuestUse(code, vmm, kernel, user, system, "; ".join(dict.fromkeys(filter(None, unknown))))
