"""What has made timings of commands wrong elsewhere: here it cannot happen, or a condition names it."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shlex
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.laboratory import program
from tests.environments import own_dockerd
from tests.environments.own_dockerd import OwnDockerd
from virtometer.analysis import analyse
from virtometer.analysis.notes.circumstances import NAMED
from virtometer.host.rlimits import beyond
from virtometer.model import Campaign
from virtometer.model.held_back import HELD_BACK, held_back_share
from virtometer.store.ledger import Ledger

VARIABLES = json.dumps({"PATH": "/usr/bin:/bin"})
ALLOW_ALL = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
"""A filter of system calls that allows each: one instruction that returns."""

A_MILLION = 1 << 20
CLOSE_ALL = """
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  for (rlim_t one = 3; one < limit.rlim_cur; one++) close((int)one);
  printf("%lu\\n", (unsigned long)limit.rlim_cur);
}
"""
THREADS = """
#include <pthread.h>
#include <stdio.h>
static void *work(void *of) {
  volatile double sum = 0;
  for (int i = 1; i < 1500000; i++) sum += 1.0 / i;
  return of;
}
int main(void) {
  pthread_t threads[88];
  for (int i = 0; i < 88; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 88; i++) pthread_join(threads[i], NULL);
  puts("88 threads");
}
"""
BUSY = """
import time
memory = b"x" * (180 << 20)
end = time.process_time() + 0.3
while time.process_time() < end:
    pass
