"""The reference of plans: what the models say, all of it, and a page that is never stale."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal
from unittest.mock import patch

import pytest
from pydantic import BeforeValidator, Field, ValidationError

from tests.sentences import Said
from virtometer import agent_table
from virtometer.design.reference.tables import FieldText, Section, sections
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError
from virtometer.model import parse_share, parse_size
from virtometer.workloads.base import EVERYTHING, Operation, Parameters, Workload
from virtometer.workloads.registry import WORKLOADS

ALL = sections(KINDS)
# Programs and commands have parameters in the words of their users.
OF_THE_AGENT = [
    (name, op) for name, one in WORKLOADS.items() if not one.program and name != "command" for op in one.operations
]


class Knobs(Parameters):
    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=1 << 20, multiple_of=1 << 20)] = Field(
        default=1 << 29, description="bytes"
    )
    part: Annotated[float, BeforeValidator(parse_share), Field(gt=0, le=1)] = Field(default=0.125, description="a part")
    cpus: float | None = Field(default=None, gt=0, description="processors. Without it, all")
    cpuset: tuple[Annotated[int, Field(ge=0, le=7)], ...] | None = Field(default=None, min_length=1, description="set")
    seed: int = Field(ge=0, lt=2**53, description="the seed")
    cache: Literal["none", "writeback"] = Field(default="none", description="mode")
    on: bool = Field(default=True, description="whether")
    word: str = Field(default="a", max_length=9, description="a word")
    left: int | None = Field(default=None, description="left to the agent")


class Drill(Workload[Knobs]):
    name = "drill"
    meaning = "works"
    operations: ClassVar = {
        "a": Operation("s", "lower", "time"), "b": Operation("s", "lower", "time"),
        "c": Operation("B/s", "higher", "rate"),
    }  # fmt: skip
    parameters = Knobs

    def defaults(self, op: str) -> dict[str, str | int | None]:
        every = dict.fromkeys(Knobs.model_fields)
        without_word = dict.fromkeys(name for name in Knobs.model_fields if name != "word")
        return {"a": every | {"left": 4}, "b": without_word | {"left": 5}, "c": {"memory": None, "left": 4}}[op]


def test_types_bounds_and_defaults_in_words() -> None:
    with patch.dict(WORKLOADS, {"drill": Drill()}):
        (section,) = sections({}, "drill")
    assert section.entries == (
        FieldText("memory", "size", "at least 1M, a multiple of 1M", "512M", "bytes", "all"),
        FieldText("part", "share", "more than 0%, at most 100%", "12.5%", "a part", "all but c"),
        FieldText("cpus", "number", "more than 0", "-", "processors. Without it, all", "all but c"),
        FieldText("cpuset", "list of whole numbers", "not empty, each 0 to 7", "-", "set", "all but c"),
        FieldText("seed", "whole number", "0 to 9007199254740991", "required", "the seed", "all but c"),
        FieldText("cache", "choice", "none, writeback", "none", "mode", "all but c"),
        FieldText("on", "true or false", "", "true", "whether", "all but c"),
        FieldText("word", "text", "at most 9 characters", "a", "a word", "a"),
        FieldText("left", "whole number", "", "4", "left to the agent", "all", ("5 (b)",)),
    )
    assert section.operations == Drill.operations


def test_every_workload_and_kind_is_there_with_all_its_operations_and_fields() -> None:
    by_name = {section.name: section for section in ALL}
    assert len(by_name) == len(ALL), "two sections have the same name"
    for name, kind in KINDS.items():
        assert [entry.name for entry in by_name[name].entries] == list(kind.settings_type.model_fields)
    for name, workload in WORKLOADS.items():
        assert [entry.name for entry in by_name[name].entries] == list(workload.parameters.model_fields)
        assert by_name[name].operations == workload.operations


@pytest.mark.parametrize("section", ALL, ids=lambda section: section.name)
def test_everything_has_a_meaning(section: Section) -> None:
    assert section.meaning, f"{section.group} {section.name} has no meaning: add it to its class"
    for entry in section.entries:
        where = f"{section.name}: {entry.name}"
        assert entry.meaning, f"{where} has no meaning: add `description` to the field"
        assert entry.default != "-" or "Without it" in entry.meaning or entry.type in ("mapping", "text"), (
            f"{where} has no default: its meaning must say 'Without it, ...'"
        )
        assert entry.type != "whole number" or entry.allowed, f"{where} has no bound"


def test_needs_and_programs_are_reported_in_sentences(said: Said) -> None:
    facts = {section.name: section.facts for section in ALL}
    assert facts["linpack"] == ()
    assert facts["net"] == ("It needs the network of a guest.",)
    program, disk = facts["fio"]
    assert program.count("`fio`") == 2 and "disk" in disk
    said("\n".join(facts["fio"]))
    for name, kind in KINDS.items():
        assert any("The disk is a device" in fact for fact in facts[name]) == kind.machine
        for setting in kind.settings_type.clock_settings:
            assert any(f"`{setting}`" in fact for fact in facts[name])


@pytest.mark.parametrize(("name", "op"), OF_THE_AGENT)
def test_operations_and_parameters_are_those_of_the_agent(name: str, op: str) -> None:
    workload = WORKLOADS[name]
    agent = agent_table.operation(workload.kernel, workload.agent_op(op))
    assert (agent.unit, agent.better) == workload.agent_metric(op)
    optional = {parameter.replace("-", "_") for parameter, one in agent.parameters.items() if not one.required}
    # The laboratory derives it from iterations and precision.
    assert set(workload.takes(op)) == optional - {"termination"}
    for parameter, one in workload.takes(op).items():
        field = workload.parameters.model_fields[parameter]
        where = f"{name} {op} {parameter}"
        if field.default is not None:
            assert field.default == one.default, where
        else:
            assert one.default is not None or one.otherwise or "Without it" in (field.description or ""), where


WHOLE_FILES = [op for op in WORKLOADS["disk"].operations if {"span", "size"} <= WORKLOADS["disk"].takes(op).keys()]
BESIDE: dict[tuple[str, str, object], dict[str, object]] = {
    ("latency", "size", 8): {"size": 16, "stride": 8},
    ("latency", "size", 1 << 50): {"stride": 1 << 30},
    ("latency", "stride", 1 << 30): {"size": 1 << 40},
    ("classic", "size", 200_000): {"convention": "published"},
    **{(op, "size", 1 << 30): {"span": 1 << 30} for op in WHOLE_FILES},
    **{(op, "span", 512): {"size": 512} for op in WHOLE_FILES},
    **{(op, "depth", 1024): {"engine": "libaio"} for op in WHOLE_FILES},
}
"""Operation, parameter, value -> what must be given beside it."""


@pytest.mark.parametrize(("name", "op"), OF_THE_AGENT)
def test_plans_may_give_what_the_agent_takes_and_nothing_else(name: str, op: str) -> None:
    workload = WORKLOADS[name]
    for parameter, one in workload.takes(op).items():
        if parameter == "time_server":
            continue  # plans say how, and the laboratory says where
        for value in filter(lambda value: value is not None, (one.minimum, one.maximum, *one.choices)):
            beside = BESIDE.get((op, parameter, value), {})
            given = workload.parameters.model_validate({parameter: value, **beside})
            assert parameter.replace("_", "-") in workload.arguments(op, given, EVERYTHING), f"{parameter} {value}"
        for value in (one.minimum, one.maximum):
            if value is not None:
                beyond = value - 1 if value == one.minimum else value + 1
                with pytest.raises((UsageError, ValidationError)):
                    given = workload.parameters.model_validate({parameter: beyond})
                    workload.arguments(op, given, EVERYTHING)
