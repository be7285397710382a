"""What plans may name here is what the registries hold, as data."""

from __future__ import annotations

import pytest

from virtometer.environments.registry import KINDS
from virtometer.model import Demand
from virtometer.runner.campaign.catalogue import catalogue
from virtometer.workloads.registry import WORKLOADS

ALL = catalogue()


def test_every_kind_and_workload_is_there_under_its_name() -> None:
    assert list(ALL.kinds) == list(KINDS)
    assert list(ALL.workloads) == list(WORKLOADS)


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_described_by_its_class(name: str) -> None:
    described, kind = ALL.kinds[name], KINDS[name]
    assert (described.settings, described.title, described.meaning) == (kind.settings_type, kind.title, kind.meaning)
    assert (described.cost.start_s, described.cost.trial_s) == (kind.usual_start_s, kind.usual_overhead_s)
    assert described.machine_memory == (kind.kernel_memory if kind.machine else None)
    assert (any("The disk is a device" in fact for fact in described.facts)) == kind.machine
    for setting in kind.settings_type.clock_settings:
        assert any(f"`{setting}`" in fact for fact in described.facts)


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_is_described_by_its_class(name: str) -> None:
    described, workload = ALL.workloads[name], WORKLOADS[name]
    assert described.parameters is workload.parameters
    assert {op: (one.unit, one.better, one.work) for op, one in described.ops.items()} == {
        op: (one.unit, one.better, one.work) for op, one in workload.operations.items()
    }
    for op in workload.operations:
        assert described.demand(op, workload.parameters(), 1).on_disk == ("disk" in workload.needs)


def test_needs_and_programs_are_told_in_sentences() -> None:
    assert ALL.workloads["linpack"].facts == ()
    assert ALL.workloads["net"].facts == ("It needs the network of a guest.",)
    assert ALL.workloads["fio"].facts == (
        "It runs the program `fio` of the host (Debian package `fio`).", "It needs the disk of a guest.",
    )  # fmt: skip


def test_what_an_operation_takes_has_the_agents_default_or_its_words() -> None:
    taken = ALL.workloads["linpack"].takes
    assert taken["classic"]["size"] == 500
    assert taken["classic"]["generator"] == "48-bit; published: 16-bit where regular"
    assert "variant" not in taken["blocked"]
    assert ALL.workloads["fio"].takes == {}, "tools have all of theirs"


def test_a_refusal_is_the_sentence_of_the_workload_and_empty_where_it_takes_them() -> None:
    net = ALL.workloads["net"]
    assert net.refusal("connect", net.parameters()) == ""
    refused = net.refusal("connect", net.parameters.model_validate({"connections": 3}))
    assert refused.startswith("net connect has no parameter connections; it has ")
    assert net.refusal("sleep", net.parameters()).startswith("net has no operation sleep; it has ")


def test_a_demand_is_that_of_the_workload() -> None:
    memory = ALL.workloads["memory"]
    demand = memory.demand("triad", memory.parameters.model_validate({"size": 1 << 20}), 1)
    assert (demand.memory, demand.on_disk) == (3 << 20, False)
    fio = ALL.workloads["fio"]
    assert fio.demand("random-read", fio.parameters(), 4) == Demand(on_disk=True, threads=1)
