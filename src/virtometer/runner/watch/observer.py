"""What the host and its guests do in windows: reads the counters and adds them up. Changes nothing."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from virtometer.model import GuestUse, HostUse, Mark, MarkKind, Rules
from virtometer.runner.watch import guest_use
from virtometer.runner.watch import rules as broken
from virtometer.runner.watch.activity import runnable, with_activity
from virtometer.runner.watch.foreign import HostWatch, foreign, temperature_c
from virtometer.runner.watch.network import NetworkWatch, traffic
from virtometer.runner.watch.points import VARIED, ObservedWindow, Point, ReadParts, read_point, spent
from virtometer.runner.watch.reading_budget import Budget

_NEIGHBOURS = 4
"""Slices on each side whose ticks are added to those of a slice, where the host counts in ticks."""

_USUAL = 2.0
"""Times the limit that all slices of a guest may have in common."""

_LEFT = 0.25
"""Part of the slices that must be left: the value of fewer would say little."""

Pairs = Sequence[tuple[Point, Point]]


class Observer:
    """Says what happened in the windows of guests that work at the same time, or of one guest.

    Counters are read as each window begins and ends, and windows count whole. Of a group of guests, windows are left
    unread where reading all of them would take more than 0.4 % of a processor; what happened in those that were read
    stands for all, by their lengths. of_long_windows: whether long windows are added up instead of the others.

    A continuous window is read again and again while it lasts, and what lies between two moments counts. Between
    points the counters are interpolated linearly: /proc/stat counts in ticks of 10 ms, so the error is at most about
    one tick for each processor at each end; guests' own counters are exact at each point.
    """

    def __init__(
        self,
        guests: Sequence[Callable[[], int]],
        watch: HostWatch | None = None,
        *,
        continuous: bool = False,
        several: bool = False,
        parts: Sequence[ReadParts] = (),
        network: NetworkWatch | None = None,
    ) -> None:
        """`guests` are the functions that read each guest's CPU time in ns. `watch` finds out what others do.

        several: guests work at the same time, so that each processor is watched, and what waits for one, and the
        interfaces of `network`. parts: for each guest, how its CPU time is divided.
        """
        self._guests, self._parts, self._watch, self._network = guests, parts, watch, network
        self._continuous, self._several = continuous, several
        self.windows: list[ObservedWindow] = []
        self.long_windows: list[ObservedWindow] = []
        self.of_long_windows = False
        self._apart: Collection[int] = ()
        self._budgets = {False: Budget(), True: Budget()}  # of windows, of long windows
        self._number, self._long = 0, False  # of the window that lasts
        self._begun_ns: int | None = None
        self._points: list[Point] = []
        self._runnable: list[tuple[int, int]] = []
        self._counting_ns = 0
        self._due_s = 0.0
        self._swapped = broken.swap_pages()

    def begin(self, number: int = 0, *, long: bool = False) -> None:
        """A window is about to be released."""
        self._number, self._long = number, long
        self._points, self._runnable, self._counting_ns = [], [], 0
        if not self._several or self._budgets[long].allows:
            self.tick()
        self._begun_ns = self._points[0].at_ns if self._points else time.monotonic_ns()

    @property
    def due_in_s(self) -> float:
        """Time until a point may be taken: the pauses between points are so long that these take 0.4 % of a processor.

        They vary at random, so that reading the host falls into step with nothing that is measured.
        """
        return max(self._due_s - time.monotonic(), 0.0)

    def tick(self) -> None:
        """Take a point."""
        point = read_point(
            self._guests,
            self._watch,
            find=self._continuous,
            several=self._several,
            parts=self._parts,
            network=self._network,
        )
        self._points.append(point)
        if self._continuous:
            self._due_s = time.monotonic() + point.pause_s * random.uniform(1, VARIED)
            if point.runnable is not None:
                self._runnable.append((point.at_ns, point.runnable))

    def count_runnable(self) -> None:
        """Count the threads that run or are ready, while the guests work in a window that is read."""
        if self._points:
            began_ns = time.thread_time_ns()
            self._runnable.append((time.monotonic_ns(), runnable()))
            self._counting_ns += time.thread_time_ns() - began_ns

    def end(self) -> None:
        """The window has ended."""
        if self._begun_ns is None:
            return
        if self._points:
            self.tick()
        points = tuple(self._points)
        end_ns = points[-1].at_ns if points else time.monotonic_ns()
        cost_ns = sum(point.cost_ns for point in points) + self._counting_ns
        window = ObservedWindow(self._begun_ns, end_ns, points, self._number, tuple(self._runnable), cost_ns)
        (self.long_windows if self._long else self.windows).append(window)
        self._budgets[self._long].passed(end_ns - self._begun_ns, cost_ns)
        self._begun_ns, self._points = None, []

    def disturbed(self, rules: Rules) -> dict[int, str]:
        """The numbers of the windows in which others cost the guests too much, with the reason.

        A window is disturbed where its share exceeds the limit above the median of all windows. It is also disturbed
        above three times the limit in total, because others may disturb most windows. Where both rules would leave
        fewer than a quarter, the first rule alone applies, and `marks` says that most are disturbed. Windows that
        were not read are never disturbed.
        """
        shares, limit = self._delay_shares(), rules.max_run_delay_share
        usual = statistics.median(shares.values()) if shares else 0.0
        found = [number for number, share in shares.items() if share - min(usual, _USUAL * limit) > limit]
        if len(shares) - len(found) < _LEFT * len(shares):
            found = [number for number, share in shares.items() if share - usual > limit]
        return {
            number: f"others had the guest's processors for {shares[number]:.0%} of the slice while the guest was "
            f"ready (the plan allows {limit:.0%})"
            for number in found
        }

    def set_apart(self, numbers: Collection[int]) -> None:
        """The windows with these numbers are not used: nothing of them is added up."""
        self._apart = numbers

    def use(self, start_ns: float, end_ns: float) -> HostUse | None:
        """The host's CPU seconds in the windows between two moments (host time); None where they are unknown."""
        inside = self._inside(start_ns, end_ns)
        found = spent(inside)
        if found is None:
            return None
        user, nice, system, idle, iowait, irq, softirq, steal = (found.get(("cpu", at), 0.0) for at in range(8))
        wall_s = sum(one.length_s for one in inside)
        use = HostUse(wall_s, user, nice, system, idle, iowait, irq, softirq, steal)
        use = _with_foreign(use, _pairs(inside), self._watch)
        use = replace(use, watch_s=sum(one.cost_ns for one in inside) * 1e-9)
        return with_activity(use, found, [count for one in inside for _, count in one.runnable])

    def guest_cpu_s(self, guest: int, start_ns: float, end_ns: float) -> float | None:
        """CPU seconds of a guest's processes in the windows between two moments; None where they are unknown."""
        inside = self._inside(start_ns, end_ns)
        ns = (spent(inside) or {}).get(("guest", guest)) if inside else 0.0
        return None if ns is None else max(ns * 1e-9, 0.0)

    def guest_use(
        self, guest: int, start_ns: float, end_ns: float, port: tuple[str, str] | None = None
    ) -> GuestUse | None:
        """What the guest's CPU time in the windows between two moments was spent for; None where it is unknown.

        port: the interface to which it is connected.
        """
        inside = self._inside(start_ns, end_ns)
        found = spent(inside) or {}
        reasons = (point.unknown[guest] for one in inside if one.read for point in one.points if point.unknown)
        use = guest_use.used(guest, found, reasons)
        if use is None or port is None:
            return use
        # What the host's side of the interface receives the guest has sent.
        return replace(use, traffic=traffic(found, port, turned=True))

    def marks(self, start_ns: float, end_ns: float, rules: Rules) -> tuple[Mark, ...]:
        """What broke the plan's rules in the windows between two moments (host time), each with its reason."""
        inside = self._inside(start_ns, end_ns)
        use = self.use(start_ns, end_ns)
        found = [] if use is not None else [self._unobserved(inside)]
        by_use = broken.of_use(use, broken.swap_pages() - self._swapped, rules)
        if not any(mark.kind is MarkKind.RUN_DELAY for mark in by_use):
            found += self._mostly_delayed(rules)
        return (*found, *by_use, *broken.of_watch(self._watch, _pairs(inside), rules))

    def wall_s(self, start_ns: float, end_ns: float) -> float:
        """Length of the windows between two moments, from before their releases until all guests rest."""
        return sum(one.length_s for one in self._inside(start_ns, end_ns))

    def _inside(self, start_ns: float, end_ns: float) -> list[ObservedWindow]:
        windows = self.long_windows
        if not self.of_long_windows:
            windows = [one for one in self.windows if one.number not in self._apart]
        inside = [one for one in windows if one.start_ns < end_ns and one.end_ns > start_ns]
        return [one.cut(start_ns, end_ns) for one in inside] if self._continuous else inside

    def _unobserved(self, inside: Sequence[ObservedWindow]) -> Mark:
        text = "none of its windows was read"
        if self._continuous:
            gap_s = max((b.at_ns - a.at_ns for a, b in _pairs(inside)), default=0) * 1e-9
            text = f"the laboratory did not observe the host for {gap_s:.1f} s"
        return Mark(MarkKind.OBSERVATION, f"{text}; the cost of this trial in CPU time is not reported")

    def _delay_shares(self) -> Mapping[int, float]:
        """The part of each window that was read in which others had the guests' processors, by its number."""
        if self._watch is None:
            return {}
        exact = self._watch.exact
        reach = 0 if exact else _NEIGHBOURS  # ticks are too long for one slice
        read = [one for one in self.windows if one.read]
        around = (_pairs(read[max(at - reach, 0) : at + reach + 1]) for at in range(len(read)))
        return {one.number: _delay_share(pairs, exact=exact) for one, pairs in zip(read, around, strict=True)}

    def _mostly_delayed(self, rules: Rules) -> list[Mark]:
        """That others disturbed more than half of the slices, excluded or not."""
        shares = [] if self.of_long_windows or self._continuous else list(self._delay_shares().values())
        over = sum(share > rules.max_run_delay_share for share in shares)
        if 2 * over <= len(shares):
            return []
        text = f"others had the guest's processors for more than {rules.max_run_delay_share:.0%} of {over} of"
        return [Mark(MarkKind.RUN_DELAY, f"{text} {len(shares)} slices while the guest was ready")]


