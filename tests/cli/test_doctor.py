"""`virtometer doctor` as users meet it: a table for people, exact values for programs, a sign of life meanwhile."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess

import pytest
from rich.console import Console

from tests.cli.laboratory import PROGRAM, drained, line_with, virtometer
from tests.sentences import Said
from virtometer.cli.doctor import capabilities_table, kinds_table, readable, settings_list
from virtometer.environments.parts.limits import no_limits
from virtometer.model import EnvironmentStatus
from virtometer.runner.lab.doctor import KindCheck

HOST = {
    "hostname": "here", "cpu_model": "A processor", "cpu_features": "avx fma", "cpus": 8, "cpus_allowed": 8,
    "memory_bytes": 25_276_510_208, "swap_bytes": 0, "kernel": "6.1.0", "architecture": "x86_64", "os": "Debian 12",
    "clock_source": "tsc", "governor": "", "transparent_huge_pages": "always [madvise] never", "user": "root",
}  # fmt: skip
CHECKS = [
    KindCheck(EnvironmentStatus("native", "native", True, "it answered", "", {}), "virtometer-agent", "0.1.0", ""),
    KindCheck(
        EnvironmentStatus("runc", "runc", False, "the program runc is not installed", "install the package runc", {}),
        "runc", "", "runc",
    ),
    KindCheck(
        EnvironmentStatus("uml", "uml", True, "it answered", "", {
            "network_reason": "no tap here", "disk_reason": "", "cpu_limit_reason": "no limit",
            "memory_limit_reason": "no limit",
        }),
        "linux.uml", "6.1.176", "user-mode-linux",
    ),
]  # fmt: skip


def shown(width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(kinds_table(CHECKS, wide=width >= 110))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_row_says_what_is_missing_and_what_to_do() -> None:
    lines = shown(140)
    assert [part.strip() for part in re.split(r"  +", lines[1].strip())] == [
        "kind", "works", "version", "what is missing", "what to do",
    ]  # fmt: skip
    rows = [re.split(r"  +", line.strip()) for line in lines[3:] if line.strip()]
    assert rows == [
        ["native", "yes", "virtometer-agent 0.1.0"],
        ["runc", "no", "the program runc is not installed", "install the package runc"],
        ["uml", "yes", "linux.uml 6.1.176", "no tap here; no limit"],
    ]


def test_a_narrow_terminal_has_what_to_do_below_what_is_missing() -> None:
    lines = shown(80)
    assert max(map(len, lines)) <= 80
    missing = next(number for number, line in enumerate(lines) if "the program runc is not installed" in line)
    assert lines[missing + 1].strip() == "to do: install the package runc"


def test_the_table_of_capabilities_says_yes_no_and_what_nobody_knows() -> None:
    can = {"disk": True, "network": False, "several_guests": True, "cpu_limit": True, "memory_limit": False,
           "settings": ("processors", "cpus")}  # fmt: skip
    nature = {"several_agents": False, "own_kernel": True, "namespaces": None}
    checks = [
        KindCheck(EnvironmentStatus("uml", "uml", True, "", "", can), "linux.uml", "6.1", "user-mode-linux", nature),
        KindCheck(EnvironmentStatus("runc", "runc", False, "no", "", {}), "runc", "", "runc", {}),
    ]
    file = io.StringIO()
    console = Console(file=file, width=80, color_system=None)
    console.print(capabilities_table(checks))
    rows = [line.split() for line in file.getvalue().splitlines() if line.strip().startswith(("uml", "runc"))]
    assert rows == [
        ["uml", "yes", "yes", "no", "yes", "no", "yes", "no", "yes"],
        ["runc", "no", "?", "?", "?", "?", "?", "?", "?"],
    ]
    assert "…" not in file.getvalue(), "no word is cut in a narrow terminal"
    file.truncate(file.seek(0))
    console.print(settings_list(checks))
    assert file.getvalue().splitlines() == ["uml  processors, cpus"]


def test_capabilities_of_kinds_are_shown_and_are_in_the_json() -> None:
    outcome = virtometer("doctor", "--capabilities", "native", COLUMNS="80")
    assert outcome.status == 0
    row, settings = [line.split() for line in outcome.out.splitlines() if line.strip().startswith("native")]
    limits = "no" if no_limits() else "yes"
    assert row[:9] == ["native", "yes", "yes", "yes", "yes", "yes", limits, limits, "no"]
    found = json.loads(virtometer("doctor", "--capabilities", "--json", "native").out)
    [native] = found["environments"]
    assert native["capabilities"]["namespaces"] == []
    assert native["capabilities"]["several_agents"] and not native["capabilities"]["own_kernel"]
    assert "cpuset" in native["capabilities"]["settings"]
    assert {name.strip(",") for name in settings[1:]} <= set(native["capabilities"]["settings"])
    assert all(name in outcome.out for name in native["capabilities"]["settings"])


@pytest.mark.parametrize(("changes", "name", "value"), [
    ({}, "memory", "23.5 GiB, no swap"),
    ({"memory_bytes": 536_870_912, "swap_bytes": 2 << 30}, "memory", "512 MiB, 2.0 GiB of swap"),
    ({}, "processor", "A processor, 8 CPUs, avx fma"),
    ({"cpus": 1, "cpus_allowed": 1, "cpu_features": ""}, "processor", "A processor, 1 CPU"),
    ({}, "huge pages", "madvise"),
    ({}, "frequency governor", "none that is visible"),
    ({}, "host", "here, Debian 12, Linux 6.1.0, x86_64"),
])  # fmt: skip
def test_facts_of_the_host_have_units_for_people(changes: dict[str, object], name: str, value: str) -> None:
    assert dict(readable(HOST | changes))[name] == value


def test_cpus_that_this_process_may_not_use_are_reported(said: Said) -> None:
    processor = dict(readable(HOST | {"cpus_allowed": 2}))["processor"]
    assert "8 CPUs" in processor and "may use 2" in processor
    said(processor)


def test_json_has_exact_values_and_nothing_else_is_printed() -> None:
    outcome = virtometer("doctor", "--json", "native", "bubblewrap")
    assert (outcome.status, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert set(found) == {"host", "environments"}
    assert [environment["name"] for environment in found["environments"]] == ["native", "bubblewrap"]
    for environment in found["environments"]:
        assert set(environment) == {
            "name", "works", "reason", "advice", "capabilities", "program", "version", "package",
        }  # fmt: skip
        assert environment["works"] or environment["reason"]
        assert re.match(r"\d+\.\d", environment["version"])
    assert found["environments"][0]["works"]
    assert found["environments"][0]["program"] == "virtometer-agent"
    assert found["environments"][1]["package"] == "bubblewrap"
    assert "cpu_model" in found["host"]
    assert found["host"]["memory_bytes"] > 1 << 20


def test_piped_it_names_each_kind_before_its_check(said: Said) -> None:
    outcome = virtometer("doctor", "native", "bubblewrap", PATH="/nonexistent", COLUMNS="130")
    assert (outcome.status, outcome.err) == (0, "checking native (1 of 2)\nchecking bubblewrap (2 of 2)\n")
    assert re.search(r"^ *native +yes +virtometer-agent [\d.]+ *$", outcome.out, re.MULTILINE)
    kind, works, missing, advice = re.split(r"  +", line_with("bwrap", outcome.out).strip())
    assert (kind, works) == ("bubblewrap", "no")
    said(f"{missing}\n{advice}")
    assert re.search(r"^memory +[\d.]+ [GM]iB, ", outcome.out, re.MULTILINE)


def test_on_a_terminal_what_is_being_checked_is_one_line_that_goes_away() -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "doctor", "native", "bubblewrap"], stdin=slave, stdout=subprocess.PIPE, stderr=slave, text=True,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"},
    )  # fmt: skip
    os.close(slave)
    text = drained(master, lambda: process.poll() is not None)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, text
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", text)
    stages = [line.strip() for line in plain.splitlines() if line.strip()]
    assert stages[0] == "reading the host"
    assert "checking native (1 of 2): starting a guest" in stages
    assert stages[-1] == "checking bubblewrap (2 of 2): starting a guest"
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1
    assert "checking" not in out
    assert "kind" in out


def test_an_unknown_kind_is_refused_before_anything_is_checked(said: Said) -> None:
    outcome = virtometer("doctor", "native", "vmware")
    assert (outcome.status, outcome.out) == (2, "")
    assert "'vmware'" in outcome.err
    said(outcome.err.partition(", ")[0])
