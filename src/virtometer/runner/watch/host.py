"""What the host does while guests run, and what host this is. Reads /proc, changes nothing."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import random
import statistics
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from virtometer.model import GuestUse, HostUse, Mark, MarkKind, Rules
from virtometer.runner.watch import guest_use
from virtometer.runner.watch import network as host_network
from virtometer.runner.watch.activity import Activity, added, between, runnable, with_activity
from virtometer.runner.watch.cost import WATCH_S, Budget
from virtometer.runner.watch.foreign import HostWatch, foreign, frequency_facts, temperature_c
from virtometer.runner.watch.network import NetworkWatch
from virtometer.runner.watch.points import Point, ReadParts, Window, pairs_of, read_point, stretched
from virtometer.visible import visible

_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")

_NEIGHBOURS = 4
"""Slices on each side whose ticks are added to those of a slice, where the host counts in ticks."""

_USUAL = 2.0
"""Times the limit that all slices of a guest may have in common."""

_LEFT = 0.25
"""Part of the slices that must be left: the value of fewer would say little."""

_GAP_S = 10 * WATCH_S
"""Longest time beyond the planned pause between two points over which interpolation is accepted."""

_VARIED = 1.5  # times the pause that its cost demands, at most


def _read_table(path: str) -> dict[str, int]:
    table = {}
    for line in Path(path).read_text().splitlines():
        key, _, rest = line.partition(" ")
        number = rest.strip().removesuffix(" kB")
        if number.isdecimal():
            table[key.rstrip(":")] = int(number)
    return table


class Observer:
    """Takes points while a trial runs and says afterwards what happened between any two moments in it.

    Between points the counters are interpolated linearly: /proc/stat counts in ticks of 10 ms, so the error over a
    window is at most about one tick per processor at each end; guests' own counters are exact at each point.
    """

    def __init__(
        self,
        guests: Sequence[Callable[[], int]],
        watch: HostWatch | None = None,
        *,
        several: bool = False,
        parts: Sequence[ReadParts] = (),
        network: NetworkWatch | None = None,
    ) -> None:
        """`guests` are the functions that read each guest's CPU time in ns. `watch` finds out what others do.

        several: guests work at the same time, so that each processor is watched, and what waits for one, and the
        interfaces of `network`. parts: for each guest, how its CPU time is divided.
        """
        self._several = several
        self._guests, self._parts = guests, parts
        self._network = network
        self._watch = watch
        self.points: list[Point] = []
        self._due_s = 0.0
        self._swapped = _swap_pages()

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
            find=True,
            several=self._several,
            parts=self._parts,
            network=self._network,
        )
        self.points.append(point)
        self._due_s = time.monotonic() + point.pause_s * random.uniform(1, _VARIED)

    def use(self, start_ns: float, end_ns: float) -> HostUse | None:
        """The host's CPU seconds between two moments (host time), or None where a gap makes them unknown."""
        if self._hidden(start_ns, end_ns):
            return None
        first, last = self._at(start_ns), self._at(end_ns)
        use = _use((end_ns - start_ns) * 1e-9, [b - a for a, b in zip(first[0], last[0], strict=True)])
        use = _with_foreign(use, self._inside(start_ns, end_ns), self._watch)
        cost_ns = sum(point.cost_ns for point in self.points if start_ns < point.at_ns <= end_ns)
        use = replace(use, watch_s=cost_ns * 1e-9)
        begun, ended = self._activity_at(start_ns), self._activity_at(end_ns)
        inside = [p.activity.runnable for p in self.points if p.activity is not None and start_ns <= p.at_ns <= end_ns]
        return use if begun is None or ended is None else with_activity(use, begun, ended, inside)

    def guest_cpu_s(self, guest: int, start_ns: float, end_ns: float) -> float | None:
        """CPU seconds of a guest's processes between two moments; None where unreadable or hidden by a gap."""
        if self._hidden(start_ns, end_ns):
            return None
        first, last = self._at(start_ns)[1][guest], self._at(end_ns)[1][guest]
        return None if first is None or last is None else max((last - first) * 1e-9, 0.0)

    def guest_use(
        self, guest: int, start_ns: float, end_ns: float, port: tuple[str, str] | None = None
    ) -> GuestUse | None:
        """What the guest's CPU time between two moments was spent for; None where unreadable or hidden by a gap.

        port: the interface to which it is connected.
        """
        if not self._parts or self._hidden(start_ns, end_ns):
            return None
        ends = [self._around(moment) for moment in (start_ns, end_ns)]
        first, last = (guest_use.between(a.parts[guest], b.parts[guest], share) for a, b, share in ends)
        use = guest_use.used([(first, last)])
        return _with_traffic(use, port, (self._activity_at(start_ns), self._activity_at(end_ns)))

    def gap_s(self, start_ns: float, end_ns: float) -> float:
        """Longest time between two successive points of which some lies between two moments (host time), in s."""
        pairs = pairwise(point.at_ns for point in self.points)
        return max((b - a for a, b in pairs if a < end_ns and b > start_ns), default=0) * 1e-9

    def _hidden(self, start_ns: float, end_ns: float) -> bool:
        """Whether the host was not observed for much longer than was planned, between two moments (host time)."""
        return any(b.at_ns - a.at_ns > (_GAP_S + _VARIED * a.pause_s) * 1e9 for a, b in self._inside(start_ns, end_ns))

    def marks(self, start_ns: float, end_ns: float, rules: Rules) -> tuple[Mark, ...]:
        """What broke the plan's rules between two moments (host time), each with its reason."""
        found = []
        use = self.use(start_ns, end_ns)
        if use is None:
            found.append(
                Mark(
                    MarkKind.OBSERVATION,
                    f"the laboratory did not observe the host for {self.gap_s(start_ns, end_ns):.1f} s; "
                    "the cost of this trial in CPU time is not reported",
                )
            )
        watched = _watched(self._watch, self._inside(start_ns, end_ns), rules)
        return (*found, *_marks(use, _swap_pages() - self._swapped, rules), *watched)

    def _inside(self, start_ns: float, end_ns: float) -> list[tuple[Point, Point]]:
        return [(a, b) for a, b in pairwise(self.points) if a.at_ns < end_ns and b.at_ns > start_ns]

    def _around(self, moment_ns: float) -> tuple[Point, Point, float]:
        """The points before and after a moment, and how far between them it is, from 0 to 1."""
        points = self.points
        after = min(max(bisect_right(points, moment_ns, key=lambda point: point.at_ns), 1), len(points) - 1)
        a, b = points[after - 1], points[after]
        share = (moment_ns - a.at_ns) / max(b.at_ns - a.at_ns, 1)
        return a, b, min(max(share, 0.0), 1.0)

    def _activity_at(self, moment_ns: float) -> Activity | None:
        a, b, share = self._around(moment_ns)
        return None if a.activity is None or b.activity is None else between(a.activity, b.activity, share)

    def _at(self, moment_ns: float) -> tuple[tuple[float, ...], tuple[float | None, ...]]:
        a, b, share = self._around(moment_ns)
        cpu = tuple(x + (y - x) * share for x, y in zip(a.cpu_s, b.cpu_s, strict=True))
        guests = tuple(
            None if x is None or y is None else x + (y - x) * share
            for x, y in zip(a.guests_ns, b.guests_ns, strict=True)
        )
        return cpu, guests


