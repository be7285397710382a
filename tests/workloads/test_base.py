"""What a workload asks the agent for, and what plans are told of values that the agent refuses."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer import agent_table
from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import EVERYTHING, Endpoint, Parameters, Place, Workload, not_multiple
from virtometer.workloads.registry import WORKLOADS


@pytest.mark.parametrize(
    ("name", "op", "parameters", "sentence"),
    [
        (
            "memory",
            "triad",
            {"stride": 64},
            "memory triad has no parameter stride; it has pages, simd, size, ",
        ),
        (
            "memory",
            "read-write",
            {"store": "non-temporal"},
            "memory read-write: store is non-temporal, but must be one of auto, temporal",
        ),
        ("disk", "seeks", {"align": 512}, "disk seeks has no parameter align; it has direct, seed, size, span, "),
        ("disk", "create-random", {"span": "4M"}, "disk create-random has no parameter span; it has files, seed, size"),
        ("os", "fork", {"processes": 2}, "os fork has no parameter processes; it has pin"),
        (
            "linpack",
            "blocked",
            {"variant": "rolled"},
            "linpack blocked has no parameter variant; it has ",
        ),
        ("net", "connect", {"connections": 2}, "net connect has no parameter connections; it has request, "),
        ("disk", "create-random", {"size": "8M"}, "disk create-random: size is 8388608, but must be 0 to 1048576"),
        ("disk", "random-read", {"size": 0}, "disk random-read: size is 0, but must be 8 to 1073741824"),
        ("disk", "random-read", {"size": 1001}, "disk random-read: size is 1001, but must be a multiple of 8"),
        ("disk", "write", {"direct": True, "size": 512}, "disk write: size is 512, but must be a multiple of 4096"),
        ("disk", "write", {"span": "1M", "size": 1536}, "disk write: span is 1048576, but must be a multiple of 1536"),
        ("disk", "access", {"mix": "nonsense"}, "disk access: mix has 'nonsense', which is not as in '4K share=67"),
        ("disk", "access", {"mix": "4K share=60, 64K share=39"}, "disk access: the shares of mix add up to 99"),
        ("disk", "access", {"mix": "4K share=60 read"}, "disk access: mix has '4K share=60 read', which is not as in"),
        ("disk", "access", {"mix": "4K, 8K share"}, "disk access: mix has '8K share', which is not as in"),
        ("disk", "access", {"mix": "4K read=101"}, "disk access: mix has '4K read=101', but shares are percentages"),
        ("disk", "access", {"mix": "4K share=67 read=80 random=100, 64K share=33 align=4K"}, ""),
        ("memory", "triad", {"size": 9}, "memory triad: size is 9, but must be a multiple of 8"),
        ("memory", "latency", {"size": 64, "stride": 128}, "memory latency: size is 64, but must be a multiple of the"),
        ("net", "udp-stream", {"size": 10}, "net udp-stream: size is 10, but must be 16 to 65507"),
        ("os", "file-reread", {"size": 12}, "os file-reread: size is 12, but must be a multiple of 8"),
        ("fio", "random-read", {}, ""),
        ("ab", "get", {}, ""),
    ],
)
def test_plans_are_told_what_an_operation_does_not_take(
    name: str, op: str, parameters: dict[str, Any], sentence: str
) -> None:
    workload, said = WORKLOADS[name], ""
    try:
        workload.arguments(op, workload.parameters.model_validate(parameters), EVERYTHING)
    except UsageError as cause:
        said = cause.sentence
    assert said.startswith(sentence)
    assert bool(said) == bool(sentence)


NOWHERE = Place()


def test_what_is_given_goes_to_the_agent_under_its_names_and_nothing_else_does() -> None:
    net = WORKLOADS["net"]
    place = Place((Endpoint("peer", "net", "10.0.0.1:1"),))
    asked = net.arguments("stream", net.parameters.model_validate({"send_buffer": "16K", "zero_copy": False}), place)
    assert asked == {"peer": "10.0.0.1:1", "send-buffer": 16_384, "zero-copy": False}, "False is a value too"


def test_the_parameters_that_a_plan_may_give_are_those_that_agent_and_model_have() -> None:
    linpack = WORKLOADS["linpack"]
    taken = linpack.takes("blocked")
    assert list(taken) == [name for name in linpack.parameters.model_fields if name in taken], "in the model's order"
    agent = agent_table.operation("linpack", "blocked").parameters
    assert all(one is agent[name.replace("_", "-")] for name, one in taken.items())


def test_an_operation_that_does_not_exist_is_refused_with_those_that_do() -> None:
    for workload in WORKLOADS.values():
        with pytest.raises(
            UsageError, match=f"{workload.name} has no operation sleep; it has {next(iter(workload.operations))}"
        ):
            workload.ensure_operation("sleep")
        for op in workload.operations:
            workload.ensure_operation(op)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"size": 16}, ""),
        ({"size": 0}, ""),
        ({"size": None}, ""),
        ({}, ""),
        ({"size": 9}, "size is 9, but must be a multiple of 8"),
    ],
)
def test_a_value_is_a_multiple_or_there_is_a_sentence(values: dict[str, Any], expected: str) -> None:
    assert not_multiple(values, "size", 8) == expected


def test_a_workload_that_says_nothing_else_takes_its_window_and_no_more() -> None:
    class Plain(Workload[Parameters]):
        name = "plain"

    plain, given = Plain(), Parameters()
    work = plain.work("a", given, 4, 2.5)
    assert (work.window_s, work.ends_early, work.processors) == (2.5, False, 4)
    assert (work.demand, work.writes_disk, work.cannot_pause, work.agent_op) == (Demand(), False, "", "a")
    assert (work.needs, plain.refusal("a", {}), plain.program) == (frozenset(), "", "")
    assert plain.read("a", "1") is None, "the value is the agent's"


def test_what_an_operation_takes_has_the_agents_default_or_its_words() -> None:
    linpack, fio = WORKLOADS["linpack"], WORKLOADS["fio"]
    assert linpack.defaults("classic")["size"] == 500
    assert linpack.defaults("classic")["generator"] == "48-bit; published: 16-bit where regular"
    assert "variant" not in linpack.defaults("blocked")
    assert fio.defaults("random-read") == dict.fromkeys(fio.parameters.model_fields), "tools have all of theirs"


def test_parameters_are_frozen_and_unknown_ones_are_refused() -> None:
    with pytest.raises(ValidationError):
        Parameters.model_validate({"colour": "red"})
