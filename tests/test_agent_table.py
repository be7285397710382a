"""The agent's own table: what it prints, and what is read from it."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.cli.laboratory import ROOT
from virtometer import agent_table
from virtometer.agent_table import AgentParameter, Arrays, JudgedBy
from virtometer.runner.lab.agent import agent_path


def test_the_table_of_the_agent_is_what_the_agent_prints() -> None:
    printed = subprocess.run([agent_path(), "kernels", "--json"], capture_output=True, text=True, check=True).stdout
    assert (ROOT / "contract" / "kernels.json").read_text(encoding="utf-8") == printed, (
        "contract/kernels.json is stale, run: make contract"
    )


INTEGER = AgentParameter("integer", required=False, meaning="", minimum=1, maximum=9)
CHOICE = AgentParameter("choice", required=False, meaning="", choices=("a", "b"))


@pytest.mark.parametrize("value", [1, 9, 5])
def test_an_integer_within_its_bounds_is_taken(value: int) -> None:
    assert INTEGER.refusal("size", value) == ""


@pytest.mark.parametrize("value", [0, 10, -1, 1 << 70])
def test_an_integer_beyond_its_bounds_is_refused_in_words(value: int) -> None:
    assert INTEGER.refusal("size", value) == f"size is {value}, but must be 1 to 9"


def test_a_choice_is_one_of_its_values_and_what_has_no_bounds_is_free() -> None:
    assert CHOICE.refusal("type", "a") == ""
    assert CHOICE.refusal("type", "c") == "type is c, but must be one of a, b"
    assert AgentParameter("text", required=True, meaning="").refusal("mix", "anything") == ""
    assert AgentParameter("boolean", required=False, meaning="").refusal("direct", False) == ""


def test_an_operation_is_read_whole() -> None:
    triad = agent_table.operation("memory", "triad")
    assert (triad.unit, triad.better, triad.arrays) == ("B/s", "higher", Arrays(3, 3))
    size = triad.parameters["size"]
    assert (size.type, size.minimum is not None, size.maximum is not None) == ("integer", True, True)
    assert "auto" in triad.parameters["store"].choices
    assert all(one.unit and one.meaning for one in triad.measures.values())
    with pytest.raises(KeyError):
        agent_table.operation("memory", "fill")
    with pytest.raises(KeyError):
        agent_table.operation("", "triad")


def test_arrays_are_those_of_the_memory_and_none_of_what_is_not_known() -> None:
    assert agent_table.arrays("memory", "copy") == Arrays(held=2, moved=2)
    assert Arrays(3, 3).bandwidth == "bandwidth, 3 x size"
    assert agent_table.arrays("disk", "write") is None
    assert agent_table.arrays("memory", "of another version") is None
    assert agent_table.arrays("", "") is None


def test_a_measure_means_the_same_wherever_it_is_reported() -> None:
    table = json.loads((ROOT / "contract" / "kernels.json").read_text(encoding="utf-8"))
    told: dict[str, set[str]] = {}
    for kernel in table["kernels"]:
        for operation in kernel["operations"]:
            for measure in operation["measures"]:
                told.setdefault(measure["name"], set()).add(measure["meaning"])
    assert {name: {meaning} for name, meaning in agent_table.meanings().items()} == told


def test_what_an_operation_is_judged_by_is_in_its_row() -> None:
    by = agent_table.judged_by("net", "open-loop")
    assert by == JudgedBy("mean latency at the offered rate", "latency", "offered")
    assert agent_table.measure("net", "open-loop", by.wanted) is not None
    assert agent_table.judged_by("net", "stream") is None
    assert agent_table.judged_by("net", "of another version") is None


def test_a_measure_names_its_clock_and_a_parameter_its_unit() -> None:
    remote = agent_table.measure("net", "stream", "cpu-remote")
    assert remote is not None and (remote.unit, remote.timed_by) == ("s/s", "host-by-guest")
    assert agent_table.measure("net", "stream", "nobody-knows") is None
    assert agent_table.measure("", "stream", "cpu-remote") is None
    assert agent_table.operation("net", "stream").parameters["send-buffer"].unit == "B"
    assert agent_table.operation("net", "stream").parameters["connections"].unit is None
