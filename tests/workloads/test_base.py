"""What a workload asks the agent for, and what plans are told of values that the agent refuses."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer import agent_table
from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import EVERYTHING, Endpoint, Parameters, Place, Workload, not_multiple
from virtometer.workloads.registry import WORKLOADS


@pytest.mark.parametrize(
    ("name", "op", "parameters", "words"),
    [
        pytest.param("memory", "triad", {"stride": 64}, "no parameter stride", id="triad stride"),
        pytest.param("memory", "read-write", {"store": "non-temporal"}, "store is non-temporal", id="read-write store"),
        pytest.param("disk", "seeks", {"align": 512}, "no parameter align", id="seeks align"),
        pytest.param("disk", "create-random", {"span": "4M"}, "no parameter span", id="create-random span"),
        pytest.param("os", "fork", {"processes": 2}, "no parameter processes", id="fork processes"),
        pytest.param("linpack", "blocked", {"variant": "rolled"}, "no parameter variant", id="blocked variant"),
        pytest.param("net", "connect", {"connections": 2}, "no parameter connections", id="connect connections"),
        pytest.param("disk", "create-random", {"size": "8M"}, "size is 8388608,", id="create-random 8M"),
        pytest.param("disk", "random-read", {"size": 0}, "size is 0,", id="random-read 0"),
        pytest.param("disk", "random-read", {"size": 1001}, "size is 1001,", id="random-read 1001"),
        pytest.param("disk", "write", {"direct": True, "size": 512}, "multiple of 4096", id="write direct 512"),
        pytest.param("disk", "write", {"span": "1K", "size": 1536}, "record of 1536", id="write 1536 of 1K"),
        pytest.param("disk", "access", {"mix": "nonsense"}, "'nonsense'", id="mix of nonsense"),
        pytest.param("disk", "access", {"mix": "4K share=60, 64K share=39"}, "99", id="mix of 99"),
        pytest.param("disk", "access", {"mix": "4K share=60 read"}, "'4K share=60 read'", id="mix without a share"),
        pytest.param("disk", "access", {"mix": "4K, 8K share"}, "'8K share'", id="mix with half a share"),
        pytest.param("disk", "access", {"mix": "4K read=101"}, "'4K read=101'", id="mix of 101"),
        pytest.param("memory", "triad", {"size": 9}, "size is 9,", id="triad 9"),
        pytest.param("memory", "latency", {"size": 64, "stride": 128}, "size is 64,", id="latency 64 by 128"),
        pytest.param("net", "udp-stream", {"size": 10}, "size is 10,", id="udp-stream 10"),
        pytest.param("os", "file-reread", {"size": 12}, "size is 12,", id="file-reread 12"),
    ],
)
def test_plans_are_told_what_an_operation_does_not_take(
    said: Said, name: str, op: str, parameters: dict[str, Any], words: str
) -> None:
    workload = WORKLOADS[name]
    with pytest.raises(UsageError, match=f"^{name} {op}[ :]") as caught:
        workload.arguments(op, workload.parameters.model_validate(parameters), EVERYTHING)
    assert words in caught.value.sentence
    said(caught.value.sentence)


@pytest.mark.parametrize(
    ("name", "op", "parameters"),
    [
        ("disk", "access", {"mix": "4K share=67 read=80 random=100, 64K share=33 align=4K"}),
        ("fio", "random-read", {}),
        ("ab", "get", {}),
    ],
)
def test_nothing_is_refused_that_an_operation_takes(name: str, op: str, parameters: dict[str, Any]) -> None:
    workload = WORKLOADS[name]
    workload.arguments(op, workload.parameters.model_validate(parameters), EVERYTHING)


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
