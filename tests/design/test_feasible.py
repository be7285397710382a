"""What is known to be impossible is said when the plan is read, with its line, not after the measuring."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.design.reading import resolved
from tests.sentences import Said
from virtometer.design.feasible import AGENT_RESERVE, HostSizes, disk_files, impossible_here, refused
from virtometer.design.parse import read_plan
from virtometer.design.schedule.residents import growing_guests
from virtometer.environments.registry import KINDS
from virtometer.errors import PlanError

PLAN = """\
virtometer: 1
name: feasible
environments:
  - {name: native, kind: native}
  - {name: box, kind: KIND}
unavailable: UNAVAILABLE
disk_span: 64M
workloads:
  - {name: w, WORKLOAD}
"""
HOST = HostSizes(memory=8 << 30, processors=frozenset({0, 1, 2}), free=1 << 30, allowed=frozenset({0, 1}))


def plan(workload: str, kind: str = "qemu", unavailable: str = "refuse") -> str:
    return PLAN.replace("WORKLOAD", workload).replace("KIND", kind).replace("UNAVAILABLE", unavailable)


def numbers(sentence: str) -> list[str]:
    """The numbers of a sentence, with their units."""
    return re.findall(r"\b\d+[KMGT]?\b", sentence)


@pytest.mark.parametrize(
    ("workload", "kind", "found"),
    [
        ("workload: disk, op: random-read, parameters: {span: 10T}", "runc", "10T 64M"),
        ("workload: disk, op: sequential-read, parameters: {size: 128M}", "runc", "128M 64M"),
        ("workload: memory, op: add, parameters: {size: 200M}", "qemu", "600M 512M"),
        ("workload: memory, op: copy, parameters: {size: 256M}", "qemu", "512M 512M 64M"),
        ("workload: memory, op: add, parameters: {size: 150M}", "qemu", "450M 512M 64M"),
        ("workload: memory, op: read, parameters: {size: 480M}", "uml", "480M 512M 44M"),
        ("workload: memory, op: copy, parameters: {size: 200M}", "runc, settings: {memory: 256MiB}", "400M 256M"),
        ("workload: linpack, op: classic, threads: 2, parameters: {size: 8000}", "uml", "976M 512M"),
        ("workload: pde, op: jacobi, parameters: {interlines: 1000}", "kvm", "1957M 512M"),
        ("workload: memory, op: latency, threads: 2", "runc", "2"),
        ("workload: fio, op: random-read, threads: 4", "runc", "4"),
        ("workload: pde, op: jacobi, threads: 2, parameters: {variant: naive}", "runc", "2"),
        ("workload: os, op: context-switch, parameters: {processes: 1024, size: 1M}", "qemu", "1G 512M"),
    ],
)
def test_what_no_host_can_do_is_an_error_of_the_plan(said: Said, workload: str, kind: str, found: str) -> None:
    with pytest.raises(PlanError) as caught:
        resolved(plan(workload, kind))
    assert caught.value.line == 9
    assert numbers(caught.value.sentence.removeprefix("p.yaml:9: ")) == found.split()
    said(caught.value.sentence)


@pytest.mark.parametrize(
    ("workload", "kind"),
    [
        ("workload: disk, op: write", "runc"),
        ("workload: disk, op: write", "qemu"),
        ("workload: disk, op: stat-random", "uml"),
        ("workload: disk, op: random-read, parameters: {span: 64M}", "qemu"),
        ("workload: memory, op: triad, parameters: {size: 64M}", "qemu"),
        ("workload: memory, op: read, parameters: {size: 420M}", "qemu"),
        ("workload: memory, op: read, parameters: {size: 450M}", "uml"),
        ("workload: memory, op: read, parameters: {size: 50M}", "qemu, settings: {memory: 128M}"),
        ("workload: memory, op: read, parameters: {size: 20M}", "uml, settings: {memory: 64M}"),
        ("workload: memory, op: copy, parameters: {size: 256M}", "runc, settings: {memory: 512M}"),
        ("workload: memory, op: latency", "qemu"),
        ("workload: linpack, op: blocked, threads: 2, parameters: {size: 8000}", "qemu, settings: {memory: 1G}"),
    ],
)
def test_what_may_be_possible_is_right(workload: str, kind: str) -> None:
    read = read_plan(plan(workload, kind), "p.yaml", KINDS)
    assert read.skipped == ()
    assert not list(impossible_here(read.resolved, HOST))


def test_a_plan_that_skips_is_right_where_its_baseline_is() -> None:
    much = "workload: memory, op: read, parameters: {size: 1G}"
    read = read_plan(plan(much, unavailable="skip"), "p.yaml", KINDS)
    ((line, sentence),) = read.skipped
    assert line == 9
    assert "'box'" in sentence and numbers(sentence) == ["1G", "512M"]
    with pytest.raises(PlanError, match="'native' \\(kind qemu\\) has 512M"):
        text = plan(much, unavailable="skip").replace("kind: native", "kind: qemu")
        resolved(text)


@pytest.mark.parametrize(
    ("workload", "kind", "found"),
    [
        ("workload: memory, op: triad, parameters: {size: 1T}", "runc", "3T 8G"),
        ("workload: os, op: fork", "qemu, settings: {memory: 16G}", "16G 8G"),
        ("workload: os, op: fork", "runc, settings: {cpuset: [1, 7]}", "7"),
        ("workload: os, op: fork", "qemu, settings: {processors: [0, 7]}", "7"),
        ("workload: os, op: fork", "native, settings: {processors: [0, 1, 2]}", "2"),
        ("workload: disk, op: read, parameters: {span: 10T}", "runc", "64M 10T 1G"),
        ("workload: disk, op: write, threads: 8, parameters: {span: 128M}", "runc", "64M 1G 1G"),
    ],
)
def test_what_this_host_cannot_do_is_told_apart(said: Said, workload: str, kind: str, found: str) -> None:
    (one,) = impossible_here(resolved(plan(workload, kind)), HOST)
    assert numbers(one.sentence) == found.split()
    said(one.sentence)


def test_one_file_that_does_not_fit_is_reported_in_the_singular(said: Said) -> None:
    read = resolved(plan("workload: disk, op: random-read", "runc"))
    (found,) = impossible_here(read, replace(HOST, free=32 << 20))
    assert numbers(found.sentence) == ["64M", "32M"]
    said(found.sentence)


def test_machines_are_the_kinds_with_a_kernel_of_their_own() -> None:
    assert {name for name, kind in KINDS.items() if kind.machine} == {"qemu", "kvm", "uml", "libvirt"}


def test_what_the_agent_leaves_to_the_system_is_known_here_too() -> None:
    source = (Path(__file__).parents[2] / "agent/kernels/src/buffer.rs").read_text()
    found = re.search(r"const RESERVE: u64 = (\d+) << (\d+);", source)
    assert found and int(found[1]) << int(found[2]) == AGENT_RESERVE


def scenario(text: str, kind: str = "qemu", workload: str = "workload: linpack, op: classic") -> list[str]:
    """What a host of 8 GiB, with 1 GiB free for results, cannot execute of a plan with this scenario."""
    read = resolved(plan(workload, kind) + f"scenarios:\n  - {{name: s, {text}}}\n")
    return [one.sentence for one in impossible_here(read, HOST)]


def test_guests_that_do_not_fit_together_are_refused_with_the_sum(said: Said) -> None:
    # 256 MiB stay free, and each machine takes 128 MiB beside its memory.
    assert scenario("type: together, environment: box, guests: [1, 12]") == []
    (sentence,) = scenario("type: together, environment: box, guests: [1, 13]")
    assert "13 x box (512M + 128M) = 8320M" in sentence and "7936M" in sentence
    said(sentence)
    big = scenario(
        "type: together, environment: native, guests: [3]", "runc", "workload: memory, op: read, parameters: {size: 3G}"
    )
    assert len(big) == 1 and "3 x native (3G + 8M) = 9240M of memory in total" in big[0]
    load = "type: loaded, environment: native, load: {workload: w, guests: 20, environment: box}"
    assert "native (2M + 8M) + 20 x box (512M + 128M) = 12810M" in scenario(load)[0]


TEN = "qemu, settings: {memory: 10G}"


@pytest.mark.parametrize("more", ["", "fresh: block\n", "fresh: block\nunavailable: skip\n"])
def test_guests_are_compared_with_what_is_free_and_not_with_what_there_is(more: str) -> None:
    text = plan("workload: linpack, op: classic", TEN).replace("unavailable: refuse\n", "") + more
    text += "scenarios:\n  - {name: s, type: together, environment: box, guests: [1, 3]}\n"
    read = resolved(text)
    host = replace(HOST, memory=40 << 30, unused=(22 << 30) + (256 << 20))
    (found,) = impossible_here(read, host)
    assert "3 x box (10G + 128M) = 31104M" in found.sentence and "22G free" in found.sentence
    assert refused(found, read.plan)
    assert list(impossible_here(read, replace(host, unused=(31104 + 256) << 20))) == []
    assert len(list(impossible_here(read, replace(host, unused=(31103 + 256) << 20)))) == 1


def test_environments_that_each_fit_are_measured_one_after_the_other() -> None:
    text = plan("workload: linpack, op: classic, parameters: {size: 100}", "qemu, settings: {memory: 2G}")
    text = text.replace("unavailable", "  - {name: two, kind: qemu, settings: {memory: 2G}}\nunavailable")
    text += "fresh: block\nscenarios:\n  - {name: s, type: together, guests: [1, 3]}\n"
    read = resolved(text)
    host = replace(HOST, unused=7 << 30)
    assert list(impossible_here(read, host)) == []
    (group,) = growing_guests(read, ["native", "box", "two"], host.room(read.plan.rules.min_free_memory_bytes))
    assert group.apart


def test_every_guest_that_works_at_the_same_time_has_a_disk_file(said: Said) -> None:
    disk = "workload: disk, op: random-read"
    text = plan(disk, "runc") + "scenarios:\n  - {name: s, type: together, guests: [2, 5]}\n"
    read = resolved(text)
    assert disk_files(read) == 5
    assert disk_files(replace(read, plan=read.plan.model_copy(update={"disk_files": "shared"}))) == 1
    assert disk_files(resolved(plan(disk, "runc"))) == 1
    assert disk_files(resolved(plan("workload: linpack, op: classic"))) == 0
    assert scenario("type: together, guests: [16]", "runc", disk) == []
    (sentence,) = scenario("type: together, guests: [17]", "runc", disk)
    assert numbers(sentence) == ["17", "1088M", "1G"]
    said(sentence)


def beside(memory: str, more: str = "") -> str:
    workload = "workload: memory, op: triad, parameters: {size: 64M}"
    return plan(workload, f"qemu, settings: {{memory: {memory}}}") + f"fresh: block\n{more}"


@pytest.mark.parametrize(
    ("memory", "arithmetic"),
    [("8000M", "2 x native 200M + box 8128M = 8528M"), ("7665M", "2 x native 200M + box 7793M = 8193M")],
)
def test_what_does_not_fit_beside_the_baseline_is_refused_with_the_arithmetic(
    said: Said, memory: str, arithmetic: str
) -> None:
    (found,) = impossible_here(resolved(beside(memory)), HOST)
    assert arithmetic in found.sentence and "8G" in found.sentence
    said(found.sentence)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(beside("7664M"), id="7664M"),
        pytest.param(beside("7665M", "control: false\n"), id="7665M without a control"),
        pytest.param(
            beside("8000M").replace("{size: 64M}", "{size: 64M}, scheduling: continuous"), id="8000M in long windows"
        ),
    ],
)
def test_what_fits_beside_the_baseline_is_not_refused(text: str) -> None:
    assert list(impossible_here(resolved(text), HOST)) == []


def test_guests_that_fit_beside_the_baseline_one_by_one_are_not_refused() -> None:
    text = beside("6G").replace("unavailable", "  - {name: two, kind: qemu, settings: {memory: 6G}}\nunavailable")
    read = resolved(text)
    assert list(impossible_here(read, HOST)) == []


def test_the_room_for_guests_is_what_no_program_has_without_the_reserve() -> None:
    assert HOST.room(1 << 30) == 7 << 30
    assert replace(HOST, unused=3 << 30).room(1 << 30) == 2 << 30
    assert replace(HOST, unused=1).room(1 << 30) == 0
