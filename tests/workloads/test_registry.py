"""Every workload is found by its own name, and its operations are the agent's."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer import agent_table
from virtometer.workloads.base import Workload
from virtometer.workloads.registry import WORKLOADS


def subclasses(of: type[Workload[Any]]) -> set[type[Workload[Any]]]:
    found = {inner for one in of.__subclasses__() for inner in subclasses(one)} or set()
    return found | ({of} if "operations" in vars(of) else set())


def test_names_are_those_of_the_workloads() -> None:
    assert [workload.name for workload in WORKLOADS.values()] == list(WORKLOADS)


def test_no_workload_of_the_product_is_left_out() -> None:
    ours = {one for one in subclasses(Workload) if one.__module__.startswith("virtometer.")}
    assert {type(workload) for workload in WORKLOADS.values()} == ours


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_every_operation_has_a_unit_its_work_and_a_direction_that_suits_it(workload: Workload[Any]) -> None:
    assert workload.operations and workload.meaning
    for name, one in workload.operations.items():
        assert one.unit and one.work, name
        assert one.better == ("lower" if one.unit == "s" else "higher"), name
        if not workload.program:
            agent = agent_table.operation(workload.kernel, workload.agent_op(name))
            assert (agent.unit, agent.better) == workload.agent_metric(name)


def test_tools_have_a_program_and_its_package() -> None:
    tools = [one for one in WORKLOADS.values() if one.program]
    assert len(tools) >= 2
    assert all(one.program and one.package for one in tools)
    assert len({one.program for one in tools}) == len(tools)
