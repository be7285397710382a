"""Nuisance factors in words."""

from __future__ import annotations

from virtometer.analysis.notes.nuisance import Nuisance
from virtometer.report.effects.nuisance import sentences


def test_what_is_random_and_what_is_the_same_is_said() -> None:
    assert sentences(Nuisance(7, 48, 48, True, {"read": ("0",), "write": ("0-1",)})) == [
        "Order: random within each block, from the seed 7.",
        "Processors: the same for all combinations in each workload.",
        "Memory layout: drawn anew at each of 48 starts; addresses are random, and environment variables have a random "
        "size.",
    ]


def test_what_is_not_the_same_is_said_too() -> None:
    _, processors, layout = sentences(Nuisance(7, 48, 12, False, {"read": ("0", "1"), "write": ("0",)}))
    assert processors == "Processors: not the same for all combinations (read: 0 or 1)."
    assert layout == (
        "Memory layout: drawn anew at each of 48 starts; addresses are NOT random on this host; environment variables "
        "have a random size at 12 of them."
    )
    many = sentences(Nuisance(7, 48, 0, None, dict.fromkeys("abcde", ("0", "1"))))
    assert "and 2 more workloads" in many[1]
    assert many[2].endswith("unknown addresses; environment variables have a fixed size.")


def test_without_anything_nothing_is_said() -> None:
    assert sentences(None) == []
    assert sentences(Nuisance(7, 0, 0, True, {})) == []
    assert sentences(Nuisance(7, 1, 1, True, {}))[1] == "Processors: not known."