"""


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


def built(directory: Path, name: str, source: str, *options: str) -> None:
    """A program in C."""
    words = ["cc", "-O1", *options, "-x", "c", "-o", str(directory / name), "-"]
    subprocess.run(words, input=source, text=True, check=True)


def timed(directory: Path, *words: str, **environment: str) -> Campaign:
    """The campaign of `virtometer time` in a directory, which has the results in `out`."""
    ended = program("time", "--beside", "--out", directory / "out", *words, cwd=directory, **environment)
    assert ended.status == 0, ended.err
    with Ledger.open(directory / "out") as ledger:
        return ledger.read()


def digest(answer: str) -> str:
    """Of what a command prints, as runs have it in their conditions."""
    return hashlib.sha256(answer.encode()).hexdigest()[:16]


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


def test_threads_for_processors_that_a_processor_list_does_not_grant_are_named(agent: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    found = told(agent, "nproc", inside=["taskset", "-c", str(cpu)])
    assert found["processors_seen"] == "1"
    assert told(agent, "nproc")["processors_seen"] == str(len(os.sched_getaffinity(0)))
    assert {"processors_seen", "processors_granted"} <= NAMED.keys() & found.keys()


def test_the_number_of_descriptors_that_a_program_closes_is_named(agent: Path) -> None:
    found = told(agent, "ulimit -n", inside=["sh", "-c", 'ulimit -n 777; exec "$@"', "sh"])
    assert found["limit_open_files"] == "777"
    assert "limit_open_files" in NAMED


@needs_root
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a quota of one processor holds nothing back on one")
def test_many_threads_under_a_quota_are_timed_and_the_quota_is_named(tmp_path: Path) -> None:
    """88 threads at least, as a BLAS starts them by the processors of a large host, where one may be used."""
    built(tmp_path, "threads", THREADS, "-pthread")
    campaign = timed(tmp_path, "--in", "runc", "--cpus", "1", "-r", "1", "./threads")
    runs = [run for record in campaign.trials for run in record.scored]
    assert {run.placement.environment for run in runs} == {"native", "runc"}
    assert {run.conditions["answer"] for run in runs} == {digest("88 threads\n")}
    shares = [held_back_share(run.conditions[HELD_BACK]) for run in runs]
    assert all(share is not None for share in shares)
    assert max(share or 0 for share in shares) > 0, "it was held back"
    differing = {one.condition: one.values for one in analyse(campaign).circumstances}
    # In a container no group is to be seen: its threads are as many as the processors of the host.
    assert differing["processors_granted"]["native"] == "1"
    assert int(differing["processors_granted"]["runc"]) == len(os.sched_getaffinity(0))
    assert differing[HELD_BACK].keys() == {"native", "runc"}


@needs_root
def test_a_program_that_closes_all_descriptors_has_the_same_limit_everywhere(tmp_path: Path) -> None:
    """A million, where this process may have so many; else as many as it may have."""
    built(tmp_path, "close-all", CLOSE_ALL)
    asked = {"nofile": [A_MILLION, A_MILLION]}
    most = A_MILLION if not beyond(asked) else resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    campaign = timed(tmp_path, "--in", "runc", "--ulimit", f"nofile={most}", "-r", "1", "./close-all")
    runs = [run for record in campaign.trials for run in record.scored]
    assert {run.placement.environment for run in runs} == {"native", "runc"}
    assert {run.conditions["limits"] for run in runs} == {f"nofile={most}:{most}"}
    assert {run.conditions["answer"] for run in runs} == {digest(f"{most}\n")}


@needs_root
def test_a_million_descriptors_are_closed_where_the_kernel_grants_them(tmp_path: Path) -> None:
    """A machine of its own has a kernel that does, whatever the host's limits are."""
    built(tmp_path, "close-all", CLOSE_ALL)
    parameters = {"command": "./close-all", "ulimits": {"nofile": A_MILLION}, "workdir": str(tmp_path)}
    plan = {
        "virtometer": 1, "name": "a million", "baseline": "machine", "control": False, "blocks": 1, "seconds": 0.05,
        "environments": [{"name": "machine", "kind": "qemu", "settings": {"root": "host"}}],
        "workloads": [{"name": "close", "workload": "command", "op": "time", "parameters": parameters}],
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    ended = program("run", "plan.yaml", "--beside", "--out", tmp_path / "out", cwd=tmp_path)
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        [run] = [run for record in ledger.read().trials for run in record.scored]
    assert run.conditions["limits"] == f"nofile={A_MILLION}:{A_MILLION}"
    assert run.conditions["answer"] == digest(f"{A_MILLION}\n")


@needs_root
def test_limits_of_descriptors_that_differ_are_named(tmp_path: Path) -> None:
    built(tmp_path, "close-all", CLOSE_ALL)
    campaign = timed(tmp_path, "--in", "uml", "--output-may-differ", "-r", "1", "./close-all")
    values = next(one.values for one in analyse(campaign).circumstances if one.condition == "limit_open_files")
    assert values["native"].startswith(str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    assert values["user-mode Linux"] != values["native"]


@pytest.mark.skipif(not own_dockerd.installed(), reason="starting dockerd needs root and the Debian package docker.io")
def test_a_command_in_docker_is_counted_itself_and_not_the_client(tmp_path: Path) -> None:
    """Its processor time and memory are far above those of `docker exec`; it is on the daemon's own bridge."""
    on_a_bridge = '[ "$(hostname)" != virtometer ] || grep -q "^eth0\t00000000" /proc/net/route'
    script = f"{on_a_bridge} && exec python3 -c {shlex.quote(BUSY)}"
    with OwnDockerd(bridge=True) as daemon:
        words = ["--in", "docker", "--network", "bridge", "-r", "1", "-S", "sh", script]
        campaign = timed(tmp_path, *words, DOCKER_HOST=daemon.address)
    assert [one.effective["network"] for one in campaign.guests if one.kind == "docker"] == ["bridge"]
    runs = [run for record in campaign.trials for run in record.scored]
    assert {run.placement.environment for run in runs} == {"native", "Docker"}
    for run in runs:
        measures = {name: measure["value"] for name, measure in run.reported.measures.items()}
        assert 0.3 <= measures["user"] + measures["system"] < 3
        assert 150 << 20 <= measures["peak-memory"] < 260 << 20


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
