"""Binding processes to processors: all their threads, those that come meanwhile too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.processors import allowed, place, processor_list, tasks

ALL = frozenset(os.sched_getaffinity(0))
LAST = max(ALL)
PROGRAM = """
import threading, time
def work():
    time.sleep(1000)
def start():
    for _ in range(30):
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.002)
    work() # one that ended would be missing where the test looks late
threading.Thread(target=start, daemon=True).start()
print("up", flush=True)
time.sleep(1000)
"""


@pytest.fixture
def process() -> Iterator[int]:
    """A process that goes on starting threads for a while."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == b"up\n"
        yield one.pid
        one.kill()


def test_every_thread_is_bound_and_what_it_starts_inherits_it(process: int) -> None:
    place(lambda: [process], [LAST])
    wait_until(lambda: len(list(tasks([process]))) == 32)
    assert {allowed(task) for task in tasks([process])} == {frozenset([LAST])}
    place(lambda: [process], ALL)
    assert {allowed(task) for task in tasks([process])} == {ALL}


def test_what_has_ended_is_left_out() -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
        place(lambda: [ended.pid], [LAST])
        assert list(tasks([ended.pid])) == []
        assert allowed(ended.pid) == frozenset()


def test_a_processor_that_does_not_exist_is_refused(said: Said, process: int) -> None:
    with pytest.raises(EnvironmentFailed, match="processor 4000") as refused:
        place(lambda: [process], [4000])
    said(refused.value.sentence)


def test_threads_that_always_escape_are_an_error(process: int) -> None:
    def processes() -> list[int]:
        """As if somebody else bound it elsewhere all the time."""
        os.sched_setaffinity(process, ALL)
        return [process]

    if len(ALL) == 1:
        pytest.skip("there is one processor")
    with pytest.raises(EnvironmentFailed, match=f"not all threads stay on processor {LAST}"):
        place(processes, [LAST])


@pytest.mark.parametrize(
    ("numbers", "text"), [([3], "3"), ([1, 0, 2, 5], "0-2,5"), ([7, 9, 8, 1, 4, 5], "1,4-5,7-9"), ([], "")]
)
def test_numbers_are_written_as_the_kernel_does(numbers: list[int], text: str) -> None:
    assert processor_list(numbers) == text
