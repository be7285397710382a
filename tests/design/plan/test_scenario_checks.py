"""Scenarios that are wrong have one sentence each, with their line; those that are right name their workloads."""

from __future__ import annotations

import pytest

from tests.design.reading import parsed
from tests.sentences import Said
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
    ("scenario", "fact"),
    [
        ("name: s, type: togehter", "'together'"),
        ("name: s, type: together", "'guests'"),
        ("name: s, type: together, guests: []", "'guests'"),
        ("name: s, type: together, guests: [0]", "at least 1"),
        ("name: s, type: together, guests: [2, 1, 2]", "2 twice"),
        ("name: s, type: together, guests: [65]", "at most 64"),
        ("name: s, type: together, guests: [1], environment: bx", "'box'"),
        ("name: s, type: together, guests: [1], workload: linpak", "'linpack'"),
        ("name: s, type: together, guests: [1], members: [box]", "'members'"),
        ("name: s, type: pair, guests: [1]", "'guests'"),
        ("name: s, type: loaded", "'load'"),
        ("name: s, type: loaded, load: {workload: memory}", "'memory 4K'"),
        ("name: s, type: loaded, load: {workload: linpack, guests: 0}", "at least 1"),
        ("name: s, type: loaded, load: {workload: linpack, guests: 64}", "64 guests"),
        ("name: s, type: loaded, load: {workload: linpack, environment: x}", "'x'"),
        ("name: s, type: pair, workload: linpack", "'linpack'"),
        ("name: s, type: matrix", "'members'"),
        ("name: s, type: matrix, members: [box]", "two members"),
        ("name: s, type: matrix, members: [box, bax]", "'box'"),
        ("name: s, type: mixed, guests: [1], workloads: [linpack]", "two workloads"),
        ("name: s, type: mixed, guests: [1], workloads: [linpack, linpack]", "'linpack' twice"),
        ("name: s, type: mixed, guests: [1], workload: linpack", "'workload'"),
        ("name: s, type: instances, environment: sandbox, count: [2]", "native, runc"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(said: Said, scenario: str, fact: str) -> None:
    with pytest.raises(PlanError) as caught:
        read(scenario)
    (line,) = caught.value.sentence.splitlines()
    assert line.startswith("p.yaml:13: ") and fact in line
    said(line)


def test_what_is_wrong_elsewhere_is_reported_before_a_scenario_without_its_load() -> None:
    text = TEXT.replace("kind: runc", "kind: ruc") + "  - {name: s, type: loaded, workload: linpack}\n"
    with pytest.raises(PlanError, match="ruc"):
        parsed(text)


def test_two_scenarios_of_one_name_are_refused() -> None:
    with pytest.raises(PlanError, match="14: another scenario, in line 13, already has the name 's'"):
        read("name: s, type: alone", "name: s, type: alone")


def test_a_network_scenario_without_a_network_workload_is_refused(said: Said) -> None:
    text = TEXT.replace("  - {name: stream, workload: net, op: stream}\n", "") + "  - {name: s, type: pair}\n"
    with pytest.raises(PlanError) as caught:
        parsed(text)
    assert caught.value.line == 12 and "type pair" in caught.value.sentence
    said(caught.value.sentence)


FAMILIES = """\
virtometer: 1
name: families
environments:
  - {name: native, kind: native}
workloads:
  - {name: read, workload: disk, op: sequential-read, factors: {size: [4K, 64K, 1M]}}
  - {name: send, workload: net, op: stream, factors: {size: [4K, 64K], direction: [send, receive]}}
  - {name: large, workload: memory, op: triad, factors: {size: [64M]}}
  - {name: linpack, workload: linpack, op: classic}
scenarios:
  - {name: s, type: mixed, workloads: [NAMES], guests: [1, 2]}
"""


def test_works_of_several_sizes_are_mixed_size_by_size() -> None:
    found = parsed(FAMILIES.replace("NAMES", "read, send, linpack")).scenarios
    assert {one.name: one.workloads for one in found} == {
        f"s {size} direction {way}": [f"read {size}", f"send {size} direction {way}", "linpack"]
        for size in ("4K", "64K")
        for way in ("send", "receive")
    }
    assert all(one.guests == [1, 2] for one in found)


def test_one_level_may_be_named_in_a_mixture() -> None:
    (found,) = parsed(FAMILIES.replace("NAMES", "read 4K, linpack")).scenarios
    assert (found.name, found.workloads) == ("s", ["read 4K", "linpack"])


def test_a_mixture_of_no_common_level_is_refused(said: Said) -> None:
    with pytest.raises(PlanError) as caught:
        parsed(FAMILIES.replace("NAMES", "read, large"))
    assert caught.value.line == 11
    said(caught.value.sentence)


def test_mixtures_of_too_many_levels_are_refused(said: Said) -> None:
    sizes = ", ".join(f"{number}K" for number in range(1, 61))
    text = FAMILIES.replace("[4K, 64K, 1M]", f"[{sizes}]").replace("NAMES", "read, linpack")
    more = "".join(f"  - {{name: m{n}, type: together, workload: linpack, guests: [1]}}\n" for n in range(5))
    assert len(parsed(text).scenarios) == 60
    with pytest.raises(PlanError) as caught:
        parsed(text + more)
    said(caught.value.sentence)


def test_a_mixture_of_more_than_sixteen_works_is_refused(said: Said) -> None:
    works = [f"  - {{name: w{number}, workload: linpack, op: classic}}\n" for number in range(17)]
    text = FAMILIES.replace("scenarios:\n", "".join(works) + "scenarios:\n")
    names = [f"w{number}" for number in range(17)]
    assert parsed(text.replace("NAMES", ", ".join(names[:16]))).scenarios[0].workloads == names[:16]
    with pytest.raises(PlanError) as caught:
        parsed(text.replace("NAMES", ", ".join(names)))
    said(caught.value.sentence)
