"""Nuisance factors in words."""

from __future__ import annotations

from tests.sentences import Said
from virtometer.analysis.notes.nuisance import Nuisance
from virtometer.report.effects.nuisance import sentences


def test_what_is_random_and_what_is_the_same_is_said(said: Said) -> None:
    order, processors, layout = sentences(Nuisance(7, 48, 48, True, {"read": ("0",), "write": ("0-1",)}))
    assert "seed 7" in order and "the same" in processors and "48 starts" in layout
    said("\n".join([order, processors, layout]))


def test_what_is_not_the_same_is_said_too(said: Said) -> None:
    _, processors, layout = sentences(Nuisance(7, 48, 12, False, {"read": ("0", "1"), "write": ("0",)}))
    assert "not the same" in processors and "(read: 0 or 1)" in processors
    assert "48 starts; addresses are NOT random" in layout and "12 of them" in layout
    said(processors)
    said(layout)
    many = sentences(Nuisance(7, 48, 0, None, dict.fromkeys("abcde", ("0", "1"))))
    assert "and 2 more workloads" in many[1]
    assert "unknown addresses" in many[2] and "fixed size" in many[2]
    said(many[2])


def test_without_anything_nothing_is_said() -> None:
    assert sentences(None) == []
    assert sentences(Nuisance(7, 0, 0, True, {})) == []
    assert sentences(Nuisance(7, 1, 1, True, {}))[1] == "Processors: not known."
