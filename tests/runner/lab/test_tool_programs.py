"""Which programs of the host a plan runs, and which version of each."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.runner.fixtures import MakePlan, resolved
from virtometer.programs import Programs
from virtometer.runner.lab.tool_programs import tools_of, tuning_programs, version_line, versions
from virtometer.workloads.ab import Ab
from virtometer.workloads.fio import Fio

NATIVE = {"name": "native", "kind": "native"}
FIO = {"name": "a", "workload": "fio", "op": "random-read"}
AB = {"name": "b", "workload": "ab", "op": "get"}


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_each_tool_is_named_once_in_order_and_other_workloads_are_none(make_plan: MakePlan) -> None:
    assert tools_of(resolved(make_plan([NATIVE]))) == ()
    again = {**FIO, "name": "again", "op": "sequential-read"}
    assert [tool.name for tool in tools_of(resolved(make_plan([NATIVE], [FIO, AB, again])))] == ["ab", "fio"]


def test_a_version_has_the_path_and_the_digest_of_the_program(
    tmp_path: Path, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = script(tmp_path / "my-fio", "echo fio-9.9; echo more")
    monkeypatch.setattr(Fio, "program", str(program))
    monkeypatch.setattr(Ab, "program", "no-such-program")
    plan, programs = resolved(make_plan([NATIVE], [FIO, AB])), Programs()
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    assert versions(plan, programs) == {
        "ab": "not installed",
        "fio": f"fio-9.9, {program}, SHA-256 {digest[:16]}",
    }
    assert [line.argv for line in programs.drain()] == [(str(program), "--version")]
    program.write_text(program.read_text() + "# changed\n")
    assert versions(plan, programs)["fio"] != f"fio-9.9, {program}, SHA-256 {digest[:16]}"
    assert versions(resolved(make_plan([NATIVE])), programs) == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("echo version 1; echo two", "version 1"),
        ("echo; echo '  version 2  '; exit 3", "version 2"),
        ("exit 0", "of no known version"),
        ("echo version 3 >&2", "of no known version"),
        ("printf '\\377x'", "\ufffdx"),
        ("head -c 5000 /dev/zero | tr '\\0' v", "v" * 100),
    ],
)
def test_the_first_line_on_standard_output_is_the_version(tmp_path: Path, text: str, line: str) -> None:
    assert version_line(script(tmp_path / "program", text), "--version", Programs()) == line


def test_what_cannot_be_run_has_no_version(tmp_path: Path) -> None:
    (tmp_path / "no-program").write_text("text")
    assert version_line(tmp_path / "no-program", "--version", Programs()) == "of no known version"


def test_only_guests_with_a_kernel_of_their_own_carry_programs_of_the_tuning(make_plan: MakePlan) -> None:
    run = {"run": "ip link set {interface} txqueuelen 5"}
    kinds = [
        {"name": "native", "kind": "native", "settings": {"tuning": [{"run": "tc qdisc"}]}},
        {"name": "vm", "kind": "qemu", "settings": {"tuning": [run, run, {"where": "port", "run": "bridge link"}]}},
    ]
    assert tuning_programs(resolved(make_plan(kinds))) == ("ip",)
    assert tuning_programs(resolved(make_plan(kinds[:1]))) == ()