class SliceObserver:
    """Adds up what happened in the slices of one guest, or in the windows of several that work at the same time.

    Counters are read as each slice begins and ends. Of several guests, windows are left unread where reading all of
    them would take more than 0.4 % of a processor; what happened in those that were read stands for all, by their
    lengths. of_long_windows: whether long windows are added up instead.
    """

    def __init__(
        self,
        guests: Sequence[Callable[[], int]],
        watch: HostWatch | None = None,
        *,
        several: bool = False,
        parts: Sequence[ReadParts] = (),
        network: NetworkWatch | None = None,
    ) -> None:
        """As Observer."""
        self._guests = guests
        self._parts = parts
        self._several = several
        self._network = network
        self._watch = watch
        self._apart: Mapping[int, str] = {}
        self._slices: list[Window] = []
        self._windows: list[Window] = []
        self._begun: Point | None = None
        self._begun_ns: int | None = None
        self._budgets = {False: Budget(), True: Budget()}  # of slices, of long windows
        self._runnable: list[int] = []
        self._counting_ns = 0
        self._long_window = False
        self.of_long_windows = False
        self._swapped = _swap_pages()

    def begin(self, *, long_window: bool = False) -> None:
        """A slice or a long window is about to be released."""
        self._long_window = long_window
        self._runnable, self._counting_ns = [], 0
        self._begun = self._point() if not self._several or self._budgets[long_window].allows else None
        self._begun_ns = self._begun.at_ns if self._begun is not None else time.monotonic_ns()

    def count_runnable(self) -> None:
        """Count the threads that run or are ready, while the guests work in a window that is read."""
        if self._begun is not None:
            began_ns = time.thread_time_ns()
            self._runnable.append(runnable())
            self._counting_ns += time.thread_time_ns() - began_ns

    def end(self) -> None:
        """The slice has ended."""
        if self._begun_ns is None:
            return
        window = Window(self._begun_ns, 0, None)
        if self._begun is None:
            window = replace(window, end_ns=time.monotonic_ns())
        else:
            last = self._point()
            cost_ns = self._begun.cost_ns + self._counting_ns + last.cost_ns
            window = Window(self._begun_ns, last.at_ns, (self._begun, last), tuple(self._runnable), cost_ns)
        (self._windows if self._long_window else self._slices).append(window)
        self._budgets[self._long_window].passed(window.end_ns - window.start_ns, window.cost_ns)
        self._begun = self._begun_ns = None

    def _point(self) -> Point:
        return read_point(self._guests, self._watch, several=self._several, parts=self._parts, network=self._network)

    def disturbed(self, rules: Rules) -> dict[int, str]:
        """The slices, by their number among the slices, in which others cost the guest too much, with the reason.

        A slice is disturbed by as much as it has more than the median of them, which all may have; and by more than
        three times the limit in all, because others may disturb most of them. Where that would leave fewer than a
        quarter, the first rule alone applies, and `marks` says that most are disturbed. Of those that were not read
        nothing is known.
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

    def _delay_shares(self) -> dict[int, float]:
        """The part of each slice that was read in which others had the guest's processors, by its number."""
        if self._watch is None:
            return {}
        exact = self._watch.exact
        reach = 0 if exact else _NEIGHBOURS  # ticks are too long for one slice
        read = [(number, one.points) for number, one in enumerate(self._slices) if one.points is not None]
        around = ([pair for _, pair in read[max(at - reach, 0) : at + reach + 1]] for at in range(len(read)))
        return {number: _delay_share(pairs, exact=exact) for (number, _), pairs in zip(read, around, strict=True)}

    def _mostly_delayed(self, rules: Rules) -> list[Mark]:
        """That others disturbed more than half of the slices, set aside or not."""
        shares = [] if self.of_long_windows else list(self._delay_shares().values())
        over = sum(share > rules.max_run_delay_share for share in shares)
        if 2 * over <= len(shares):
            return []
        text = f"others had the guest's processors for more than {rules.max_run_delay_share:.0%} of {over} of"
        return [Mark(MarkKind.RUN_DELAY, f"{text} {len(shares)} slices while the guest was ready")]

    def set_apart(self, disturbed: Mapping[int, str]) -> None:
        """These slices are not used: nothing of them is added up."""
        self._apart = disturbed

    def use(self, start_ns: float, end_ns: float) -> HostUse | None:
        """The host's CPU seconds in the slices between two moments (host time); None where none of them was read."""
        inside = self._inside(start_ns, end_ns)
        pairs = pairs_of(inside)
        if inside and not pairs:
            return None
        wall_s = sum(one.end_ns - one.start_ns for one in inside) * 1e-9
        whole = stretched(inside)
        fields = [math.fsum(last.cpu_s[i] - first.cpu_s[i] for first, last in whole) for i in range(len(_FIELDS))]
        use = _with_foreign(_use(wall_s, fields), pairs, self._watch)
        use = replace(use, watch_s=sum(one.cost_ns for one in inside) * 1e-9)
        ends = self._activities(whole)
        return use if ends is None else with_activity(use, *ends, [count for one in inside for count in one.runnable])

    def _activities(self, pairs: Sequence[tuple[Point, Point]]) -> tuple[Activity, Activity] | None:
        """What the host did in these slices, as two points; None where that is unknown."""
        known = [(a.activity, b.activity) for a, b in pairs if a.activity is not None and b.activity is not None]
        return added(known) if len(known) == len(pairs) else None

    def guest_cpu_s(self, guest: int, start_ns: float, end_ns: float) -> float | None:
        """CPU seconds of the guest's processes in these slices; None where they could not be read."""
        inside = self._inside(start_ns, end_ns)
        pairs = [(first.guests_ns[guest], last.guests_ns[guest]) for first, last in stretched(inside)]
        known = [last - first for first, last in pairs if first is not None and last is not None]
        return max(sum(known) * 1e-9, 0.0) if len(known) == len(pairs) and bool(pairs) is bool(inside) else None

    def guest_use(
        self, guest: int, start_ns: float, end_ns: float, port: tuple[str, str] | None = None
    ) -> GuestUse | None:
        """As that of Observer, in these slices."""
        if not self._parts:
            return None
        whole = stretched(self._inside(start_ns, end_ns))
        use = guest_use.used([(first.parts[guest], last.parts[guest]) for first, last in whole])
        return _with_traffic(use, port, self._activities(whole) or ())

    def marks(self, start_ns: float, end_ns: float, rules: Rules) -> tuple[Mark, ...]:
        """What broke the plan's rules in these slices, each with its reason."""
        use = self.use(start_ns, end_ns)
        text = "none of its windows was read; the cost of this trial in CPU time is not reported"
        found = [Mark(MarkKind.OBSERVATION, text)] if use is None else []
        watched = _watched(self._watch, pairs_of(self._inside(start_ns, end_ns)), rules)
        broken = _marks(use, _swap_pages() - self._swapped, rules)
        if not any(mark.kind is MarkKind.RUN_DELAY for mark in broken):
            found += self._mostly_delayed(rules)
        return (*found, *broken, *watched)

    def wall_s(self, start_ns: float, end_ns: float) -> float:
        """Length of these slices, from before their releases until all guests rest."""
        return sum(one.end_ns - one.start_ns for one in self._inside(start_ns, end_ns)) * 1e-9

    def _inside(self, start_ns: float, end_ns: float) -> list[Window]:
        windows = self._windows
        if not self.of_long_windows:
            windows = [one for number, one in enumerate(self._slices) if number not in self._apart]
        return [one for one in windows if one.start_ns < end_ns and one.end_ns > start_ns]


