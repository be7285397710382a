"""What processors did, by each of the sources that a kernel may have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.runner.watch import processor_time
from virtometer.runner.watch.processor_time import ProcessorTime, kernel_threads_ns

LAST = max(os.sched_getaffinity(0))
BUSY = f"import os\nos.sched_setaffinity(0, {{{LAST}}})\nwhile True: pass"
SCHEDSTAT = """version 15
timestamp 4295000000
cpu0 0 0 0 0 0 0 {} 50 7
domain0 3 1 2 3
cpu1 0 0 0 0 0 0 {} 60 8
"""


@pytest.mark.parametrize("ticks", [False, True])
def test_a_busy_processor_is_seen(monkeypatch: pytest.MonkeyPatch, ticks: bool) -> None:
    if ticks:
        monkeypatch.setattr(processor_time, "top_cgroups", list)
        monkeypatch.setattr(processor_time, "SCHEDSTAT", "/nowhere")
    one = ProcessorTime()
    assert not (ticks and one.exact)
    every, own = one.ns([LAST])
    assert every >= own > 0
    with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        try:
            wait_until(lambda: one.ns([LAST])[1] >= own + 100_000_000)
        finally:
            busy.kill()
    assert one.ns([LAST])[0] >= every + 100_000_000
    one.close()
    one.close()


def test_the_scheduler_counts_where_no_cgroup_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "schedstat"
    path.write_text(SCHEDSTAT.format(10**18, 3 * 10**18))
    monkeypatch.setattr(processor_time, "top_cgroups", list)
    monkeypatch.setattr(processor_time, "SCHEDSTAT", str(path))
    one = ProcessorTime()
    assert one.exact
    assert one.ns([1]) == (4 * 10**18, 3 * 10**18)
    one.close()


def test_the_cgroup_of_a_container_is_not_taken_for_the_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "cpuacct.usage_percpu"
    path.write_text("5000 6000\n")
    monkeypatch.setattr(processor_time, "top_cgroups", lambda: [str(path)])
    monkeypatch.setattr(processor_time, "SCHEDSTAT", "/nowhere")
    assert not ProcessorTime().exact


def test_threads_of_the_kernel_are_those_of_their_parent() -> None:
    for pid in kernel_threads_ns():
        status = Path(f"/proc/{pid}/status")
        assert not status.exists() or "\nPPid:\t2\n" in status.read_text()
