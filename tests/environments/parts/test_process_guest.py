from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.base import LabContext, Settings
from virtometer.environments.leftovers import remove_leftovers
from virtometer.environments.parts import process_guest
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.host.cpu.accounting import TreeAccount
from virtometer.host.owned.journal import Owner
from virtometer.host.owned.processes import marker_of
from virtometer.link.channel import Channel, Stream
from virtometer.processes import marked_processes, stat_of

ECHO = ["cat"]


def start(lab: LabContext, guest_id: str, argv: list[str | Path], *actions: Callable[[], object]) -> ProcessGuest:
    with ProcessGuest.starting(lab, guest_id) as guest:
        for action in actions:
            guest.on_stop(action)
        guest.launch(argv, purpose="a test")
    return guest


def test_stdin_and_stdout_are_the_channel_and_stderr_is_not(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest = start(lab, new_id(), ["sh", "-c", "echo beside >&2; exec cat"])
    channel = Channel(guest.stream)
    channel.send(b"to and fro\n", 5)
    line = channel.receive(5)
    assert line is not None
    assert line.data == b"to and fro"
    assert guest.stderr_tail() == "beside"
    guest.stop()
    assert guest.stderr_tail() == "beside"


def test_a_guest_with_a_stream_of_its_own_keeps_stdout_for_its_words(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    read, write = os.pipe()
    with ProcessGuest.starting(lab, new_id()) as guest:
        argv = ["sh", "-c", f"echo printed; echo said > /proc/self/fd/{write}"]
        guest.launch(argv, purpose="a test", stream=Stream(read, os.dup(write)), pass_fds=(write,))
    os.close(write)
    line = Channel(guest.stream).receive(5)
    assert line is not None
    assert line.data == b"said"
    guest.stop()
    assert guest.stderr_tail() == "printed"


def test_the_end_of_its_input_lets_a_guest_end_by_itself(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest = start(lab, new_id(), ["sh", "-c", "cat; echo ended >&2"])
    guest.stop()
    assert guest.stderr_tail() == "ended"


def test_a_guest_that_ignores_everything_is_killed(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest = start(lab, new_id(), ["sh", "-c", "trap '' TERM HUP INT; echo up; while :; do sleep 1; done"])
    assert Channel(guest.stream).receive(5) is not None
    guest.grace_s = 0.05
    guest.stop()
    guest.stop()
    assert not guest.alive()


class InterruptedLock:
    """The lock of Popen's waits, with a Ctrl-C just when it has been taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first = True

    def acquire(self, blocking: bool = True) -> bool:
        taken = self._lock.acquire(blocking)
        if self._first:
            self._first = False
            signal.raise_signal(signal.SIGINT)
        return taken

    def release(self) -> None:
        self._lock.release()


def test_a_ctrl_c_while_it_is_reaped_comes_when_nothing_is_left(
    lab: LabContext, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = start(lab, new_id(), list(ECHO))
    directory = guest.make_directory()
    monkeypatch.setattr(guest.process, "_waitpid_lock", InterruptedLock())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            guest.stop()
    finally:
        signal.signal(signal.SIGINT, before)
    assert not directory.exists()
    guest.stop()
    assert guest.process is not None
    assert guest.process.returncode is not None


def test_a_stopped_guest_is_not_waited_for(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest = start(lab, new_id(), ["sleep", "600"])
    guest.grace_s = 600
    [pid] = guest.account.processes()
    os.kill(pid, signal.SIGSTOP)
    guest.stop()
    assert not guest.alive()


def test_alive_tells_the_end_and_time_stays_countable(lab: LabContext, new_id: Callable[[], str]) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    guest = start(lab, new_id(), [sys.executable, "-S", "-c", burn])
    assert guest.alive()
    wait_until(lambda: not guest.alive())
    assert guest.cpu_ns() >= 0.28e9
    guest.stop()
    assert guest.cpu_ns() >= 0.28e9


def test_actions_at_the_stop_run_in_reverse_order_whatever_fails(lab: LabContext, new_id: Callable[[], str]) -> None:
    done: list[str] = []

    def fault() -> None:
        done.append("fault")
        raise EnvironmentFailed("this one does not go away")

    guest_id = new_id()
    guest = start(lab, guest_id, list(ECHO), lambda: done.append("first"), fault, lambda: done.append("last"))
    with pytest.raises(EnvironmentFailed, match="this one does not go away"):
        guest.stop()
    assert done == ["last", "fault", "first"]
    assert lab.journal.resources(guest_id), "what is left stays in the journal"
    lab.journal.forget(guest_id)


def test_a_fault_during_the_start_leaves_nothing(lab: LabContext, new_id: Callable[[], str]) -> None:
    seen: list[ProcessGuest] = []
    with pytest.raises(RuntimeError, match="in the middle"), ProcessGuest.starting(lab, new_id()) as guest:
        seen.append(guest)
        guest.make_directory()
        guest.launch(["sleep", "600"], purpose="a test")
        raise RuntimeError("in the middle")
    assert not seen[0].alive()


def test_a_program_that_is_missing_leaves_nothing(lab: LabContext, new_id: Callable[[], str]) -> None:
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(MissingProgram), ProcessGuest.starting(lab, new_id()) as guest:
        guest.make_directory()
        guest.launch(["/no/such/program"], purpose="a test")
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_what_the_host_refuses_is_one_sentence(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest_id = new_id()
    (lab.scratch / f"virtometer-{guest_id}").mkdir()
    with pytest.raises(EnvironmentFailed, match="cannot be started"), ProcessGuest.starting(lab, guest_id) as guest:
        guest.make_directory()
    lab.journal.forget(guest_id)
    (lab.scratch / f"virtometer-{guest_id}").rmdir()


def test_what_fails_before_the_program_is_executed_is_named(lab: LabContext, new_id: Callable[[], str]) -> None:
    absent = frozenset({max(os.sched_getaffinity(0)) + 4096})
    why = "use processor .*: binding to processors: Invalid argument"
    elsewhere = replace(lab, processors=absent)
    with pytest.raises(EnvironmentFailed, match=why), ProcessGuest.starting(elsewhere, new_id(), Settings()) as guest:
        guest.launch(["sleep", "600"], purpose="a test")


@pytest.mark.parametrize("inherits", [False, True])
def test_without_control_groups_all_of_a_guest_has_its_mark(
    lab: LabContext, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch, inherits: bool
) -> None:
    monkeypatch.setattr(process_guest, "open_account", lambda guest_id, journal: TreeAccount(guest_id))
    guest_id = new_id()
    marker = marker_of(guest_id, Owner.this())
    with ProcessGuest.starting(lab, guest_id) as guest:
        guest.launch(["sh", "-c", "setsid sleep 60 & wait"], purpose="a test", inherits=inherits)
    wait_until(lambda: len(marked_processes(marker)) == 2)
    guest.stop()
    assert marked_processes(marker) == []


def test_no_descriptor_is_left_open_after_many_starts(lab: LabContext, new_id: Callable[[], str]) -> None:
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        start(lab, new_id(), list(ECHO)).stop()
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_a_guest_that_floods_its_stderr_does_not_block_and_only_its_end_is_kept(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    guest = start(lab, new_id(), ["sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' x >&2; echo end >&2"])
    wait_until(lambda: not guest.alive())
    guest.stop()
    words = guest.stderr_tail()
    assert words.endswith("xend")
    assert len(words) <= 2000


def test_what_only_stands_once_it_runs_is_read_back_when_it_is_asked_for(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    guest = start(lab, new_id(), list(ECHO))
    limits: dict[str, int] = {}
    guest.read_back(lambda: dict(limits))
    assert "cpus" not in guest.effective
    limits["cpus"] = 2
    guest.effective |= {"platform": "none"}
    assert guest.effective["cpus"] == 2
    guest.stop()
    limits["cpus"] = 3
    assert guest.effective["cpus"] == 2
    assert guest.effective["platform"] == "none"


LABORATORY = """
import sys, time
from pathlib import Path
from virtometer.environments.base import LabContext
from virtometer.host.owned.journal import Journal
from virtometer.host.network.lan import Lan
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.programs import Programs
scratch, state, guest_id = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
journal, programs = Journal(state), Programs()
lab = LabContext(Path("/bin/true"), scratch, scratch, None, journal, programs, Lan(journal, programs))
with ProcessGuest.starting(lab, guest_id) as guest:
    guest.make_directory()
    guest.launch(["sh", "-c", "trap '' HUP TERM; (trap '' HUP; exec setsid sleep 600) & exec sleep 600"], purpose="x")
while len(guest.account.processes()) < 2: time.sleep(0.01)
print(*guest.account.processes(), flush=True)
time.sleep(600)
"""


def test_after_a_sigkill_of_the_laboratory_the_clean_up_removes_the_rest(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    guest_id = new_id()
    words = [sys.executable, "-c", LABORATORY, str(lab.scratch), str(lab.journal.directory), guest_id]
    laboratory = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert laboratory.stdout is not None
    pids = [int(pid) for pid in laboratory.stdout.readline().split()]
    assert remove_leftovers(lab.journal, lab.programs) == [], "its laboratory lives"
    laboratory.kill()
    laboratory.communicate()
    [sentence] = remove_leftovers(lab.journal, lab.programs)
    assert guest_id in sentence
    assert str(lab.scratch / f"virtometer-{guest_id}") in sentence
    for pid in pids:
        one = stat_of(pid)
        assert one is None or one.state in "ZX"
