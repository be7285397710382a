"""Readings at the ends of windows, and what they say of windows that were not read."""

from __future__ import annotations

import time

import pytest

from virtometer.host.cpu.parts import CpuReading
from virtometer.runner.watch.points import Point, Window, read_cpu, read_point, stretched

IDLE = (0.0,) * 8


def window(begin: int, length: int, *, read: bool = True) -> Window:
    """Of a guest that works all the time on one processor."""
    if not read:
        return Window(begin, begin + length)
    ends = [
        Point(at, (at * 1e-9, *IDLE[1:]), (at, None), parts=(CpuReading(at, None, 0.0, 0.0, 0.0), None))
        for at in (begin, begin + length)
    ]
    return Window(begin, begin + length, tuple(ends), (ends[0], ends[1]))


def test_windows_that_were_read_stand_for_all_by_their_lengths() -> None:
    windows = [window(0, 100), window(200, 300, read=False), window(600, 200)]
    pairs = stretched(windows)
    assert len(pairs) == 2
    assert sum((last.guests_ns[0] or 0) - (first.guests_ns[0] or 0) for first, last in pairs) == 600
    assert sum(last.cpu_s[0] - first.cpu_s[0] for first, last in pairs) == pytest.approx(600e-9)
    parts = [(first.parts[0], last.parts[0]) for first, last in pairs]
    assert sum((b.code or 0) - (a.code or 0) for a, b in parts if a and b) == pytest.approx(600)
    assert all(last.guests_ns[1] is None and last.parts[1] is None for _, last in pairs), "unknown stays unknown"


def test_windows_that_were_all_read_are_as_they_were_read() -> None:
    windows = [window(0, 100), window(600, 200)]
    assert stretched(windows) == [one.ends for one in windows]
    assert stretched([window(0, 100, read=False)]) == []


def test_a_reading_knows_what_it_took() -> None:
    def slow() -> int:
        begun = time.thread_time_ns()
        while time.thread_time_ns() - begun < 5_000_000:
            pass
        return 7

    point = read_point([slow])
    assert point.guests_ns == (7,) and 5_000_000 <= point.cost_ns < 10**9
    assert point.pause_s >= 1.25, "at most 0.4 % of a processor"
    assert len(read_cpu()) == len(point.cpu_s) == 8


def test_a_guest_of_several_placements_is_read_once() -> None:
    class Guest:
        read = 0

        def cpu_ns(self) -> int:
            self.read += 1
            return self.read

    one, other = Guest(), Guest()
    assert read_point([one.cpu_ns, other.cpu_ns, one.cpu_ns]).guests_ns == (1, 1, 1)
    assert (one.read, other.read) == (1, 1)
