"""Command lines are remembered, and a program never outlives the laboratory, whatever cuts the call short."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer import processes
from virtometer import programs as tested
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.processes import MARKER, stat_of
from virtometer.programs import MOST_ERRORS, MOST_OUTPUT, Programs, now


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


# All of them hold its pipes. The last one cannot be known by its mark, its group or its session.
CHILDREN = """
sleep 600 & echo $!
setsid sleep 600 & echo $!
(setsid sh -c 'echo $$; sleep 600 & echo $!; wait' &)
env -i setsid sleep 600 & echo $!
sleep 0.2
"""


def numbers(listing: Path) -> list[int]:
    return [int(line) for line in listing.read_text().split()] if listing.exists() else []


def runs(pid: int) -> bool:
    one = stat_of(pid)
    return one is not None and one.state not in "ZX"


@pytest.mark.parametrize("last", ["wait", "exit 0", "exec sleep 600 >&- 2>&-"])
def test_what_a_program_started_ends_with_it(tmp_path: Path, last: str) -> None:
    """Also in sessions of its own, and where the program itself has ended or has closed its pipes."""
    listing = tmp_path / "children"
    script = CHILDREN.replace("echo $", f"echo >>{listing} $")
    if last == "exit 0":
        script = script.replace("env -i ", "")  # without a parent, a group and a mark nobody knows whose it is
    with pytest.raises(EnvironmentFailed, match=r"sh \(a test\) did not end within 2 s$"):
        Programs().run(["sh", "-c", script + last], purpose="a test", limit_s=2.0)
    children = numbers(listing)
    assert len(children) == 5
    assert [pid for pid in children if runs(pid)] == []


def test_what_a_program_started_ends_with_a_ctrl_c(tmp_path: Path) -> None:
    listing = tmp_path / "children"
    script = (
        "import signal, sys; from virtometer.programs import Programs\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "Programs().run(['sh', '-c', sys.argv[1]], purpose='long', limit_s=600)"
    )
    words = [sys.executable, "-c", script, CHILDREN.replace("echo $", f"echo >>{listing} $") + "wait"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, process_group=0)
    wait_until(lambda: len(numbers(listing)) == 5)
    process.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in process.communicate(timeout=20)[1]
    assert [pid for pid in numbers(listing) if runs(pid)] == []


def test_a_daemon_of_a_program_that_ends_in_time_is_left_alone(tmp_path: Path) -> None:
    listing = tmp_path / "daemon"
    Programs().run(["sh", "-c", f"setsid sleep 600 >/dev/null 2>&1 & echo $! >{listing}"], purpose="a test")
    [daemon] = numbers(listing)
    try:
        assert runs(daemon)
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_a_process_that_does_not_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "KILL_LIMIT_S", 0.05)
    monkeypatch.setattr(tested, "started_by", lambda leader, mark: [4_194_304])
    with pytest.raises(EnvironmentFailed, match=r"within 0\.05 s, and the processes 4194304 do not end although"):
        Programs().run(["sleep", "600"], purpose="a test", limit_s=0.05)


GREEDY = """
import resource, sys
from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    done = Programs().run(["sh", "-c", sys.argv[1]], purpose="a test", whole=sys.argv[2] == "whole", limit_s=60)
    print(len(done.stdout), len(done.stderr), done.stdout[-4:], done.stderr[-4:], sep=",", end=";")
except EnvironmentFailed as cause:
    print(cause.sentence, end=";")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def greedy(script: str, how: str) -> tuple[str, int]:
    """What came of a program, and by how many MiB the memory of the laboratory grew at most."""
    words = [sys.executable, "-c", GREEDY, script, how]
    said, _, grown = subprocess.run(words, capture_output=True, text=True, check=True).stdout.rpartition(";")
    return said, int(grown)


def test_a_program_that_prints_without_end_costs_no_memory() -> None:
    script = "(head -c 500M /dev/zero; echo end) & (head -c 500M /dev/zero; echo END) >&2; wait"
    said, grown = greedy(script, "end")
    assert said == rf"{MOST_OUTPUT},{MOST_ERRORS},b'end\n',b'END\n'"
    assert grown < 60


def test_a_program_of_which_all_is_needed_is_ended_when_that_is_too_much() -> None:
    said, grown = greedy("exec cat /dev/zero", "whole")
    assert said == "sh (a test) printed more than 4 MiB"
    assert grown < 60
    assert len(Programs().run(["head", "-c", str(MOST_OUTPUT), "/dev/zero"], purpose="t", whole=True).stdout) == (
        MOST_OUTPUT
    )


