"""What has made timings of commands wrong elsewhere: here it cannot happen, or a condition names it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.laboratory import program
from virtometer.analysis import analyse
from virtometer.analysis.notes.circumstances import NAMED
from virtometer.store.ledger import Ledger

VARIABLES = json.dumps({"PATH": "/usr/bin:/bin"})
ALLOW_ALL = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
"""A filter of system calls that allows each: one instruction that returns."""


def told(agent: Path, script: str, *more: str, inside: Sequence[str] = (), **how: Any) -> dict[str, str]:
    """The conditions of a script that the agent times below another program."""
    words = ["measure", "command", "--op", "time", "--program", "/bin/sh", "--arguments", json.dumps(["-c", script])]
    ended = subprocess.run(
        [*inside, agent, *words, "--variables", VARIABLES, "--seconds", "0.01", "--json", *more],
        capture_output=True, check=False, timeout=200, stdin=subprocess.DEVNULL, **how,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    conditions: dict[str, str] = json.loads(ended.stdout)["conditions"]
    return conditions


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")


@needs_root
def test_byte_code_that_cannot_be_kept_is_named_by_the_mount(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("")
    script = f"cd {tmp_path} && python3 -c 'import module' && ls"
    mounted = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,ro,bind {tmp_path}"
    inside = ["unshare", "-m", "sh", "-c", f'{mounted} && exec "$@"', "sh"]
    read_only = told(agent, script, "--directory", str(tmp_path), inside=inside)
    assert not (tmp_path / "__pycache__").exists()
    writable = told(agent, script, "--directory", str(tmp_path), "--output-may-differ")
    assert (tmp_path / "__pycache__").exists()
    assert read_only["directory_mount"].endswith("read-only") and writable["directory_mount"].endswith("writable")


def test_programs_that_look_at_their_output_find_a_pipe_unless_it_is_discarded(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x\n" * 1_000_000)
    # How many bytes the shell and its children have read.
    script = "grep x data; sed -n 's/rchar: //p' /proc/$$/io > count"
    assert told(agent, script, "--directory", str(tmp_path))["standard_output"] == "pipe"
    assert int((tmp_path / "count").read_text()) > 2_000_000
    assert told(agent, script, "--directory", str(tmp_path), "--output", "null")["standard_output"] == "null"
    assert int((tmp_path / "count").read_text()) < 1_000_000


def test_nobody_waits_for_a_terminal_or_for_input(agent: Path) -> None:
    assert told(agent, "cat; ! tty -s; ! read line < /dev/tty", "--limit-ms", "20000", start_new_session=True)


def test_threads_for_processors_that_a_quota_does_not_grant_are_named(agent: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    found = told(agent, "nproc", inside=["taskset", "-c", str(cpu)])
    assert found["processors_seen"] == "1"
    assert told(agent, "nproc")["processors_seen"] == str(len(os.sched_getaffinity(0)))
    assert {"processors_seen", "processors_granted"} <= NAMED.keys() & found.keys()


def test_the_number_of_descriptors_that_a_program_closes_is_named(agent: Path) -> None:
    found = told(agent, "ulimit -n", inside=["sh", "-c", 'ulimit -n 777; exec "$@"', "sh"])
    assert found["limit_open_files"] == "777"
    assert "limit_open_files" in NAMED


def test_filters_of_system_calls_and_mitigations_are_named(agent: Path) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(ALLOW_ALL)
        file.seek(0)
        inside = ["bwrap", "--dev-bind", "/", "/", "--seccomp", str(file.fileno())]
        filtered = told(agent, ":", inside=inside, pass_fds=[file.fileno()])
    free = told(agent, ":")
    assert (free["seccomp"], filtered["seccomp"], filtered["no_new_privileges"]) == ("off", "filter", "yes")
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    for condition, line in (
        ("speculation_store_bypass", "Speculation_Store_Bypass"),
        ("speculation_indirect_branch", "SpeculationIndirectBranch"),
    ):
        assert free.get(condition) == status.get(line)
        assert condition in NAMED


@needs_root
def test_the_command_itself_is_timed_in_the_container_and_what_differs_is_listed(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(
        '#!/bin/sh\n[ "$(cat /proc/$PPID/comm)" = virtometer-agen ] || exit 1\nsleep 0.15\n'
    )
    (tmp_path / "script").chmod(0o755)
    words = [
        "--in",
        "runc",
        "--budget",
        "1s",
        "--beside",
        "--cold",
        "--relative-to-empty",
        "--out",
        str(tmp_path / "out"),
    ]
    ended = program("time", *words, "--workdir", tmp_path, "./script", cwd=tmp_path)
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    analysis = analyse(campaign)
    assert all(finding.comparable for finding in analysis.findings)
    differing = {one.condition: one.values for one in analysis.circumstances}
    assert differing["directory_mount"]["runc"] == "overlay, writable"
    assert {key[1]: one.ratio is None for key, one in analysis.cold.items()} == {"native": True, "runc": False}
    assert all(one.whole.estimate.value > one.start.estimate.value + 0.15 for one in analysis.cold.values())
    assert analysis.without_empty["./script", "runc"].ratio is not None
    assert len({run.guest_id for record in campaign.trials for run in record.runs}) == len(campaign.trials)
