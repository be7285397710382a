"""A guest that is a tree of host processes: started, accounted, watched and ended completely in one way for all kinds.

    with ProcessGuest.starting(lab, guest_id, settings) as guest:  # anything raised in here stops the guest first
        directory = guest.make_directory()
        guest.on_stop(lambda: ...)                         # runs at the stop, in reverse order, whatever else fails
        guest.launch(argv, purpose="...")                  # channel over stdin and stdout, a descriptor or `stream`
    return guest

The processes die with the laboratory: PR_SET_PDEATHSIG on the launcher first, the journal's clean-up for all the rest.
That signal comes when the *thread* that started the guest ends: it has to live as long as the guest.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from virtometer.deferred_signals import deferred_signals
from virtometer.environments.base import Check, DiskTarget, Environment, Guest, LabContext, NetworkPath, Settings
from virtometer.errors import EnvironmentFailed, MissingProgram, VirtometerError
from virtometer.host.cpu.accounting import Account, open_account
from virtometer.host.cpu.parts import CpuReading, Division
from virtometer.host.cpu.processors import place, processor_list
from virtometer.host.cpu.quota import quota_periods
from virtometer.host.cpu.thread_times import ThreadTimes
from virtometer.host.cpu.weight import CONDITION, weigh
from virtometer.host.network.lan import NAMESPACES
from virtometer.host.owned.directories import DIRECTORY, remove_directory
from virtometer.host.owned.processes import PROCESS_GROUP
from virtometer.host.programs import refusals
from virtometer.link.channel import Channel, Stream
from virtometer.link.session import Session
from virtometer.processes import kill_all, stat_of
from virtometer.visible import visible

_WORDS = 2_000
_PADDING = "VIRTOMETER_PADDING"  # an environment variable without a meaning
_PAGE = 4096
_STDERR_PIPE = 1 << 20
_READS = 64  # of 64 KiB: four times what the pipe holds

ON_DESCRIPTOR = ("descriptor", "3")
"""The agent's words for the channel of a launch with `descriptor`."""
# The end of the channel comes as stdin, because the number of another descriptor is not free to choose.
_MOVE_CHANNEL = ("/bin/sh", "-c", 'exec "$@" 3<&0 </dev/null', "sh")