def _pairs(windows: Sequence[ObservedWindow]) -> list[tuple[Point, Point]]:
    """Successive points of each window."""
    return [pair for one in windows for pair in one.pairs]


def _with_foreign(use: HostUse, pairs: Pairs, watch: HostWatch | None) -> HostUse:
    """The use of the host with what others did in windows, from the pairs of points that cover these."""
    wall_s = sum(last.at_ns - first.at_ns for first, last in pairs) * 1e-9
    if watch is None or wall_s <= 0:
        return use
    found = foreign([(first.counters, last.counters) for first, last in pairs], exact=watch.exact)
    part = use.wall_s / wall_s
    return replace(
        use,
        # The kernel's own threads work for guests as well.
        foreign=None if found.all_s is None else max(found.all_s * part - watch.kernel_load() * use.wall_s, 0.0),
        run_delay=None if found.delay_s is None else found.delay_s * part,
        pressure=None if found.pressure_s is None else found.pressure_s * part,
        frequency_mhz=found.mhz,
        temperature_c=temperature_c(),
    )


def _delay_share(pairs: Pairs, *, exact: bool) -> float:
    """The part of slices in which the guest was ready and others had its processors; 0 where that is unknown."""
    delay_s = foreign([(first.counters, last.counters) for first, last in pairs], exact=exact).delay_s
    wall_s = sum(last.at_ns - first.at_ns for first, last in pairs) * 1e-9
    return 0.0 if delay_s is None or wall_s <= 0 else delay_s / wall_s
