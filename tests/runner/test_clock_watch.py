import socket
import threading

import pytest

from virtometer.link.channel import Channel, Stream
from virtometer.link.session import Session
from virtometer.model import Limits
from virtometer.runner import clock_watch
from virtometer.runner.clock_watch import BURST, ClockWatch


@pytest.fixture
def session():
    ours, theirs = socket.socketpair()
    fd = ours.detach()
    session = Session(Channel(Stream(fd, fd)), "guest")

    def answer():
        number = 0
        with theirs, theirs.makefile("rb") as lines:
            for _ in lines:
                number += 1
                theirs.sendall(b'{"id":%d,"return":{"received_ns":%d,"sent_ns":%d}}\n' % (number, number, number))

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield session
    session.close()
    thread.join(5)


@pytest.mark.parametrize(
    ("round_trip_ns", "seconds", "period_s"), [(10_000, 1.0, 0.25), (900_000, 1.0, 0.9), (10_000, 3600.0, 1.8)]
)
def test_probes_during_a_run_cost_little_and_do_not_flood(session, monkeypatch, round_trip_ns, seconds, period_s):
    clock = [0]

    def probe(limit_s):
        clock[0] += round_trip_ns
        return clock_watch.ClockProbe(clock[0] - round_trip_ns, clock[0], clock[0], clock[0])

    asked = []
    monkeypatch.setattr(session, "ping", probe)
    monkeypatch.setattr(session, "ask", lambda limit_s: asked.append(clock[0]))
    monkeypatch.setattr(clock_watch.time, "monotonic", lambda: clock[0] * 1e-9)
    monkeypatch.setattr(clock_watch.time, "monotonic_ns", lambda: clock[0])
    watch = ClockWatch(session, Limits())
    watch.before(seconds)
    watch.starting()
    for _ in range(1000):
        clock[0] += int(period_s * 1e7)
        watch.ask()
    assert 8 <= len(asked) <= 10


def test_probes_are_kept_in_the_order_in_which_they_were_sent(session):
    watch = ClockWatch(session, Limits())
    watch.before(1.0)
    watch.starting()
    session.ask(5)
    watch.after()
    probes = watch.probes
    assert len(probes) >= 2 * BURST + 1
    assert list(probes) == sorted(probes, key=lambda probe: probe.sent_host_ns)
