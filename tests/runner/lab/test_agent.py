"""Where the agents are, and that the agent itself is a small thing that sleeps."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.sentences import Said
from virtometer import installation
from virtometer.errors import MissingProgram, UsageError
from virtometer.runner.lab import agent as agents
from virtometer.runner.lab.agent import agent_path

HELLO = {"magic": "virtometer", "protocol": 1, "role": "laboratory", "version": "0", "capabilities": []}
# What falling asleep takes on a busy host; an agent that looked for work every few milliseconds would use more.
MILLISECOND = 1_000_000


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which nothing is built."""
    monkeypatch.setattr(installation, "checkout", lambda: tmp_path)
    monkeypatch.delenv("VIRTOMETER_AGENT", raising=False)
    return tmp_path


def build(repository: Path, rust_target: str) -> Path:
    name = "virtometer-agent.exe" if "windows" in rust_target else "virtometer-agent"
    path = repository / "target" / rust_target / "release" / name
    path.parent.mkdir(parents=True)
    path.touch()
    return path


@pytest.mark.parametrize("name", agents.TARGETS)
def test_a_target_has_a_short_and_a_long_name(built: Path, name: str) -> None:
    rust_target = agents.TARGETS[name][0]
    for wanted in (name, rust_target):
        with pytest.raises(MissingProgram, match=f"^the agent for {wanted} is not built$") as raised:
            agent_path(wanted)
        assert raised.value.advice == "run make targets"
    path = build(built, rust_target)
    assert agent_path(name) == agent_path(rust_target) == path


@pytest.mark.parametrize("architecture", ["x86_64", "i686", "aarch64"])
def test_an_architecture_alone_means_linux(built: Path, architecture: str) -> None:
    for name in (f"{architecture}-windows", f"{architecture}-linux"):
        for rust_target in agents.TARGETS.get(name, ())[:1]:
            build(built, rust_target)
    assert agent_path(architecture) == agent_path(f"{architecture}-linux")


def test_the_host_s_agent_is_never_one_for_another_system(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rust_targets in agents.TARGETS.values():
        build(built, rust_targets[0])
    for machine, rust_target in [("aarch64", "aarch64-unknown-linux-musl"), ("i586", "i686-unknown-linux-musl")]:
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        assert agent_path().parts[-3] == rust_target
    monkeypatch.setattr("platform.machine", lambda: "sparc64")
    with pytest.raises(UsageError, match="sparc64-linux"):
        agent_path()


def test_an_unknown_target_is_answered_with_the_known_ones(said: Said) -> None:
    with pytest.raises(UsageError, match="for the target vax;") as raised:
        agent_path("vax")
    assert all(name in raised.value.sentence for name in agents.TARGETS)
    said(raised.value.sentence)


def test_the_agent_is_small_and_needs_no_library(agent: Path) -> None:
    assert agent.stat().st_size < 5_000_000
    program_headers = subprocess.run(["readelf", "-l", agent], capture_output=True, text=True, check=True).stdout
    assert "INTERP" not in program_headers


def test_an_agent_that_waits_uses_no_processor_time_and_little_memory(agent: Path) -> None:
    with subprocess.Popen([agent, "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def say(line: dict[str, object]) -> None:
            assert process.stdin is not None
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()

        say(HELLO)
        say({"id": 1, "command": "facts", "arguments": {}})
        lines = [process.stdout.readline() for _ in range(2)]
        assert b'"return"' in lines[1]
        assert resident_bytes(process.pid) < 8 << 20
        assert used_while_waiting_ns(process.pid) < MILLISECOND
        # With a run that waits for its start as well.
        task = {"kernel": "linpack", "op": "classic", "parameters": {"size": 10}, "threads": 2, "cpus": None}
        say({"id": 2, "command": "prepare", "arguments": {"run": "r", "seconds": 0.1, **task}})
        while b'"ready"' not in (line := process.stdout.readline()):
            assert b'"failed"' not in line
        assert used_while_waiting_ns(process.pid) < MILLISECOND
        process.stdin.close()
        assert process.wait(10) == 0


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def used_while_waiting_ns(pid: int) -> int:
    """Processor time of all threads over one second."""
    # How Linux numbers the processor-time clock of another process (clock_getcpuclockid(3)).
    clock = (~pid << 3) | 2
    before = time.clock_gettime_ns(clock)
    time.sleep(1)
    return time.clock_gettime_ns(clock) - before