def _with_traffic(
    use: GuestUse | None, port: tuple[str, str] | None, ends: Sequence[Activity | None]
) -> GuestUse | None:
    """With what the guest's interface transferred between two points, where that is known."""
    networks = [one.network.ports for one in ends if one is not None and one.network is not None]
    if use is None or len(networks) < 2 or port is None or any(port not in ports for ports in networks):
        return use
    # What the host's side of the interface receives the guest has sent.
    return replace(use, traffic=host_network.traffic(networks[0][port], networks[1][port], turned=True))


def _use(wall_s: float, seconds: Sequence[float]) -> HostUse:
    """From CPU seconds in the order of /proc/stat."""
    user, nice, system, idle, iowait, irq, softirq, steal = seconds
    return HostUse(wall_s, user, nice, system, idle, iowait, irq, softirq, steal)


def _with_foreign(use: HostUse, pairs: Sequence[tuple[Point, Point]], watch: HostWatch | None) -> HostUse:
    """The use of the host with what others did in a window, from the pairs of points that cover it."""
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


def _delay_share(pairs: Sequence[tuple[Point, Point]], *, exact: bool) -> float:
    """The part of slices in which the guest was ready and others had its processors; 0 where that is unknown."""
    delay_s = foreign([(first.counters, last.counters) for first, last in pairs], exact=exact).delay_s
    wall_s = sum(last.at_ns - first.at_ns for first, last in pairs) * 1e-9
    return 0.0 if delay_s is None or wall_s <= 0 else delay_s / wall_s


