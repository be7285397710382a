"""One run over a session with its clock watched, as a trial does it."""

import time

from tests.environments.booted import BOOT_S, until
from virtometer.link.messages import Done, Ready, Samples
from virtometer.model import Limits
from virtometer.runner.clock_watch import ClockWatch
from virtometer.runner.state import RunState


def measured(session, seconds):
    """One run: what is known of its clock, its samples, and the host's time from `start` to `done` in s."""
    watch, samples, stopwatch_s = watched(session, seconds)
    return watch.judge(samples), samples, stopwatch_s


def watched(session, seconds):
    """The same, not judged yet: the watch itself, the samples, and the host's time."""
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
    return watch, state.samples, stopwatch_s
