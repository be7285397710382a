"""What plans may ask of the relaxation, and what the agent is then asked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer.errors import UsageError
from virtometer.workloads.base import Place
from virtometer.workloads.pde import PdeParameters
from virtometer.workloads.registry import WORKLOADS

NOWHERE = Place()
BASE = {"interlines": 100, "function": "zero", "variant": "fast"}


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, BASE),
        ({"interlines": 64, "function": "sine"}, {**BASE, "interlines": 64, "function": "sine"}),
        ({"iterations": 8000}, {**BASE, "iterations": 8000}),
        ({"precision": 6, "variant": "naive"}, {**BASE, "precision": 6, "variant": "naive"}),
    ],
)
def test_the_agent_is_asked_for_what_was_given(given: dict[str, Any], asked: dict[str, Any]) -> None:
    pde = WORKLOADS["pde"]
    for op in ("gauss-seidel", "jacobi"):
        assert pde.arguments(op, PdeParameters(**given), NOWHERE) == asked
        assert (pde.operations[op].unit, pde.operations[op].better) == ("1/s", "higher")


@pytest.mark.parametrize(
    "given",
    [
        {"interlines": -1},
        {"interlines": 10_001},
        {"function": "cosine"},
        {"variant": "quick"},
        {"iterations": 0},
        {"precision": 21},
        {"iterations": 9, "precision": 4},
        {"lines": 3},
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PdeParameters(**given)


def test_an_operation_that_does_not_exist_is_refused(said: Said) -> None:
    with pytest.raises(UsageError, match=r"^pde has no operation multigrid") as caught:
        WORKLOADS["pde"].arguments("multigrid", PdeParameters(), NOWHERE)
    said(caught.value.sentence)
