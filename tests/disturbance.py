"""A test that runs real guests and fails while something else had the processors is run again; the output says so.

Such tests time what guests do. On a shared host, and beside other tests, a program waits for a processor for some
hundredths of a second now and then, and what a test expects of the times is wrong then without a fault of Virtometer.
A test that fails while no program waited is not run again. The last time it is run while no other process of tests runs
one.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

# Folders and files whose tests start guests and expect something of the times.
PLACES = {
    *("bench", "conformance", "environments", "runner", "time_server"),
    *("cli/test_noise.py", "cli/test_run.py", "cli/study/test_run.py"),
}
AGAIN = 2
LATE_S = 0.02
_NAP_S = 0.005
_LONGEST_WAIT_S = 60.0  # for the others to end their tests


def stolen_s() -> float:
    """For how long the hypervisor kept the processors of this host from it, in seconds since it was started."""
    first = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(first[8]) / os.sysconf("SC_CLK_TCK")


def waited_s() -> float:
    """For how long some program on this host was ready and had no processor, in seconds since it was started."""
    try:
        some = Path("/proc/pressure/cpu").read_text().split("\n", 1)[0]
    except OSError:  # a kernel without pressure stall information
        return 0.0
    return int(some.rpartition("total=")[2]) * 1e-6


class Watch(threading.Thread):
    """Notes what kept programs from running since `begin`: this process, some other one, the whole host."""

    def __init__(self) -> None:
        super().__init__(name="disturbance", daemon=True)
        self._late_s = self._waited_s = self._stolen_s = 0.0
        self.begin()

    def run(self) -> None:
        while True:
            before = time.monotonic()
            time.sleep(_NAP_S)
            self._late_s = max(self._late_s, time.monotonic() - before - _NAP_S)

    def begin(self) -> None:
        self._late_s = 0.0
        self._waited_s = waited_s()
        self._stolen_s = stolen_s()

    def disturbance(self) -> str:
        """What disturbed the tests since `begin`; empty when nothing did."""
        late_s, delay_s, taken_s = self._late_s, waited_s() - self._waited_s, stolen_s() - self._stolen_s
        if max(late_s, delay_s, taken_s) < LATE_S:
            return ""
        return (
            f"a thread was woken {late_s:.2f} s late, programs waited {delay_s:.2f} s for a processor, "
            f"and {taken_s:.2f} s were stolen"
        )


class Processors:
    """Shared by the processes of tests, or taken by one of them. `folder`: of the tests."""

    def __init__(self, folder: Path) -> None:
        self._tests = os.open(folder, os.O_RDONLY)
        self._queue = os.open(folder.parent, os.O_RDONLY)

    def share(self) -> None:
        """Wait for the one that has them, or waits for them."""
        fcntl.flock(self._queue, fcntl.LOCK_SH)
        fcntl.flock(self._tests, fcntl.LOCK_SH)
        fcntl.flock(self._queue, fcntl.LOCK_UN)

    def take(self, longest_s: float = _LONGEST_WAIT_S) -> bool:
        """Wait for those that share them; false where they took longer. No other test begins until `leave`."""
        fcntl.flock(self._tests, fcntl.LOCK_UN)
        limit = time.monotonic() + longest_s
        return all(self._lock(one, limit) for one in (self._queue, self._tests))

    def _lock(self, descriptor: int, limit: float) -> bool:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > limit:
                    return False
                time.sleep(0.05)
            else:
                return True

    def leave(self) -> None:
        """Let others have them."""
        for descriptor in (self._tests, self._queue):
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Leave them for good."""
        for descriptor in (self._tests, self._queue):
            os.close(descriptor)


_PROCESSORS = pytest.StashKey[Processors]()
_WATCH = Watch()


def _disturbed(error: BaseException | None) -> bool:
    text = "" if error is None else _WATCH.disturbance()
    if text:
        warnings.warn(f"run again, because it was disturbed: {text}", stacklevel=1)
    return bool(text)


def pytest_sessionstart() -> None:
    if not _WATCH.is_alive():
        _WATCH.start()


def pytest_configure(config: pytest.Config) -> None:
    processors = config.stash[_PROCESSORS] = Processors(config.rootpath / "tests")
    config.add_cleanup(processors.close)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    processors = item.config.stash[_PROCESSORS]
    processors.share()
    try:
        return (yield)
    finally:
        processors.leave()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    processors = item.config.stash[_PROCESSORS]
    if getattr(item, "execution_count", 0) > AGAIN and not processors.take():
        warnings.warn("other tests took too long to have the processors alone", stacklevel=1)
        processors.leave()
        processors.share()
    _WATCH.begin()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests = config.rootpath / "tests"
    for item in items:
        within = item.path.relative_to(tests) if item.path.is_relative_to(tests) else None
        if within is not None and {within.parts[0], within.as_posix()} & PLACES:
            item.add_marker(pytest.mark.flaky(reruns=AGAIN, condition=_disturbed))
