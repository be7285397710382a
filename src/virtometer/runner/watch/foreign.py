"""Counters of the host around one run: its guests, what serves beside them, and what others do meanwhile.

docs/methods/disturbance.md says what is made of them.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.base import Guest
from virtometer.runner.watch.processor_time import ProcessorTime, kernel_threads_ns

_ERROR = 3  # the level of errors in the kernel's log; below it is worse
_MOST_MESSAGES = 1000
CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True)
class Counters:
    """At one moment, in ns since some start. None: this host does not count it.

    busy: all processors, in processes. ours: guests, laboratory and what serves beside guests. own_busy: the
    processors of the measured guests. own_ours: what is ours there; None for both where a guest on this host has
    processes that the host does not show. delay: run delay of the measured guests' threads. pressure: time in which
    some process of the host waited for a processor.
    """

    busy_ns: int = 0
    ours_ns: int | None = 0
    own_busy_ns: int = 0
    own_ours_ns: int | None = 0
    delay_ns: int | None = None
    pressure_ns: int | None = None
    khz: int | None = None


@dataclass(frozen=True, slots=True)
class Foreign:
    """What others did in stretches of time, in s: on all processors, and at the cost of the measured guests.

    all_s, delay_s: None where what is ours is unknown in one of the stretches.
    pressure_s: in which some process waited. mhz: the lowest frequency of the guests' processors where stretches end.
    """

    all_s: float | None
    delay_s: float | None
    pressure_s: float | None
    mhz: float | None


UNKNOWN = Counters()
"""Of a host that nobody watches."""


def foreign(pairs: Sequence[tuple[Counters, Counters]], *, exact: bool) -> Foreign:
    """What others did in stretches of time, each from one reading to another.

    Run delay counts only as far as others used the processors of the guests: delays between threads of one guest are a
    property of the guest. exact: whether this is known of each stretch, or only of all in total.
    """
    all_ns = _others([(a.busy_ns, a.ours_ns, b.busy_ns, b.ours_ns) for a, b in pairs])
    own_ns = _others([(a.own_busy_ns, a.own_ours_ns, b.own_busy_ns, b.own_ours_ns) for a, b in pairs])
    delays_ns = _increases([(first.delay_ns, last.delay_ns) for first, last in pairs])
    delay_ns = None
    if own_ns is None or delays_ns is None:
        delay_ns = None
    elif exact:
        delay_ns = sum(min(delay, max(own, 0)) for delay, own in zip(delays_ns, own_ns, strict=True))
    else:
        delay_ns = min(sum(delays_ns), max(sum(own_ns), 0))
    pressures_ns = _increases([(first.pressure_ns, last.pressure_ns) for first, last in pairs])
    return Foreign(
        None if all_ns is None else max(sum(all_ns), 0) * 1e-9,
        None if delay_ns is None else delay_ns * 1e-9,
        None if pressures_ns is None else sum(pressures_ns) * 1e-9,
        min((last.khz / 1000 for _, last in pairs if last.khz), default=None),
    )


def _others(readings: Sequence[tuple[int, int | None, int, int | None]]) -> list[int] | None:
    """Processor time that is not ours, in each stretch: from what was busy and ours at its begin and its end."""
    found = []
    for busy, ours, busy_later, ours_later in readings:
        if ours is None or ours_later is None:
            return None
        found.append(busy_later - busy - (ours_later - ours))
    return found


def _increases(pairs: Sequence[tuple[int | None, int | None]]) -> list[int] | None:
    known = [last - first for first, last in pairs if first is not None and last is not None]
    return known if known and len(known) == len(pairs) else None


class HostWatch:
    """Reads the counters. `close` when the run has ended."""

    def __init__(
        self,
        measured: Sequence[Guest],
        living: Sequence[Guest],
        beside: Sequence[Guest],
        processors: Collection[int],
        *,
        pinned: bool,
    ) -> None:
        """`processors`: of the guests `measured`; `pinned`: whether the laboratory and `beside` are on others.

        `living` are all guests of this laboratory, those that are silent too.
        """
        self._measured, self._living, self._beside = measured, living, beside
        self._processors, self._pinned = processors, pinned
        self._time = ProcessorTime()
        self.exact = self._time.exact
        self._governors = governors(processors)
        self._pressure = _opened("/proc/pressure/cpu")
        self._frequencies = [_opened(f"{CPUS}/cpu{one}/cpufreq/scaling_cur_freq") for one in sorted(processors)]
        self._log = kernel_log()
        self._throttled = throttled(processors)
        self._kernel_load: float | None = None
        self._kernel_ns, self._begun = kernel_threads_ns(), time.monotonic()
        for guest in measured:
            guest.find_threads()

    def read(self, *, find: bool = False) -> Counters:
        """The counters now. `find`: also of threads that were started since the last time."""
        if find:
            for guest in self._measured:
                guest.find_threads()
        delays = [guest.run_delay_ns() for guest in self._measured]
        guests_ns, beside_ns = _cpu_ns(self._living), _cpu_ns(self._beside)
        ours_ns = None
        if guests_ns is not None and beside_ns is not None:
            ours_ns = guests_ns + beside_ns + time.process_time_ns()
        busy_ns, own_busy_ns = self._time.ns(self._processors)
        return Counters(
            busy_ns,
            ours_ns,
            own_busy_ns,
            guests_ns if self._pinned else ours_ns,
            None if None in delays else sum(one or 0 for one in delays),
            self._some_pressure_ns(),
            min((khz for file in self._frequencies if (khz := _number(file)) is not None), default=None),
        )

    def kernel_load(self) -> float:
        """Processors' worth of time that the kernel's own threads used from the beginning to the first call of this."""
        if self._kernel_load is None:
            now, passed_s = kernel_threads_ns(), time.monotonic() - self._begun
            used_ns = sum(max(ns - self._kernel_ns.get(pid, ns), 0) for pid, ns in now.items())
            self._kernel_load = used_ns * 1e-9 / passed_s
        return self._kernel_load

    def throttled(self) -> int:
        """How often the guests' processors were slowed down for their temperature since the beginning."""
        return throttled(self._processors) - self._throttled

    def fall(self, pairs: Sequence[tuple[Counters, Counters]]) -> tuple[float, float] | None:
        """Highest and lowest frequency of the guests' own processors where stretches end, in MHz.

        None where the host does not report frequencies, or where others share the processors: idle ones have any.
        """
        found = [last.khz / 1000 for _, last in pairs if last.khz] if self._pinned else []
        return (max(found), min(found)) if found else None

    def governor_change(self) -> tuple[str, str] | None:
        """The governor of the guests' processors at the beginning and now; None where it is the same or unknown."""
        now = governors(self._processors)
        return (self._governors, now) if now != self._governors else None

    def kernel_errors(self) -> list[str]:
        """What the kernel has logged as an error, or worse, since the last call."""
        found: list[str] = []
        for _ in range(_MOST_MESSAGES if self._log >= 0 else 0):
            try:
                head, _, text = os.read(self._log, 8192).decode(errors="replace").partition(";")
            except BlockingIOError:
                break
            except OSError:  # messages were overwritten before they were read
                continue
            priority = int(head.split(",")[0])
            if priority >> 3 == 0 and priority & 7 <= _ERROR:
                found.append(text.split("\n")[0].strip())
        return found

    def close(self) -> None:
        """Close the files. Idempotent."""
        for file in (self._pressure, self._log, *self._frequencies):
            if file >= 0:
                os.close(file)
        self._pressure, self._log, self._frequencies = -1, -1, []
        self._time.close()

    def _some_pressure_ns(self) -> int | None:
        if self._pressure < 0:
            return None
        some = os.pread(self._pressure, 256, 0).split(b"\n")[0]
        return int(some.rpartition(b"total=")[2]) * 1000


