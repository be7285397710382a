"""Each processor of the host, threads that want one, and disks."""

from __future__ import annotations

import os
import time

from virtometer.model import HostUse
from virtometer.runner.watch.activity import read_activity, runnable, with_activity
from virtometer.runner.watch.counts import Counts, Key, passed

USE = HostUse(1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


def activity(user: float, switches: float, processors: tuple[int, ...] = (0, 3)) -> Counts:
    seconds: dict[Key, float] = {("processor", number, at): 8.0 for number in processors for at in range(1, 8)}
    seconds |= {("processor", number, 0): user + number for number in processors}
    return {**seconds, ("context switches",): switches, ("disk read",): switches * 512, ("disk written",): 0.0}


def test_what_is_read_grows_while_a_processor_works() -> None:
    first, running = read_activity()
    begin = time.monotonic()
    while time.monotonic() - begin < 0.1:
        pass
    last, _ = read_activity()
    assert first.keys() == last.keys()
    assert {key[1] for key in first if key[0] == "processor"} >= os.sched_getaffinity(0)
    grown = passed([(first, last, 1.0)])
    assert sum(seconds for key, seconds in grown.items() if key[0] == "processor") > 0.05
    assert min(grown[(name,)] for name in ("context switches", "disk read", "disk written")) >= 0
    assert running >= 0 and runnable() >= 0


def test_the_use_of_the_host_has_each_processor() -> None:
    use = with_activity(USE, passed([(activity(1.0, 100), activity(1.5, 400), 1.0)]), [1, 2, 6])
    assert [(one.number, one.user, one.idle) for one in use.processors] == [(0, 0.5, 0.0), (3, 0.5, 0.0)]
    assert (use.run_queue, use.context_switches, use.disk_read, use.disk_written) == (3.0, 300, 300 * 512, 0)
    assert (use.network, use.loopback) == (None, None)


def test_what_was_not_read_is_unknown() -> None:
    assert with_activity(USE, {}, []) is USE
    gone = with_activity(USE, passed([(activity(1.0, 1), activity(2.0, 1, (0,)), 1.0)]), [])
    assert [one.number for one in gone.processors] == [0], "a processor went away"
    assert gone.run_queue is None
