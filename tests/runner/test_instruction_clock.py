"""An emulated machine whose clock counts instructions: what is corrected agrees with the host's stopwatch."""

import time

import pytest

from tests.environments.booted import BOOT_S, bench, greet, require, until
from virtometer.environments.qemu import Qemu, QemuSettings
from virtometer.link.messages import Done, Ready, Samples
from virtometer.model import Limits
from virtometer.runner.clock_watch import ClockWatch
from virtometer.runner.state import RunState


@pytest.fixture
def qemu(tmp_path):
    with bench(tmp_path, disk=False) as one:
        environment = Qemu(one)
        require(environment.check())
        environment.prepare(QemuSettings())
        yield environment


def measured(session, seconds):
    """One run: what is known of its clock, its samples, and the host's time from `start` to `done` in s."""
    watch = ClockWatch(session, Limits())
    session.begin_run()
    wish = {
        "run": "r", "kernel": "os", "op": "system-call", "parameters": {},
        "threads": 1, "cpus": None, "seconds": seconds,
    }  # fmt: skip
    session.request("prepare", wish, BOOT_S)
    ready = until(session)
    assert isinstance(ready, Ready)
    state = RunState("r").after(ready)
    watch.before(seconds)
    watch.starting()
    begun = time.monotonic()
    state = state.started()
    session.request("start", {"run": "r"}, BOOT_S)
    while not isinstance(state.done, Done):
        watch.ask()
        event = session.next_event(0.05)
        if event is not None:
            state = state.after(event)
        if isinstance(event, Samples):
            watch.arrived(state.samples[-1], session.event_ns)
    stopwatch_s = time.monotonic() - begun
    watch.after()
    return watch.judge(state.samples), state.samples, stopwatch_s


@pytest.mark.slow
@pytest.mark.parametrize("icount", ["auto", "shift=2,sleep=off"])
def test_throughput_agrees_with_the_hosts_stopwatch(qemu, icount):
    guest = qemu.start(QemuSettings.model_validate({"icount": icount, "cpus": 1}), "counts")
    try:
        session = greet(guest)
        fitted, samples, stopwatch_s = measured(session, 4.0)
        session.bye(10)
        session.close()
    finally:
        guest.stop()
    work = sum(sample.work for sample in samples)
    lasted_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    corrected = work / (lasted_ns * 1e-9 * fitted.rate)
    # Next to nothing lies between these samples, so that the whole run is the work.
    assert corrected == pytest.approx(work / stopwatch_s, rel=0.01)
    assert abs(corrected / (work / stopwatch_s) - 1) <= fitted.relative_bound < 0.05
