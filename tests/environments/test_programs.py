from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.programs import Programs, now


def test_every_command_line_is_remembered_once() -> None:
    programs = Programs()
    programs.run(["true"], purpose="first")
    programs.run(["sh", "-c", "exit 3"], purpose="second", check=False)
    programs.spawn(["true"], purpose="third").wait()
    record = programs.drain()
    assert [(one.purpose, one.argv, one.status) for one in record] == [
        ("first", ("true",), 0),
        ("second", ("sh", "-c", "exit 3"), 3),
        ("third", ("true",), None),
    ]
    assert programs.drain() == []


def test_a_program_that_fails_is_quoted() -> None:
    with pytest.raises(EnvironmentFailed, match=r"sh \(a test\) failed with status 4: the reason"):
        Programs().run(["sh", "-c", "echo noise; echo the reason >&2; exit 4"], purpose="a test")
    with pytest.raises(EnvironmentFailed, match="without a word"):
        Programs().run(["false"], purpose="a test")


def test_a_program_that_takes_too_long_is_ended_and_remembered() -> None:
    programs = Programs()
    with pytest.raises(EnvironmentFailed, match=r"did not end within 0\.05 s"):
        programs.run(["sleep", "600"], purpose="a test", limit_s=0.05)
    [record] = programs.drain()
    assert record.status is None


def test_a_missing_program_names_its_package(tmp_path: Path) -> None:
    with pytest.raises(MissingProgram) as caught:
        Programs().find("no-such-program", "its-package")
    assert caught.value.advice == "install the Debian package its-package"
    with pytest.raises(MissingProgram):
        Programs().run([tmp_path / "missing"], purpose="a test")
    with pytest.raises(MissingProgram):
        Programs().spawn([tmp_path / "missing"], purpose="a test")


def test_programs_of_the_administrator_are_found_without_being_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert Programs().find("ip", "iproute2").name == "ip"


def test_input_is_given_and_otherwise_empty(tmp_path: Path) -> None:
    assert Programs().run(["cat"], purpose="a test", input_bytes=b"abc").stdout == b"abc"
    assert Programs().run(["cat"], purpose="a test").stdout == b""
    assert Programs().run(["pwd"], purpose="a test", cwd=tmp_path).stdout.decode().strip() == str(tmp_path)


def test_a_spawned_program_leads_a_session_of_its_own() -> None:
    process = Programs().spawn(["sleep", "600"], purpose="a test", stdout=subprocess.DEVNULL)
    assert os.getpgid(process.pid) == os.getsid(process.pid) == process.pid
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_now_is_utc_to_the_millisecond() -> None:
    assert now().endswith("+00:00")
    assert len(now()) == len("2026-01-01T00:00:00.000+00:00")


LOOP = """
import signal, sys
from virtometer.programs import Programs
programs, interrupts, end = Programs(), 0, False
def stop(*_):
    global end
    end = True
signal.signal(signal.SIGUSR1, stop)
print("ready", flush=True)
def spin():
    global interrupts
    while not end:
        try:
            programs.run(["true"], purpose="nothing")
        except KeyboardInterrupt:
            interrupts += 1
while not end:
    try:
        spin()
    except KeyboardInterrupt:
        interrupts += 1
print(interrupts)
"""


def test_no_ctrl_c_is_lost_in_the_middle_of_a_fork() -> None:
    """Python prints what a signal's handler raises between fork and exec, and forgets it."""
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    pause = random.Random(1)
    time.sleep(0.3)  # until it is in its loop
    for _ in range(100):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02 + pause.random() * 0.01)
    process.send_signal(signal.SIGUSR1)
    out, err = process.communicate(timeout=60)
    assert err == ""
    # Two that come while the program does not run are one to the system.
    assert 97 <= int(out) <= 100


def test_a_program_dies_with_the_laboratory() -> None:
    script = "from virtometer.programs import Programs; Programs().run(['sleep', '4711'], purpose='long', limit_s=600)"
    process = subprocess.Popen([sys.executable, "-c", script])
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 20
    while not (found := children.read_text().split()) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    state = Path(f"/proc/{found[0]}/stat")
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
