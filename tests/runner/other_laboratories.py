"""Other laboratories that have the host's lock, or stand beside its holder, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing.connection import Connection

from virtometer.errors import HostBusy
from virtometer.host.lock.host_lock import NAME_VARIABLE, HostLock

HOLDS = """
import sys
from virtometer.host.lock.host_lock import HostLock
with HostLock(beside="beside" in sys.argv, tunes="tunes" in sys.argv):
    print("holds", flush=True)
    sys.stdin.read()
"""


def name() -> str:
    return os.environ[NAME_VARIABLE]


def public() -> str:
    return f"\0virtometer-{name()}"


def who(pid: int) -> str:
    """A process of the user who runs the tests, as sentences name it."""
    return f"process {pid} of user {os.geteuid()}"


def other(*words: str) -> subprocess.Popen[str]:
    """Another laboratory, in a process of its own, that has the lock or stands beside its holder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    return process


def measure(pipe: Connection, beside: bool = True) -> None:
    """A laboratory: sends what it is told, then answers each message with the mark of a trial."""
    told: list[str] = []
    try:
        with HostLock(beside=beside, tunes=False, tell=told.append) as lock:
            pipe.send(told)
            while pipe.recv() == "trial":
                pipe.send(lock.mark())
    except HostBusy as cause:
        pipe.send(cause)
