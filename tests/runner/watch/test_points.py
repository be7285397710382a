"""Readings at the ends of windows, and what they say of windows that were not read."""

from __future__ import annotations

import time

import pytest

from virtometer.host.cpu.parts import CpuReading
from virtometer.runner.watch.guest_use import counts_of
from virtometer.runner.watch.points import ObservedWindow, Point, read_cpu, read_point, spent

GUEST, CODE = ("guest", 0), ("part", 0, "code")


def window(begin: int, length: int, *, read: bool = True) -> ObservedWindow:
    """Of a guest that works all the time on one processor."""
    if not read:
        return ObservedWindow(begin, begin + length)
    ends = [
        Point(at, {("cpu", 0): at * 1e-9, GUEST: float(at), **counts_of(0, CpuReading(at, None, 0.0, 0.0, 0.0))})
        for at in (begin, begin + length)
    ]
    return ObservedWindow(begin, begin + length, tuple(ends))


def test_windows_that_were_read_stand_for_all_by_their_lengths() -> None:
    found = spent([window(0, 100), window(200, 300, read=False), window(600, 200)])
    assert found is not None
    assert found[GUEST] == pytest.approx(600) and found[CODE] == pytest.approx(600)
    assert found[("cpu", 0)] == pytest.approx(600e-9)
    assert ("part", 0, "vmm") not in found and ("guest", 1) not in found, "unknown stays unknown"


def test_windows_that_were_all_read_are_as_they_were_read() -> None:
    found = spent([window(0, 100), window(600, 200)])
    assert found is not None and found[GUEST] == 300
    assert spent([window(0, 100, read=False)]) is None
    assert spent([]) == {}


def test_a_stretch_of_a_window_has_its_part_of_what_was_counted() -> None:
    points = tuple(Point(at, {GUEST: float(ns)}, cost_ns=1) for at, ns in ((0, 0), (100, 1000), (200, 1500)))
    whole = ObservedWindow(0, 200, points, runnable=((50, 3), (150, 5)))
    part = whole.cut(50, 150)
    assert part.length_s == pytest.approx(100e-9)
    assert (part.runnable, part.cost_ns, part.points) == (((50, 3), (150, 5)), 1, points)
    assert spent([part]) == {GUEST: 750.0}
    assert spent([whole.cut(110, 120)]) == {GUEST: 50.0}
    assert spent([whole]) == {GUEST: 1500.0}


def test_a_reading_between_the_ends_that_failed_leaves_the_rest() -> None:
    points = [Point(at, {GUEST: 10.0 * at}) for at in (0, 100, 200, 300, 400)]
    assert spent([ObservedWindow(0, 400, (*points[:2], Point(200, {}), *points[3:]))]) == {GUEST: 4000.0}
    assert spent([ObservedWindow(0, 400, (points[0], Point(100, {}), *points[2:]))]) == {}, "it is around an end"
    assert spent([ObservedWindow(0, 400, (*points[:4], Point(400, {})))]) == {}
    for count in (2, 3, 4):
        assert spent([ObservedWindow(0, 100 * (count - 1), tuple(points[:count]))]) == {GUEST: 1000.0 * (count - 1)}


def test_a_reading_knows_what_it_took() -> None:
    def slow() -> int:
        begun = time.thread_time_ns()
        while time.thread_time_ns() - begun < 5_000_000:
            pass
        return 7

    point = read_point([slow])
    assert point.counts[GUEST] == 7 and 5_000_000 <= point.cost_ns < 10**9
    assert point.pause_s >= 1.25, "at most 0.4 % of a processor"
    assert len(read_cpu()) == sum(key[0] == "cpu" for key in point.counts) == 8


def test_a_guest_of_several_placements_is_read_once() -> None:
    class Guest:
        read = 0

        def cpu_ns(self) -> int:
            self.read += 1
            return self.read

    one, other = Guest(), Guest()
    counts = read_point([one.cpu_ns, other.cpu_ns, one.cpu_ns]).counts
    assert [counts[("guest", at)] for at in range(3)] == [1, 1, 1]
    assert (one.read, other.read) == (1, 1)
