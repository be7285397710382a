"""A test that runs real guests and fails while the host stood still is run again, and the output says so.

Such tests time what guests do. On a shared host the processors are away for tenths of a second now and then, and what a
test expects of the times is wrong then without a fault of Virtometer. A test that fails on a host that was there all
the time is not run again.
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
# A thread that sleeps is woken within some milliseconds, also beside four processes of tests on two processors.
LATE_S = 0.05
_NAP_S = 0.005


def stolen_s() -> float:
    """For how long the hypervisor kept the processors of this host from it, in seconds since it was started."""
    first = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(first[8]) / os.sysconf("SC_CLK_TCK")


class Watch(threading.Thread):
    """Notes for how long this process was kept from running, at most once since `begin`."""

    def __init__(self) -> None:
        super().__init__(name="disturbance", daemon=True)
        self._late_s = 0.0
        self._stolen_s = stolen_s()

    def run(self) -> None:
        while True:
            before = time.monotonic()
            time.sleep(_NAP_S)
            self._late_s = max(self._late_s, time.monotonic() - before - _NAP_S)

    def begin(self) -> None:
        self._late_s = 0.0
        self._stolen_s = stolen_s()

    def disturbance(self) -> str:
        """What disturbed the host since `begin`; empty when nothing did."""
        late_s, taken_s = self._late_s, stolen_s() - self._stolen_s
        if late_s < LATE_S and taken_s < LATE_S:
            return ""
        return f"a thread was woken {late_s:.2f} s late, and {taken_s:.2f} s were stolen"


_WATCH = Watch()


def _disturbed(error: BaseException | None) -> bool:
    text = "" if error is None else _WATCH.disturbance()
    if text:
        warnings.warn(f"run again, because the host was disturbed meanwhile: {text}", stacklevel=1)
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
