"""Clocks are compared with the real agent over everything that can be its channel."""

import contextlib
import os
import pty
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

import pytest

from tests.environments.booted import agent, lab, require, until
from virtometer.clock.region import is_linear
from virtometer.environments.kinds.qemu.kind import MachineSettings, Qemu, QemuSettings
from virtometer.link.channel import Channel, Stream
from virtometer.link.messages import Done, Ready, Samples
from virtometer.link.session import Session
from virtometer.model import ClockFit, Limits, Sample
from virtometer.runner.execution.clock_monitor import ClockMonitor
from virtometer.runner.execution.state import RunState

ANSWER_S = 60.0


@contextlib.contextmanager
def stdio() -> Iterator[Stream]:
    with started("stdio", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        yield Stream(os.dup(child.stdout.fileno()), os.dup(child.stdin.fileno()))
        child.stdin.close()


@contextlib.contextmanager
def socket_pair() -> Iterator[Stream]:
    ours, theirs = socket.socketpair()
    with theirs, started("stdio", stdin=theirs.fileno(), stdout=theirs.fileno()):
        yield both_ways(ours.detach())


@contextlib.contextmanager
def tcp() -> Iterator[Stream]:
    """The agent dials home."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(ANSWER_S)
        port = listener.getsockname()[1]
        with started("connect", f"127.0.0.1:{port}"):
            yield both_ways(listener.accept()[0].detach())


@contextlib.contextmanager
def serial_line() -> Iterator[Stream]:
    """A terminal that the agent itself makes raw."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "rb", buffering=0), started("serial", os.ttyname(theirs)):
        yield both_ways(ours)


def both_ways(fd: int) -> Stream:
    return Stream(fd, fd)


@contextlib.contextmanager
def started(
    *words: str, stdin: int = subprocess.DEVNULL, stdout: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([agent(), *words], stdin=stdin, stdout=stdout) as child:
        try:
            yield child
            assert child.wait(ANSWER_S) == 0
        finally:
            child.kill()


def watched(session: Session, seconds: float) -> tuple[ClockMonitor, Sequence[Sample]]:
    """One run with its clock watched as a trial does it, and its samples."""
    watch = ClockMonitor(session, Limits(), lambda: 0, {})
    session.begin_run()
    wish = {
        "run": "r", "kernel": "os", "op": "system-call", "parameters": {},
        "threads": 1, "cpus": None, "seconds": seconds,
    }  # fmt: skip
    session.request("prepare", wish, ANSWER_S)
    ready = until(session)
    assert isinstance(ready, Ready)
    state = RunState("r").after(ready)
    watch.before(seconds)
    watch.starting()
    state = state.started()
    session.request("start", {"run": "r"}, ANSWER_S)
    while not isinstance(state.done, Done):
        watch.ping()
        event = session.next_event(0.05)
        if event is not None:
            state = state.after(event)
        if isinstance(event, Samples):
            watch.arrived(state.samples[-1], session.event_ns)
    watch.after()
    return watch, state.samples


def compared(stream: Stream, seconds: float = 1.0) -> tuple[ClockFit, Sequence[Sample]]:
    """One run of which everything is judged: the fit, the probes and the samples."""
    session = Session(Channel(stream), "guest")
    session.greet(ANSWER_S)
    watch, samples = watched(session, seconds)
    fitted = watch.fit(samples)
    session.bye(ANSWER_S)
    session.close()
    assert is_linear(watch.probes)
    assert fitted.bound_ns <= min(probe.received_host_ns - probe.sent_host_ns for probe in watch.probes) / 2 + 8
    assert fitted.relative_bound < 0.005
    assert sum(sample.work for sample in samples) > 0
    return fitted, samples


@pytest.mark.parametrize("channel", [stdio, socket_pair, tcp, serial_line])
def test_a_process_of_this_host_has_the_hosts_clock(channel: Callable[[], AbstractContextManager[Stream]]) -> None:
    with channel() as stream:
        fitted, samples = compared(stream)
    assert abs(fitted.rate - 1) <= fitted.rate_bound
    for sample in samples:
        for ns in (sample.start_ns, sample.end_ns):
            assert abs(fitted.to_host_ns(ns) - ns) <= fitted.bound_at_ns(ns)


class Uart(Qemu):
    """The emulated machine with a second serial port, which is the agent's channel."""

    # The agent takes the first of two channels that the command line names; the other one is the kind's own.
    kernel_parameters: ClassVar[str] = "virtometer.channel=serial:/dev/ttyS1"
    path: str

    def clock_options(self, settings: MachineSettings) -> list[str]:
        return ["-chardev", f"socket,id=uart,path={self.path},server=on,wait=off", "-device", "isa-serial,chardev=uart"]


@pytest.mark.slow
def test_an_emulated_uart_is_a_channel_like_any_other(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        environment = Uart(one)
        environment.path = str(tmp_path / "uart")
        require(environment.check())
        environment.prepare(QemuSettings())
        guest = environment.start(QemuSettings(cpus=1), "uart")
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(environment.path)
                fitted, _ = compared(Stream(fd := os.dup(line.fileno()), fd), 4.0)
        finally:
            guest.stop()
    # A guest takes the rate of its clock from a calibration of its own.
    assert abs(fitted.rate - 1) <= fitted.rate_bound + 1e-3
