"""What others do on the host while a guest works."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.base import Guest, LabContext, Settings
from virtometer.environments.kinds.libvirt.guest import DomainGuest
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.model import MarkKind
from virtometer.model.plan import Rules
from virtometer.runner.watch import foreign as host_watch
from virtometer.runner.watch.foreign import Counters, HostWatch, foreign, frequency_facts, temperature_c, throttled
from virtometer.runner.watch.observer import Observer

HERE = frozenset(os.sched_getaffinity(0))
BUSY = f"import os\nos.sched_setaffinity(0, {{{max(HERE)}}})\nwhile True: pass"


@pytest.fixture
def guest(lab: LabContext) -> Iterator[Guest]:
    one = Native(lab).start(NativeSettings(), f"watched-{os.getpid()}")
    yield one
    one.stop()


@pytest.fixture
def frequencies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of processor 3 of a host that reports frequencies. The other processors report none."""
    monkeypatch.setattr(host_watch, "CPUS", tmp_path)
    folder = tmp_path / "cpu3" / "cpufreq"
    folder.mkdir(parents=True)
    for name, text in (("scaling_governor", "powersave"), ("scaling_cur_freq", "2000000"),
                       ("scaling_driver", "a_driver"), ("cpuinfo_min_freq", "800000"),
                       ("cpuinfo_max_freq", "3500000")):  # fmt: skip
        (folder / name).write_text(f"{text}\n")
    return folder


def counters(busy: int, ours: int, own: int, own_ours: int, delay: int | None, khz: int | None = None) -> Counters:
    return Counters(busy, ours, own, own_ours, delay, delay, khz)


def test_run_delay_counts_as_far_as_others_had_the_processors() -> None:
    start = counters(0, 0, 0, 0, 0)
    alone = counters(100, 100, 60, 60, 50)  # its threads cost each other 50
    beside = counters(300, 100, 160, 60, 50)  # others had its processors for 100
    little = counters(140, 100, 80, 60, 50)
    assert foreign([(start, alone)], exact=True).delay_s == 0
    assert foreign([(start, beside)], exact=True).delay_s == pytest.approx(50e-9)
    assert foreign([(start, little)], exact=True).delay_s == pytest.approx(20e-9)
    assert foreign([(start, beside)], exact=True).all_s == pytest.approx(200e-9)
    assert foreign([(start, alone), (start, beside)], exact=True).delay_s == pytest.approx(50e-9)


def test_ticks_are_added_up_before_they_are_compared() -> None:
    late = (counters(0, 0, 0, 0, 0), counters(10, 20, 10, 20, 0))  # the tick came in the next stretch
    early = (counters(0, 0, 0, 0, 0), counters(30, 20, 30, 20, 15))
    assert foreign([late, early], exact=False).delay_s == 0
    assert foreign([late, early], exact=False).all_s == 0


def test_what_a_host_does_not_count_is_unknown() -> None:
    pair = (counters(0, 0, 0, 0, None), counters(9, 0, 9, 0, None, 2_000_000))
    found = foreign([pair], exact=True)
    assert (found.delay_s, found.pressure_s, found.mhz) == (None, None, 2000)


@pytest.mark.parametrize("on_this_host", [True, False])
def test_a_guest_that_this_host_hides_leaves_the_foreign_load_unknown(
    lab: LabContext, guest: Guest, on_this_host: bool
) -> None:
    hidden = DomainGuest(lab, "hidden", Settings())
    hidden.follow_nothing("libvirt shows no process", lambda: True, on_this_host=on_this_host)
    assert ("foreign_load" in hidden.effective) is on_this_host
    watch = HostWatch([guest], [guest, hidden], [], HERE, pinned=True)
    observer = Observer([guest.cpu_ns], watch, continuous=True)
    first = watch.read()
    observer.begin()
    with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        wait_until(lambda: watch.read().busy_ns - first.busy_ns > 400_000_000)
        busy.kill()
    observer.end()
    begun, ended = observer.windows[0].points
    found = foreign([(begun.counters, ended.counters)], exact=watch.exact)
    assert (found.all_s is None, found.delay_s is None) == (on_this_host, on_this_host)
    slices = Observer([guest.cpu_ns], watch)
    slices.begin()
    slices.end()
    used = slices.use(0, time.monotonic_ns())
    assert used is not None and (used.foreign is None) is on_this_host
    rules = Rules(min_free_memory_bytes=0, max_foreign_load=0, max_steal_share=1, max_kernel_errors=1000)
    kinds = {mark.kind for mark in slices.marks(0, time.monotonic_ns(), rules)}
    assert not on_this_host or not kinds & {MarkKind.FOREIGN, MarkKind.RUN_DELAY}
    watch.close()


