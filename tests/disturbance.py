"""A test that runs real guests and fails while something else had the processors is run again; the output says so.

Such tests time what guests do. On a shared host, and beside other tests, a program waits for a processor for some
hundredths of a second now and then, and what a test expects of the times is wrong then without a fault of Virtometer.
A test that fails while no program waited is not run again.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from pathlib import Path

import pytest

# Their tests start programs and expect something of the times.
FOLDERS = {"bench", "cli", "conformance", "environments", "hostile", "link", "mutants", "runner", "time_server"}
AGAIN = 2
LATE_S = 0.02
_NAP_S = 0.005


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


_WATCH = Watch()


def _disturbed(error: BaseException | None) -> bool:
    text = "" if error is None else _WATCH.disturbance()
    if text:
        warnings.warn(f"run again, because it was disturbed: {text}", stacklevel=1)
    return bool(text)


def pytest_sessionstart() -> None:
    if not _WATCH.is_alive():
        _WATCH.start()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _WATCH.begin()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests = config.rootpath / "tests"
    for item in items:
        if item.path.is_relative_to(tests) and item.path.relative_to(tests).parts[0] in FOLDERS:
            item.add_marker(pytest.mark.flaky(reruns=AGAIN, condition=_disturbed))
