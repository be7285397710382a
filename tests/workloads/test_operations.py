"""Operations and their parameters: the laboratory takes those that the agent's help names, and no others."""

from __future__ import annotations

import re
import subprocess
import typing
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from virtometer.errors import UsageError
from virtometer.runner.catalogue import catalogue
from virtometer.workloads.base import Parameters, Place
from virtometer.workloads.registry import WORKLOADS

EVERYWHERE = Place("/data/disk.img", "192.0.2.1:5000", "192.0.2.1:5001")
KERNELS = {name: workload for name, workload in WORKLOADS.items() if workload.kernel != "command"}
# What the laboratory gives itself, or says in another way.
OWN = {"file", "folder", "peer", "termination"}


@pytest.mark.parametrize("name", KERNELS)
def test_every_operation_has_the_parameters_of_the_agent_s(name: str, agent: Path) -> None:
    workload = KERNELS[name]
    for op in workload.operations:
        argv = [agent, "measure", workload.kernel, "--op", workload.agent_op(op), "--help"]
        said = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=10).stdout
        theirs = set(re.findall(r"^    --([a-z-]+)", said, re.MULTILINE))
        ours = {field.replace("_", "-") for field in workload.parameters.model_fields if taken(name, op, field)}
        assert ours - OWN == theirs - OWN, f"{name} {op}"


@pytest.mark.parametrize("name", KERNELS)
def test_every_operation_has_the_unit_of_the_agent_s(name: str, agent: Path) -> None:
    workload = KERNELS[name]
    for op in workload.operations:
        there = workload.agent_op(op)
        argv = [agent, "measure", workload.kernel, "--op", there, "--help"]
        said = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=10).stdout
        found = re.search(rf"^  --op {re.escape(there)} +(\S+) ", said, re.MULTILINE)
        assert found is not None, said
        unit = found[1]
        assert workload.agent_metric(op) == (unit, "lower" if unit == "s" else "higher"), f"{name} {op}"


def taken(name: str, op: str, field: str) -> bool:
    """Whether an operation takes some value of a parameter."""
    found = [given for given in some(WORKLOADS[name].parameters, field) if accepts(name, op, given)]
    return bool(found)


def accepts(name: str, op: str, parameters: Parameters) -> bool:
    try:
        WORKLOADS[name].arguments(op, parameters, EVERYWHERE)
    except UsageError:
        return False
    return True


def some(model: type[BaseModel], field: str) -> list[Any]:
    """Parameters that differ from the default in one field, with values that the model takes."""
    literals = [
        value
        for part in (model.model_fields[field].annotation, *typing.get_args(model.model_fields[field].annotation))
        for value in typing.get_args(part)
        if isinstance(value, str)
    ]
    found = []
    for value in (*literals, True, 1, 2, 4096, "/a/text"):
        try:
            found.append(model.model_validate({field: value}, strict=True))
        except ValidationError:
            continue
    assert found, f"no value was found for {field}"
    return found


@pytest.mark.parametrize(
    ("name", "op", "parameters", "sentence"),
    [
        (
            "memory",
            "triad",
            {"stride": 64},
            "memory triad has no parameter stride; it has pages, simd, size, ",
        ),
        ("memory", "read-write", {"store": "non-temporal"}, "memory read-write has temporal stores only"),
        ("disk", "seeks", {"align": 512}, "disk seeks has no parameter align; it has direct, seed, size, span, "),
        ("disk", "create-random", {"span": "4M"}, "disk create-random has no parameter span; it has files, seed, size"),
        ("os", "fork", {"processes": 2}, "os fork has no parameter processes; it has pin"),
        ("linpack", "blocked", {"variant": "rolled"}, "linpack blocked has no variant, only classic has"),
        ("net", "connect", {"connections": 2}, "net connect has no parameter connections; it has request, "),
        ("fio", "random-read", {}, ""),
        ("ab", "get", {}, ""),
    ],
)
def test_plans_are_told_what_an_operation_does_not_take(
    name: str, op: str, parameters: dict[str, Any], sentence: str
) -> None:
    description = catalogue().workloads[name]
    said = description.refusal(op, description.parameters.model_validate(parameters))
    assert said.startswith(sentence)
    assert bool(said) == bool(sentence)
