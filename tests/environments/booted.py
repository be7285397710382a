"""What the tests of guests with a kernel of their own share: a LabContext, a conversation, a look at what is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.waiting import wait_until
from virtometer.cache import cache_directory
from virtometer.environments.base import Check, LabContext
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import LinkClosed, MissingProgram
from virtometer.host.network.lan import Lan
from virtometer.host.owned.journal import Journal
from virtometer.link.channel import Channel
from virtometer.link.messages import Done, Event, Failed, Ready
from virtometer.link.session import Session
from virtometer.model import Limits
from virtometer.processes import stat_of
from virtometer.programs import Programs
from virtometer.runner.execution.services import Peer
from virtometer.runner.lab.agent import agent_path

BOOT_S = 60.0
DISK_BYTES = 8 << 20


def agent() -> Path:
    """The built agent; skips the test when there is none."""
    try:
        return agent_path()
    except MissingProgram as cause:
        pytest.skip(f"{cause}: {cause.advice}")


@contextmanager
def lab(directory: Path, *, disk: bool = True) -> Iterator[LabContext]:
    """A LabContext below `directory` with the user's real image cache, and afterwards nothing left of it."""
    scratch = directory / "scratch"
    scratch.mkdir()
    disk_file = None
    if disk:
        disk_file = directory / "disk.img"
        disk_file.write_bytes(pattern(0, DISK_BYTES))
    programs, journal = Programs(), Journal(directory / "state")
    one = LabContext(agent(), cache_directory(), scratch, disk_file, journal, programs, Lan(journal, programs))
    try:
        yield one
    finally:
        one.close()
    assert list(scratch.iterdir()) == []
    assert list((directory / "state").glob("*")) == []


def require(check: Check) -> None:
    """Skip, and say why, where the kind does not work on this host."""
    if not check.works:
        pytest.skip(f"{check.reason} ({check.advice})")


def greet(guest: ProcessGuest) -> Session:
    """A session with the guest's agent, which has said hello."""
    session = Session(Channel(guest.stream), guest.guest_id)
    session.greet(BOOT_S)
    return session


def measure(session: Session, kernel: str, op: str, parameters: dict[str, object], seconds: float = 0.05) -> Done:
    """One run to its end. Fails the test when the agent reports a failure."""
    session.request(
        "prepare",
        {
            "run": "r", "kernel": kernel, "op": op, "parameters": parameters,
            "threads": 1, "cpus": None, "seconds": seconds,
        },
        BOOT_S,
    )  # fmt: skip
    assert isinstance(until(session), Ready)
    session.request("start", {"run": "r"}, BOOT_S)
    end = until(session)
    assert isinstance(end, Done)
    return end


def until(session: Session) -> Event:
    """The next event that is ready, done or failed."""
    while True:
        event = session.next_event(BOOT_S)
        assert event is not None, "the agent says nothing"
        assert not isinstance(event, Failed), event
        if isinstance(event, Ready | Done):
            return event


def pattern(first_word: int, length: int) -> bytes:
    """The disk file's contents as KERNELS.md defines them."""
    z = np.arange(first_word + 1, first_word + 1 + length // 8, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype("<u8").tobytes()


def processes_naming(text: str) -> list[int]:
    """Pids of running processes whose command line holds `text`."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and int(entry.name) != os.getpid()
                and text.encode() in (entry / "cmdline").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def processes_by_name(guest: ProcessGuest) -> dict[str, int]:
    """The pid of each process of a guest, by the name of its program."""
    return {Path(f"/proc/{pid}/comm").read_text().strip(): pid for pid in guest.account.processes()}


def assert_seen_dead(guest: ProcessGuest, session: Session, machine: int) -> None:
    """Kill the process of the machine alone: the guest is dead, whatever helpers live."""
    os.kill(machine, signal.SIGKILL)
    with pytest.raises(LinkClosed):
        session.ping(10)
    wait_until(lambda: not guest.alive(), 10)


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only its exit status is left."""
    return (left := stat_of(pid)) is None or left.state in "ZX"


def hide_program(monkeypatch: pytest.MonkeyPatch, programs: Programs, hidden: str) -> None:
    """Let one program be missing on this host."""
    found = programs.find

    def find(name: str, package: str) -> Path:
        if name == hidden:
            raise MissingProgram(f"the program {name} is not installed", advice=package)
        return found(name, package)

    monkeypatch.setattr(programs, "find", find)


def interfaces(namespace: str | None) -> set[str]:
    """Names of network interfaces in a namespace; empty when it does not exist."""
    if namespace is None or not Path("/run/netns", namespace).exists():
        return set()
    text = Programs().run(["ip", "-n", namespace, "-o", "link"], purpose="look").stdout.decode()
    return {line.split(": ")[1].partition("@")[0] for line in text.splitlines()}


def peer_measure(one: LabContext, guest: ProcessGuest, session: Session) -> Done:
    """Requests and responses between the guest and an agent on the laboratory's side of its network."""
    path = guest.network
    assert path is not None
    session.request("configure-network", path.configuration(), BOOT_S)
    peer = Peer(one, "peer", path, Limits())
    try:
        return measure(session, "net", "request-response", {"peer": peer.endpoints()[0].address}, seconds=0.3)
    finally:
        peer.stop()