def _watched(watch: HostWatch | None, pairs: Sequence[tuple[Point, Point]], rules: Rules) -> list[Mark]:
    """What happened to the guest's processors and in the kernel and broke the rules. `pairs` cover the window."""
    if watch is None:
        return []
    found = []
    fall = watch.fall([(first.counters, last.counters) for first, last in pairs])
    if fall is not None and 1 - fall[1] / fall[0] > rules.max_frequency_change:
        text = f"the frequency of the guest's processors fell from {fall[0]:.0f} to {fall[1]:.0f} MHz, by"
        allowed = f"(the plan allows {rules.max_frequency_change:.0%})"
        found.append(Mark(MarkKind.FREQUENCY, f"{text} {1 - fall[1] / fall[0]:.0%} {allowed}"))
    if (governors := watch.governor_change()) is not None and rules.max_frequency_change < 1:
        then, here = (one or "none" for one in governors)
        found.append(
            Mark(MarkKind.FREQUENCY, visible(f"the governor of the guest's processors was {then} and is {here}"))
        )
    if (times := watch.throttled()) > rules.max_throttling:
        text = f"processors of the guest were slowed down {times} times for their temperature"
        found.append(Mark(MarkKind.THROTTLED, f"{text} (the plan allows {rules.max_throttling})"))
    if len(errors := watch.kernel_errors()) > rules.max_kernel_errors:
        text = f"the kernel of the host logged {len(errors)} error{'s' if len(errors) > 1 else ''}: {errors[0]}"
        found.append(Mark(MarkKind.KERNEL, visible(text)))
    return found


