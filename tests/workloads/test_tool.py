"""What all tools have in common: the agent runs a program, whose number is within what may be said."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import ClassVar

import pytest

from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import Endpoint, Operation, Parameters, Place, Reading
from virtometer.workloads.tool import Tool

NOWHERE = Place()


class Echo(Tool[Parameters]):
    """A tool that prints what it is told."""

    name = "echo"
    program = "echo"
    package = "coreutils"
    operations: ClassVar = {"say": Operation("1/s", "higher", "words")}
    parameters = Parameters

    def options(self, op: str, parameters: Parameters, place: Place) -> Sequence[str]:
        return ["-n", 'a "b"', "ü"]

    def read(self, op: str, output: str) -> Reading:
        return Reading(float(output), None)


def test_the_agent_is_asked_to_run_the_program_with_its_arguments() -> None:
    asked = Echo().arguments("say", Parameters(), NOWHERE)
    assert (asked["program"], json.loads(asked["arguments"])) == ("echo", ["-n", 'a "b"', "ü"])
    found = Place((Endpoint("program", "program", "/opt/echo"),))
    assert Echo().arguments("say", Parameters(), found)["program"] == "/opt/echo"
    with pytest.raises(UsageError, match="echo has no operation sing; it has say"):
        Echo().arguments("sing", Parameters(), NOWHERE)


def test_the_agent_reports_how_long_the_program_took_whatever_it_measured() -> None:
    tool = Echo()
    assert (tool.kernel, tool.agent_op("say"), tool.agent_metric("say")) == ("command", "run", ("s", "lower"))
    assert tool.takes("say") == {}
    work = tool.work("say", Parameters(), 8, 3.0)
    assert (work.window_s, work.demand, work.cannot_pause) == (None, Demand(threads=1), "it is a program of its own")


@pytest.mark.parametrize("value", [0.0, 1e-30, 1.0, 1e30])
@pytest.mark.parametrize("work", [None, 0, (1 << 53) - 1])
def test_a_number_that_an_agent_may_say_may_be_read(value: float, work: int | None) -> None:
    assert (Reading(value, work).value, Reading(value, work).work) == (value, work)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0, 1.01e30, 1e308, 1e-31, 5e-324])
def test_a_number_that_no_agent_may_say_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="a number that cannot be"):
        Reading(value, 1)


@pytest.mark.parametrize("work", [-1, 1 << 53])
def test_work_that_no_agent_may_say_is_refused(work: int) -> None:
    with pytest.raises(ValueError, match="a number that cannot be"):
        Reading(1.0, work)