def test_another_program_is_foreign_and_the_laboratory_is_not(guest: Guest) -> None:
    watch = HostWatch([guest], [guest], [], HERE, pinned=False)
    first = watch.read()
    with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        try:
            wait_until(lambda: (foreign([(first, watch.read())], exact=watch.exact).all_s or 0.0) > 0.2)
        finally:
            busy.kill()
    own = watch.read().ours_ns
    assert own is not None
    while (watch.read().ours_ns or 0) < own + 50_000_000:
        pass
    last = watch.read(find=True)
    assert last.ours_ns is not None and last.ours_ns - own >= 50_000_000
    assert last.delay_ns is not None
    assert watch.kernel_load() >= 0
    watch.close()
    watch.close()


def test_errors_of_the_kernel_are_found_in_its_log(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    read_fd, write_fd = os.pipe2(os.O_NONBLOCK | os.O_DIRECT)  # one message is one read, as of the log
    monkeypatch.setattr(host_watch, "kernel_log", lambda: read_fd)
    watch = HostWatch([guest], [guest], [], HERE, pinned=False)
    for line in ("6,1,1,-;a device was found\n", "3,2,2,-;Out of memory: Killed process 7\n SUBSYSTEM=x\n",
                 "11,3,3,-;a program says error\n"):  # fmt: skip
        os.write(write_fd, line.encode())
    assert watch.kernel_errors() == ["Out of memory: Killed process 7"]
    assert watch.kernel_errors() == []
    os.close(write_fd)
    watch.close()


def test_a_fall_of_the_frequency_is_seen_where_stretches_end(guest: Guest, frequencies: Path) -> None:
    watch = HostWatch([guest], [guest], [], {3, 4}, pinned=True)
    shared = HostWatch([guest], [guest], [], {3, 4}, pinned=False)
    pairs = []
    for khz in (3_400_000, 2_550_000, 3_000_000):
        (frequencies / "scaling_cur_freq").write_text("900000\n")  # at rest
        first = watch.read()
        (frequencies / "scaling_cur_freq").write_text(f"{khz}\n")
        pairs.append((first, watch.read()))
    assert watch.fall(pairs) == (3400, 2550)
    assert foreign(pairs, exact=watch.exact).mhz == 2550
    assert shared.fall(pairs) is None
    assert watch.fall([(counters(0, 0, 0, 0, 0), counters(0, 0, 0, 0, 0))]) is None
    watch.close()
    shared.close()


def test_a_change_of_the_governor_is_seen(guest: Guest, frequencies: Path) -> None:
    watch = HostWatch([guest], [guest], [], {3, 4}, pinned=True)
    assert watch.governor_change() is None
    (frequencies / "scaling_governor").write_text("performance\n")
    assert watch.governor_change() == ("powersave", "performance")
    watch.close()


@pytest.mark.parametrize(
    ("name", "text", "turbo"),
    [("intel_pstate/no_turbo", "1", "off"), ("intel_pstate/no_turbo", "0", "on"), ("cpufreq/boost", "1", "on")],
)
def test_what_a_host_says_of_frequencies(frequencies: Path, name: str, text: str, turbo: str) -> None:
    file = frequencies.parents[1] / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{text}\n")
    assert frequency_facts([3, 4]) == {
        "governor": "powersave",
        "frequency_driver": "a_driver",
        "frequency_range_mhz": "800 to 3500",
        "turbo": turbo,
    }


def test_a_host_that_reports_no_frequencies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_watch, "CPUS", tmp_path)
    assert set(frequency_facts([0, 1]).values()) == {""}


def test_sensors_are_read_where_there_are_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cpu3" / "thermal_throttle" / "core_throttle_count"
    file.parent.mkdir(parents=True)
    file.write_text("7\n")
    monkeypatch.setattr(host_watch, "CPUS", tmp_path)
    assert throttled([3, 4]) == 7
    found = temperature_c()
    assert found is None or found > -100
