"""Each processor of the host, threads that want one, and disks."""

from __future__ import annotations

import os
import time

import pytest

from virtometer.model import HostUse
from virtometer.runner.watch.activity import Activity, added, between, read_activity, with_activity

USE = HostUse(1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


def activity(user: float, switches: float, processors: tuple[int, ...] = (0, 3)) -> Activity:
    seconds = {number: (user + number, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0) for number in processors}
    return Activity(seconds, 2, switches, switches * 512, 0.0)


def test_what_is_read_grows_while_a_processor_works() -> None:
    first = read_activity()
    begin = time.monotonic()
    while time.monotonic() - begin < 0.1:
        pass
    last = read_activity()
    assert set(first.processors) >= os.sched_getaffinity(0)
    busy = [sum(of) - sum(first.processors[number]) for number, of in last.processors.items()]
    assert sum(busy) > 0.05
    assert last.context_switches >= first.context_switches
    assert last.disk_read >= first.disk_read >= 0 <= first.disk_written <= last.disk_written
    assert first.runnable >= 0


def test_between_two_points_it_is_interpolated() -> None:
    found = between(activity(1.0, 100), activity(2.0, 300), 0.25)
    assert found is not None
    assert found.processors[3][0] == pytest.approx(4.25)
    assert (found.context_switches, found.disk_read) == (150, 150 * 512)
    assert between(activity(1.0, 0), activity(1.0, 0, (0,)), 0.5) is None, "a processor went away"


def test_what_happened_in_several_windows_is_added() -> None:
    ends = added([(activity(1.0, 100), activity(2.0, 300)), (activity(5.0, 900), activity(5.5, 1000))])
    assert ends is not None
    use = with_activity(USE, *ends, [])
    assert [(one.number, one.user) for one in use.processors] == [(0, 1.5), (3, 1.5)]
    assert (use.context_switches, use.disk_read) == (300, 300 * 512)
    assert added([]) is added([(activity(1.0, 0), activity(1.0, 0, (0,)))]) is None


def test_the_use_of_the_host_has_each_processor() -> None:
    use = with_activity(USE, activity(1.0, 100), activity(1.5, 400), [1, 2, 6])
    assert [(one.number, one.user, one.idle) for one in use.processors] == [(0, 0.5, 0.0), (3, 0.5, 0.0)]
    assert (use.run_queue, use.context_switches, use.disk_read, use.disk_written) == (3.0, 300, 300 * 512, 0)
    assert with_activity(USE, activity(1.0, 1), activity(1.0, 1), []).run_queue is None
