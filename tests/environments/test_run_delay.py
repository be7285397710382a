"""How long threads waited for a processor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.run_delay import RunDelay

LAST = max(os.sched_getaffinity(0))
BUSY = f"import os\nos.sched_setaffinity(0, {{{LAST}}})\nprint('up', flush=True)\nwhile True: pass"


@pytest.fixture
def busy() -> Iterator[list[int]]:
    """Two processes that both want one processor all the time."""
    with ExitStack() as stack:
        pids = []
        for _ in range(2):
            one = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE))
            stack.callback(one.kill)
            assert one.stdout is not None
            assert one.stdout.readline() == b"up\n"
            pids.append(one.pid)
        yield pids


def test_what_wants_one_processor_waits_for_it(busy: list[int]) -> None:
    delay = RunDelay(lambda: busy)
    assert delay.ns() is None, "nothing was found yet"
    delay.find()
    first = delay.ns()
    assert first is not None
    wait_until(lambda: (delay.ns() or 0) > first + 50_000_000)
    delay.close()
    delay.close()


def test_what_has_ended_still_counts(busy: list[int]) -> None:
    delay = RunDelay(lambda: busy)
    delay.find()
    before = wait_until(lambda: ns if (ns := delay.ns() or 0) > 1_000_000 else None)
    os.kill(busy[0], 9)
    wait_until(lambda: not list(Path(f"/proc/{busy[0]}/task").glob("*")) or (delay.ns() or 0) > before)
    assert (delay.ns() or 0) >= before
    delay.close()