def _marks(use: HostUse | None, swapped: int, rules: Rules) -> tuple[Mark, ...]:
    found = []
    total = use.busy + use.idle + use.iowait + use.steal if use else 0.0
    if use and total > 0 and use.steal / total > rules.max_steal_share:
        share = f"{use.steal / total:.1%} of the host's processor time went to others"
        found.append(Mark(MarkKind.STEAL, f"{share} (the plan allows {rules.max_steal_share:.1%})"))
    if use and use.foreign is not None and use.wall_s > 0 and use.foreign / use.wall_s > rules.max_foreign_load:
        text = f"other programs used {use.foreign / use.wall_s:.2f} processors"
        found.append(Mark(MarkKind.FOREIGN, f"{text} (the plan allows {rules.max_foreign_load:g})"))
    if use and use.run_delay is not None and use.wall_s > 0 and use.run_delay / use.wall_s > rules.max_run_delay_share:
        text = f"others had the guest's processors for {use.run_delay / use.wall_s:.0%} of the window"
        text += f" while the guest was ready (the plan allows {rules.max_run_delay_share:.0%})"
        found.append(Mark(MarkKind.RUN_DELAY, text))
    if swapped > rules.max_swap_pages:
        found.append(Mark(MarkKind.SWAP, f"{swapped} pages moved (the plan allows {rules.max_swap_pages})"))
    free = _read_table("/proc/meminfo").get("MemAvailable", 0) * 1024
    if free < rules.min_free_memory_bytes:
        text = f"{free >> 20} MiB were free (the plan asks for {rules.min_free_memory_bytes >> 20})"
        found.append(Mark(MarkKind.MEMORY, text))
    return tuple(found)


def _swap_pages() -> int:
    table = _read_table("/proc/vmstat")
    return table.get("pswpin", 0) + table.get("pswpout", 0)


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().splitlines()[0].strip()
    except (OSError, IndexError):
        return ""


def _fingerprint(secret: str) -> str:
    """Tells machines apart without telling which one it is: machine-id(5) asks not to publish it."""
    return hashlib.sha256(f"virtometer {secret}".encode()).hexdigest()[:16] if secret else ""


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return platform.machine()


def _cpu_features() -> str:
    wanted = ("sse2", "avx", "avx2", "fma", "avx512f", "svm", "vmx", "hypervisor")
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "flags":
            present = set(value.split())
            return " ".join(name for name in wanted if name in present)
    return ""


IDENTITY = (
    "hostname",
    "machine_id",
    "cpu_model",
    "cpu_features",
    "cpus",
    "cpus_allowed",
    "memory_bytes",
    "kernel",
    "architecture",
    "governor",
    "transparent_huge_pages",
    "user",
)
_MEMORY_TOLERANCE = 0.02  # what a kernel reserves at boot differs a little from boot to boot


def facts() -> dict[str, Any]:
    """What this host is. The fields in IDENTITY decide whether a campaign may go on here."""
    return {
        "hostname": platform.node(),
        "machine_id": _fingerprint(_first_line("/etc/machine-id")),
        "cpu_model": _cpu_model(),
        "cpu_features": _cpu_features(),
        "cpus": os.cpu_count() or 0,
        "cpus_allowed": len(os.sched_getaffinity(0)),
        "memory_bytes": _read_table("/proc/meminfo").get("MemTotal", 0) * 1024,
        "swap_bytes": _read_table("/proc/meminfo").get("SwapTotal", 0) * 1024,
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "os": _os_name(),
        "clock_source": _first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        **frequency_facts(os.sched_getaffinity(0)),
        "transparent_huge_pages": _first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "address_randomisation": _first_line("/proc/sys/kernel/randomize_va_space"),
        "user": "root" if os.geteuid() == 0 else "ordinary user",
    }


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return platform.system()


def changed(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two hosts, one phrase each; empty when they are the same."""
    return [
        f"{key} was {then.get(key)!r} and is {now.get(key)!r}"
        for key in IDENTITY
        if then.get(key) != now.get(key) and not (key == "memory_bytes" and _close(then.get(key), now.get(key)))
    ]


def _close(then: object, now: object) -> bool:
    return isinstance(then, int) and isinstance(now, int) and abs(then - now) <= _MEMORY_TOLERANCE * max(then, now)