class ProcessGuest(Guest):
    """A guest whose processes are children of the laboratory."""

    def __init__(self, lab: LabContext, guest_id: str, settings: Settings | None = None) -> None:
        """Use `starting`."""
        self._processors: frozenset[int] | None = None
        if settings is not None:
            given = settings.processors
            self._processors = frozenset(given) if isinstance(given, tuple) else lab.processors
        self.lab = lab
        self.guest_id = guest_id
        self.stream = Stream(-1, -1)
        self.disk: DiskTarget | None = None
        self.network: NetworkPath | None = None
        self.refused_programs = refusals(lab.host_programs)
        self._effective: dict[str, Any] = {}
        if self._processors is not None:
            self._effective["processors"] = processor_list(self._processors)
        self._read_backs: list[Callable[[], dict[str, Any]]] = []
        self.grace_s = 0.5  # how long the guest may take to end without a signal after the end of its input
        self._account: Account | None = None
        self._threads = ThreadTimes(lambda: [] if self._account is None else self._account.processes())
        self.process: subprocess.Popen[bytes] | None = None
        self._on_stop: list[Callable[[], object]] = []
        self._stderr = -1
        self._tail = b""
        self._has_directory = False
        self._stopped = False
        self._cpu_ns = 0

    @classmethod
    @contextmanager
    def starting(cls, lab: LabContext, guest_id: str, settings: Settings | None = None) -> Iterator[Self]:
        """Give a guest to be filled; stops it when the block raises. What the host refuses is EnvironmentFailed.

        Its processors are those of `settings`. Without them, what serves beside guests stays with the laboratory.
        """
        guest = cls(lab, guest_id, settings)
        try:
            yield guest
        except BaseException as cause:
            with contextlib.suppress(VirtometerError):  # the first fault is reported; the journal keeps the rest
                guest.stop()
            if isinstance(cause, OSError):
                raise EnvironmentFailed(f"the guest {guest_id} cannot be started: {cause}") from cause
            raise

    @property
    def account(self) -> Account:
        """The account of the guest's CPU time, opened when it is first asked for."""
        if self._account is None:
            self._account = open_account(self.guest_id, self.lab.journal)
            self.effective["cpu_accounting"] = self._account.method
        return self._account

    @property
    def effective(self) -> dict[str, Any]:
        """What it really got: what was set, and what is read back now."""
        for read in () if self._stopped else self._read_backs:
            with contextlib.suppress(OSError, ValueError):
                self._effective |= read()
        return self._effective

    @effective.setter
    def effective(self, value: dict[str, Any]) -> None:
        self._effective = value

    def read_back(self, source: Callable[[], dict[str, Any]]) -> None:
        """Add a source that `effective` reads each time, because its values only stand once the guest runs."""
        self._read_backs.append(source)

    @property
    def directory(self) -> Path:
        """The guest's own directory, which `make_directory` makes."""
        return self.lab.scratch / f"virtometer-{self.guest_id}"

    def make_directory(self) -> Path:
        """The guest's own directory under lab.scratch (journaled, removed at the stop); it is made once."""
        directory = self.directory
        if self._has_directory:
            return directory
        self.lab.journal.record(self.guest_id, DIRECTORY, path=str(directory))
        directory.mkdir(mode=0o700)
        self._has_directory = True
        self.on_stop(lambda: remove_directory(directory))
        return directory

    def add_network(self, pid: int | None = None) -> Path:
        """Give it a network namespace of its own on the laboratory's bridge; returns the namespace's file.

        pid: of a process of the guest that has one already.
        """
        name = f"virtometer-{self.guest_id}"
        namespace = self.lab.lan.add_namespace(self.guest_id, name, pid)
        self.on_stop(lambda: self.lab.lan.delete_namespace(name))
        self.on_stop(lambda: self.lab.lan.detach(self.guest_id))
        self.network = self.lab.lan.attach_veth(self.guest_id, name)
        return namespace

    def on_stop(self, action: Callable[[], object]) -> None:
        """Add something to be done at the stop, after the processes are gone, in reverse order."""
        self._on_stop.append(action)

    def launch(
        self,
        argv: Sequence[str | Path],
        *,
        purpose: str,
        stream: Stream | None = None,
        pass_fds: Sequence[int] = (),
        namespace: str | None = None,
        inherits: bool = False,
        descriptor: bool = False,
    ) -> None:
        """Start the launcher in the guest's account, in network namespace `namespace` where one is named.

        `inherits`: the agent has the launcher's environment variables, so that their size moves its stack: it is random
        for each start, and recorded, so that no difference of two guests is one of their layout in memory.

        Without `stream` its stdin and stdout (pipes) are the channel; else stdin is /dev/null and `stream` is kept.
        `descriptor`: the channel is its descriptor 3 instead, one end of a pair of sockets, which a launcher hands on
        to the agent (`ON_DESCRIPTOR`). A launcher that copies stdin and stdout works beside the guest at each message.
        What it prints to stderr (without the pipes: stdout too) becomes `stderr_tail`. The caller closes `pass_fds`.
        """
        if descriptor and shutil.which(argv[0]) is None:  # of the shell that moves the channel one would hear it late
            raise MissingProgram(f"the program {argv[0]} is not installed")
        account = self.account
        self._effective[CONDITION] = weigh(account)
        to_close: list[int] = []
        try:
            self._stderr, stderr = os.pipe()
            to_close.append(stderr)
            os.set_blocking(self._stderr, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(stderr, fcntl.F_SETPIPE_SZ, _STDERR_PIPE)
            stdin, stdout = subprocess.DEVNULL, stderr
            if descriptor:
                ours, theirs = socket.socketpair()
                stdin = theirs.detach()
                to_close.append(stdin)
                channel = ours.detach()
                self.stream.read_fd = self.stream.write_fd = channel
                argv = [*_MOVE_CHANNEL, *argv]
            elif stream is None:
                stdin, write_fd = os.pipe()
                to_close.append(stdin)
                self.stream.write_fd = write_fd
                self.stream.read_fd, stdout = os.pipe()
                to_close.append(stdout)
            else:
                self.stream = stream
            if namespace is not None:
                purpose += f", in network namespace {namespace}"
            before_exec = _BeforeExec(account, namespace, self._processors)
            to_close += before_exec.descriptors
            try:
                with deferred_signals():
                    self.process = self.lab.programs.spawn(
                        argv,
                        purpose=purpose,
                        stdin=stdin,
                        stdout=stdout,
                        stderr=stderr,
                        pass_fds=pass_fds,
                        preexec=before_exec,
                        env={**os.environ, **account.variables, **(self._padding() if inherits else {})},
                    )
            except subprocess.SubprocessError as cause:
                where = f" or use processor {processor_list(self._processors)}" if self._processors else ""
                why = f": {words}" if (words := self.stderr_tail()) else ""
                reason = f"{argv[0]} ({purpose}) could not enter its cgroup or namespace{where}{why}"
                raise EnvironmentFailed(reason) from cause
        finally:
            for fd in to_close:
                os.close(fd)
        account.opened_for(self.process.pid)
        leader = stat_of(self.process.pid)
        if leader is not None:
            self.lab.journal.record(self.guest_id, PROCESS_GROUP, leader=leader.pid, start=leader.start)

    def _padding(self) -> dict[str, str]:
        """An environment variable of a random size below a page."""
        size = secrets.randbelow(_PAGE)
        self._effective["environment_padding_bytes"] = size
        return {_PADDING: "x" * size}

    def alive(self) -> bool:
        """Whether the launcher still runs. Does not reap it: its CPU time stays countable until the stop."""
        self._listen()
        if self.process is None or self.process.returncode is not None:
            return False
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def place(self, processors: Collection[int]) -> None:
        """Bind every thread of every process. What they start later inherits it."""
        place(self.account.processes, processors)

    def cpu_ns(self) -> int:
        """CPU time of the guest's processes so far, in ns; after the stop, what it was at the end."""
        self._listen()
        if self._account is not None and not self._stopped:
            self._cpu_ns = self._account.cpu_ns()
        return self._cpu_ns

    def processes(self) -> list[int]:
        """Those in its account."""
        return self.account.processes()

    def find_threads(self) -> None:
        """Find them in its processes."""
        self._threads.find()

    def run_delay_ns(self) -> int | None:
        """As the host's scheduler counts it."""
        self._threads.read()
        return self._threads.wait_ns()

    def quota_periods(self) -> tuple[int, int] | None:
        """As the groups of its account count them."""
        return None if self._account is None or self._stopped else quota_periods(self._account)

    def cpu_parts(self) -> CpuReading | None:
        """By the threads of its processes, and the account."""
        if self._account is None or self._stopped:
            return None
        return self._threads.parts(self._cpu_ns, self._account.modes_ns())

    def divide_cpu(self, division: Division) -> None:
        """Say how the threads of this guest are told apart. Without it, all its time is that of the guest's code."""
        self._threads.division = division

    def stderr_tail(self) -> str:
        """The last 2,000 characters that the launcher printed beside the protocol, its control characters visible."""
        self._listen()
        return visible(self._tail.decode(errors="replace")[-_WORDS:].strip(), keep="\n\t")

    def stop(self) -> None:
        """End of input, then SIGKILL to everything in the account, then the actions of `on_stop`. Idempotent.

        Signals that stop the laboratory are deferred. Raises EnvironmentFailed when something of the guest could not be
        removed; it then stays in the journal.
        """
        if self._stopped:
            return
        # A wait that is cut may leave Popen's lock held: the next one would find that a dead process does not end.
        with deferred_signals():
            self._stop()

    def _stop(self) -> None:
        faults: list[str] = []
        self._threads.close()
        if self._account is not None:
            self._account.processes()  # what leaves the tree while it ends is known then
        self.stream.close()
        self._await_end()
        for step in (self._kill, self._count, self._reap, *reversed(self._on_stop), self._close_account):
            try:
                step()
            except (VirtometerError, OSError) as cause:
                faults.append(str(cause))
        self._stopped = True
        self._on_stop.clear()
        if faults:
            reasons = "; ".join(dict.fromkeys(faults))  # a daemon that is gone says the same of all that it has
            raise EnvironmentFailed(f"the guest {self.guest_id} could not be removed completely: {reasons}")
        self.lab.journal.forget(self.guest_id)

    def _await_end(self) -> None:
        """Let it end without a signal, unless it is stopped or there is nothing to wait for."""
        deadline = time.monotonic() + self.grace_s
        pause = 0.001
        while self.alive() and time.monotonic() < deadline:
            one = stat_of(self.process.pid) if self.process else None
            if one is not None and one.state == "T":
                return
            time.sleep(pause)
            pause = min(pause * 2, 0.02)

    def _kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        if self._account is not None:
            kill_all(self._account.processes)

    def _count(self) -> None:
        with contextlib.suppress(OSError):  # nobody knows it of a guest on another host
            self.cpu_ns()

    def _reap(self) -> None:
        if self.process is not None:
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                raise EnvironmentFailed(f"process {self.process.pid} does not end although it was killed") from None
        self._listen()
        if self._stderr >= 0:
            os.close(self._stderr)
            self._stderr = -1

    def _close_account(self) -> None:
        if self._account is not None:
            self._account.remove()

    def _listen(self) -> None:
        """Take what the launcher printed: a full pipe would stop it. Bounded, because a guest may never cease."""
        for _ in range(_READS if self._stderr >= 0 else 0):
            try:
                chunk = os.read(self._stderr, 65_536)
            except BlockingIOError:
                return
            if not chunk:
                return
            self._tail = (self._tail + chunk)[-4 * _WORDS :]


class _BeforeExec:
    """What the child does between fork and exec; everything it needs is ready before the fork."""

    def __init__(self, account: Account, namespace: str | None, processors: frozenset[int] | None) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._account = account
        self._processors = processors
        self.descriptors: list[int] = []
        if namespace is not None:
            self.descriptors.append(os.open(NAMESPACES / namespace, os.O_RDONLY | os.O_CLOEXEC))

    def __call__(self) -> None:
        doing = "entering the cgroup"
        try:
            self._account.enter()
            doing = "binding to processors"
            if self._processors is not None:
                os.sched_setaffinity(0, self._processors)
            doing = "entering the network namespace"
            for fd in self.descriptors:
                if self._libc.setns(fd, 0) != 0:
                    number = ctypes.get_errno()
                    raise OSError(number, os.strerror(number))
        except (OSError, ValueError, OverflowError) as cause:  # the laboratory learns only that something failed
            os.write(2, f"{doing}: {getattr(cause, 'strerror', None) or cause}\n".encode())
            raise


def check_by_starting(environment: Environment, settings: Settings, limit_s: float = 1.5) -> Check:
    """Whether a guest starts here and its agent says hello within `limit_s`; `found` says how long that took."""
    begin = time.monotonic()
    guest: Guest | None = None
    try:
        environment.prepare(settings)
        guest = environment.start(settings, f"check-{environment.kind[:8]}-{os.getpid()}")
        greeting = Session(Channel(guest.stream), guest.guest_id).greet(limit_s)
        took = time.monotonic() - begin
    except (VirtometerError, OSError) as cause:
        words = guest.stderr_tail().splitlines()[-1:] if guest else []
        advice = cause.advice if isinstance(cause, VirtometerError) else ""
        return Check(False, ": ".join([str(cause), *words]), advice)
    finally:
        if isinstance(guest, ProcessGuest):
            guest.grace_s = 0.0  # nothing in it is worth waiting for, and some launchers end only by a signal
        if guest is not None:
            guest.stop()
    found = {"agent": greeting.version, "greeting_ms": f"{took * 1000:.0f}"}
    return Check(True, "a guest started and its agent answered", found=found)


def check_with_network(environment: Environment, settings: Settings) -> Check:
    """`check_by_starting` for a kind whose guests have a network of their own, so that it needs one at all."""
    lan = environment.lab.lan
    if reason := lan.unavailable():
        return Check(False, f"a guest of {environment.title} gets a network of its own, and {reason}", lan.advice())
    check = check_by_starting(environment, settings)
    if check.works or check.advice:
        return check
    return Check(False, check.reason, f"try another version of the Debian package {environment.package}")