def test_input_of_any_length_is_given_while_output_is_taken() -> None:
    given = os.urandom(3 << 20)
    assert Programs().run(["cat"], purpose="a test", input_bytes=given).stdout == given
    assert Programs().run(["true"], purpose="a test", input_bytes=given).stdout == b"", "it reads nothing"
    with pytest.raises(EnvironmentFailed, match=r"did not end within 0\.2 s"):
        Programs().run(["sleep", "600"], purpose="a test", input_bytes=given, limit_s=0.2)


def test_what_is_run_meanwhile_has_the_mark() -> None:
    programs = Programs()

    def mark() -> str:
        return programs.run(["sh", "-c", f"echo ${MARKER}"], purpose="a test").stdout.decode().strip()

    with programs.marking("build-1@2.3"):
        assert mark() == "build-1@2.3"
    assert mark() != mark() != "build-1@2.3"


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
    (tmp_path / "input").write_bytes(b"def")
    given = tmp_path / "input"
    assert Programs().run(["cat"], purpose="a test", input_file=given).stdout == b"def"
    link = Programs().run(["readlink", "/proc/self/fd/0"], purpose="a test", input_file=given).stdout
    assert link.decode().strip() == str(given)
    assert not Programs().run(["cat"], purpose="a test", input_file=given, discarded=True).stdout
    with pytest.raises(FileNotFoundError):
        Programs().run(["cat"], purpose="a test", input_file=tmp_path / "none")
    assert Programs().run(["pwd"], purpose="a test", cwd=tmp_path).stdout.decode().strip() == str(tmp_path)


def test_a_spawned_program_leads_a_session_of_its_own() -> None:
    process = Programs().spawn(["sleep", "600"], purpose="a test", stdout=subprocess.DEVNULL)
    assert os.getpgid(process.pid) == os.getsid(process.pid) == process.pid
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_now_is_utc_to_the_millisecond() -> None:
    assert now().endswith("+00:00")
    assert len(now()) == len("2026-01-01T00:00:00.000+00:00")


INTERRUPTED = """
import os, signal, threading, time
from virtometer.programs import Programs
programs, interrupts, end = Programs(), 0, False
def stop(*_):
    global end
    end = True
signal.signal(signal.SIGUSR1, stop)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in a shell's background inherits it ignored
# Libraries have threads too (numpy's, for one): they take a signal that the first one only blocks.
threading.Thread(target=threading.Event().wait, daemon=True).start()
os.register_at_fork(after_in_parent=lambda: time.sleep(0.002))  # as the library's own, but long enough to be met
while True:
    try:
        print(interrupts, flush=True)  # the next one comes after this line
        while not end:
            programs.run(["true"], purpose="nothing")
        break
    except KeyboardInterrupt:
        interrupts += 1
print(interrupts)
"""


def test_no_ctrl_c_is_lost_in_the_middle_of_a_fork() -> None:
    """Python prints what a signal's handler raises between fork and exec, and forgets it."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
    )
    assert process.stdout is not None
    pause = random.Random(1)
    try:
        for interrupt in range(101):
            assert select.select([process.stdout], [], [], 20)[0], f"interrupt {interrupt} was lost"
            assert process.stdout.readline() == b"%d\n" % interrupt
            if interrupt < 100:
                time.sleep(pause.random() * 0.02)
                process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGUSR1)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert err == b""
    assert out == b"100\n"


def test_a_ctrl_c_in_the_middle_of_a_wait_does_not_hang_the_clean_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can come when Popen has its lock and not yet the duty to give it back (seen with CPython 3.11)."""
    started = []

    def cut(process: subprocess.Popen[bytes], *_: object) -> None:
        started.append(process)
        process._waitpid_lock.acquire()  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    monkeypatch.setattr(subprocess.Popen, "wait", cut)
    signal.alarm(10)
    try:
        with pytest.raises(KeyboardInterrupt):
            Programs().run(["sh", "-c", "exec sleep 600 >&- 2>&-"], purpose="a test")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    [process] = started
    assert not Path(f"/proc/{process.pid}").exists()


def test_a_program_dies_with_the_laboratory() -> None:
    script = "from virtometer.programs import Programs; Programs().run(['sleep', '4711'], purpose='long', limit_s=600)"
    process = subprocess.Popen([sys.executable, "-c", script])
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    found = wait_until(lambda: children.read_text().split())
    process.kill()
    process.wait()
    state = Path(f"/proc/{found[0]}/stat")
    wait_until(lambda: not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z")
