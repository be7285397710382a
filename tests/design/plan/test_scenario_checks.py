"""Scenarios that are wrong have one sentence each, with their line; those that are right name their workloads."""

from __future__ import annotations

import pytest

from tests.design.reading import parsed
from virtometer.errors import PlanError
from virtometer.model import Plan

TEXT = """\
virtometer: 1
name: several
environments:
  - {name: native, kind: native}
  - {name: box, kind: runc}
  - {name: sandbox, kind: bubblewrap}
workloads:
  - {name: linpack, workload: linpack, op: classic}
  - {name: disk read, workload: disk, op: random-read}
  - {name: stream, workload: net, op: stream}
  - {name: memory, workload: memory, op: triad, factors: {size: [4K, 64M]}}
scenarios:
"""


def read(*scenarios: str) -> Plan:
    return parsed(TEXT + "".join(f"  - {{{one}}}\n" for one in scenarios))


@pytest.mark.parametrize(
    ("scenario", "workloads"),
    [
        ("name: s, type: alone", ["linpack", "disk read", "stream", "memory 4K", "memory 64M"]),
        ("name: s, type: together, environment: box, workload: linpack, guests: [1, 2, 3]", ["linpack"]),
        ("name: s, type: together, workload: memory, guests: [1]", ["memory 4K", "memory 64M"]),
        ("name: s, type: together, workload: memory 4K, guests: [1]", ["memory 4K"]),
        (
            "name: s, type: loaded, environment: box, workload: disk read, load: {workload: linpack, guests: 2}",
            ["disk read"],
        ),
        ("name: s, type: pair, environment: box", ["stream"]),
        ("name: s, type: matrix, members: [native, box, box], workload: stream", ["stream"]),
        (
            "name: s, type: mixed, environment: box, workloads: [disk read, stream], guests: [1]",
            ["disk read", "stream"],
        ),
        ("name: s, type: instances, environment: native, workload: linpack, count: [1, 2, 4]", ["linpack"]),
    ],
)
def test_a_scenario_that_was_read_names_its_workloads(scenario: str, workloads: list[str]) -> None:
    assert read(scenario).scenarios[0].workloads == workloads


def test_a_plan_without_scenarios_has_none() -> None:
    text = TEXT.removesuffix("scenarios:\n")
    assert parsed(text).scenarios == []
    with pytest.raises(PlanError, match=r"12: unknown field 'scenario'; did you mean 'scenarios'"):
        parsed(text + "scenario: together\n")


@pytest.mark.parametrize(
    ("scenario", "sentence"),
    [
        ("name: s, type: togehter", "'type' is 'togehter'; did you mean 'together'? allowed: alone, together, loaded,"),
        ("name: s, type: together", "a scenario of the type together needs 'guests', such as [1, 2, 3]"),
        ("name: s, type: together, guests: []", "a scenario of the type together needs 'guests', such as [1, 2, 3]"),
        ("name: s, type: together, guests: [0]", "item 1 of 'guests' is 0, but must be at least 1"),
        ("name: s, type: together, guests: [2, 1, 2]", "'guests' has 2 twice"),
        ("name: s, type: together, guests: [65]", "item 1 of 'guests' is 65, but must be at most 64"),
        (
            "name: s, type: together, guests: [1], environment: bx",
            "the plan has no environment 'bx'; did you mean 'box'? allowed: native, box, sandbox",
        ),
        (
            "name: s, type: together, guests: [1], workload: linpak",
            "the plan has no workload 'linpak'; did you mean 'linpack'? allowed: linpack, disk read, stream, memory,",
        ),
        ("name: s, type: together, guests: [1], members: [box]", "a scenario of the type together has no 'members'"),
        ("name: s, type: pair, guests: [1]", "a scenario of the type pair has no 'guests'"),
        (
            "name: s, type: loaded",
            "a scenario of the type loaded needs 'load', such as {workload: linpack, guests: 2}",
        ),
        (
            "name: s, type: loaded, load: {workload: memory}",
            "the plan has no workload 'memory'; did you mean 'memory 4K'?",
        ),
        ("name: s, type: loaded, load: {workload: linpack, guests: 0}", "'guests' is 0, but must be at least 1"),
        (
            "name: s, type: loaded, load: {workload: linpack, guests: 64}",
            "a trial has 64 guests at most, the measured one included",
        ),
        (
            "name: s, type: loaded, load: {workload: linpack, environment: x}",
            "the plan has no environment 'x'; allowed: native, box, sandbox",
        ),
        (
            "name: s, type: pair, workload: linpack",
            "'linpack' does not measure the network, so it cannot run between two guests",
        ),
        (
            "name: s, type: matrix",
            "a scenario of the type matrix needs 'members', such as [box, box, other]",
        ),
        ("name: s, type: matrix, members: [box]", "a matrix has two members or more"),
        ("name: s, type: matrix, members: [box, bax]", "the plan has no environment 'bax'; did you mean 'box'?"),
        (
            "name: s, type: mixed, guests: [1], workloads: [linpack]",
            "a scenario of the type mixed has two workloads or more",
        ),
        (
            "name: s, type: mixed, guests: [1], workloads: [linpack, linpack]",
            "'workloads' has 'linpack' twice; the type instances runs one workload several times",
        ),
        ("name: s, type: mixed, guests: [1], workload: linpack", "a scenario of the type mixed has no 'workload'"),
        (
            "name: s, type: instances, environment: sandbox, count: [2]",
            "'sandbox' (kind bubblewrap) has one agent in a guest, and 'threads' is not the same as several processes; "
            "kinds with several agents: native, runc",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(scenario: str, sentence: str) -> None:
    with pytest.raises(PlanError) as caught:
        read(scenario)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"p.yaml:13: {sentence}")


def test_what_is_wrong_elsewhere_is_told_before_a_scenario_without_its_load() -> None:
    text = TEXT.replace("kind: runc", "kind: ruc") + "  - {name: s, type: loaded, workload: linpack}\n"
    with pytest.raises(PlanError, match="ruc"):
        parsed(text)


def test_two_scenarios_of_one_name_are_refused() -> None:
    with pytest.raises(PlanError, match="14: another scenario, in line 13, already has the name 's'"):
        read("name: s, type: alone", "name: s, type: alone")


def test_a_network_scenario_without_a_network_workload_is_refused() -> None:
    text = TEXT.replace("  - {name: stream, workload: net, op: stream}\n", "") + "  - {name: s, type: pair}\n"
    with pytest.raises(PlanError, match="a scenario of the type pair measures the network, and no workload of the"):
        parsed(text)