class SharedWatch(HostWatch):
    """That of several trials of one guest, which take turns."""

    _errors: tuple[str, ...] = ()

    def kernel_errors(self) -> list[str]:
        """What the kernel has logged as an error, or worse, since the beginning: each of the trials may have it."""
        self._errors += tuple(super().kernel_errors())
        return list(self._errors)


def throttled(processors: Collection[int]) -> int:
    """Throttling events of processors since the host was started; 0 where it does not count them."""
    total = 0
    for one in processors:
        with contextlib.suppress(OSError, ValueError):
            total += int((CPUS / f"cpu{one}" / "thermal_throttle" / "core_throttle_count").read_text())
    return total


def governors(processors: Collection[int]) -> str:
    """The frequency governors of processors, each once; empty where the host reports none."""
    return " ".join(_each(processors, "cpufreq/scaling_governor"))


def frequency_facts(processors: Collection[int]) -> dict[str, str]:
    """Governor, driver, range in MHz and turbo of processors; empty texts where the host reports none."""
    lowest, highest = (_each(processors, f"cpufreq/cpuinfo_{end}_freq") for end in ("min", "max"))
    numbers = [int(text) for text in (*lowest, *highest) if text.isdecimal()]
    return {
        "governor": governors(processors),
        "frequency_driver": " ".join(_each(processors, "cpufreq/scaling_driver")),
        "frequency_range_mhz": f"{min(numbers) / 1000:g} to {max(numbers) / 1000:g}" if numbers else "",
        "turbo": _turbo(),
    }


def _each(processors: Collection[int], name: str) -> list[str]:
    """What the files of processors hold, each once."""
    found = []
    for one in sorted(processors):
        with contextlib.suppress(OSError):
            found.append((CPUS / f"cpu{one}" / name).read_text().strip())
    return list(dict.fromkeys(text for text in found if text))


def _turbo() -> str:
    """Whether processors may exceed their nominal frequency: `on`, `off`, or empty where that is not reported."""
    for name, off in (("intel_pstate/no_turbo", "1"), ("cpufreq/boost", "0")):
        with contextlib.suppress(OSError):
            return "off" if (CPUS / name).read_text().strip() == off else "on"
    return ""


def temperature_c() -> float | None:
    """The highest temperature that the host reports, in degrees Celsius; None where it reports none."""
    found = []
    for pattern in ("thermal/thermal_zone*/temp", "hwmon/hwmon*/temp*_input"):
        for path in Path("/sys/class").glob(pattern):
            with contextlib.suppress(OSError, ValueError):
                found.append(int(path.read_text()) / 1000)
    return max(found, default=None)


def _cpu_ns(guests: Sequence[Guest]) -> int | None:
    """Processor time of this host that guests used; None where one works here and the host does not show it."""
    total = 0
    for guest in guests:
        try:
            total += guest.cpu_ns()
        except OSError:
            if guest.on_this_host:
                return None
    return total


def kernel_log() -> int:
    """The kernel's log, from now on; -1 where this user may not read it."""
    file = _opened("/dev/kmsg", os.O_NONBLOCK)
    if file >= 0:
        os.lseek(file, 0, os.SEEK_END)
    return file


def _opened(path: str, flags: int = 0) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    except OSError:
        return -1


def _number(file: int) -> int | None:
    try:
        return int(os.pread(file, 32, 0)) if file >= 0 else None
    except (OSError, ValueError):
        return None
