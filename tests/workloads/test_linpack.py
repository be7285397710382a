"""What plans may ask of linpack, and what the agent is then asked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer.errors import UsageError
from virtometer.workloads.base import Endpoint, Place
from virtometer.workloads.linpack import LinpackParameters
from virtometer.workloads.registry import WORKLOADS

NOWHERE = Place()


@pytest.mark.parametrize(
    ("op", "given"),
    [
        ("classic", {"size": 500}),
        ("left-looking", {"size": 1000, "generator": "16-bit"}),
        ("blocked", {"size": 8000, "generator": "48-bit", "runs": 10}),
        ("classic", {"size": 1000, "variant": "unrolled", "generator": "16-bit"}),
        ("classic", {"size": 8000, "convention": "published", "runs": 10}),
    ],
)
def test_the_agent_is_asked_for_what_was_given(op: str, given: dict[str, Any]) -> None:
    linpack = WORKLOADS["linpack"]
    assert linpack.arguments(op, LinpackParameters(**given), NOWHERE) == given
    assert (linpack.operations[op].unit, linpack.operations[op].better) == ("FLOP/s", "higher")


@pytest.mark.parametrize(
    "given",
    [
        {"size": 0},
        {"size": 100_001},
        {"size": 1001, "convention": "published"},
        {"size": 1000, "convention": "published", "variant": "rolled"},
        {"variant": "quick"},
        {"variant": "fast"},
        {"generator": "8-bit"},
        {"runs": -1},
        {"order": 500},
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LinpackParameters(**given)


def test_parameters_of_the_other_operation_are_refused(said: Said) -> None:
    for op in ("left-looking", "blocked"):
        with pytest.raises(UsageError, match=f"^linpack {op} has no parameter variant") as caught:
            WORKLOADS["linpack"].arguments(op, LinpackParameters(variant="unrolled"), NOWHERE)
        said(caught.value.sentence)
    with pytest.raises(UsageError, match=r"^linpack has no operation quantum") as caught:
        WORKLOADS["linpack"].arguments("quantum", LinpackParameters(), NOWHERE)
    said(caught.value.sentence)


def test_the_former_variant_fast_is_told_its_new_name() -> None:
    with pytest.raises(ValidationError, match="take the operation left-looking"):
        LinpackParameters(variant="fast")  # type: ignore[arg-type]


@pytest.mark.parametrize("op", ["classic", "left-looking", "blocked"])
def test_a_time_server_is_asked_where_the_place_has_one(op: str) -> None:
    linpack = WORKLOADS["linpack"]
    asked = LinpackParameters(size=100, time_server="udp")
    assert linpack.work("classic", asked, 1, 1.0).needs == {"time-server"}
    assert linpack.work("classic", LinpackParameters(), 1, 1.0).needs == frozenset()
    by_tcp = Endpoint("time-server", "tcp", "10.77.0.1:4001")
    place = Place((by_tcp, Endpoint("time-server", "udp", "udp:10.77.0.1:4000")))
    assert linpack.arguments(op, asked, place) == {"size": 100, "time-server": "udp:10.77.0.1:4000"}
    assert linpack.arguments(op, LinpackParameters(size=100), place) == {"size": 100}
    with pytest.raises(UsageError, match="offers no time-server"):
        linpack.arguments(op, asked, NOWHERE)
    with pytest.raises(ValidationError):
        LinpackParameters(time_server="10.77.0.1:4000")  # type: ignore[arg-type]
