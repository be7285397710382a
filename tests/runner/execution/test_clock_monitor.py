import socket
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from virtometer.clock import steps
from virtometer.clock.steps import Step
from virtometer.errors import ClockError
from virtometer.link.channel import Channel, Stream
from virtometer.link.session import Session
from virtometer.model import ClockFault, Limits, RoundTrip, RoundTripKind, Sample
from virtometer.runner.execution.clock_monitor import BURST, ClockMonitor


@pytest.fixture
def session() -> Iterator[Session]:
    ours, theirs = socket.socketpair()
    fd = ours.detach()
    session = Session(Channel(Stream(fd, fd)), "guest")

    def answer() -> None:
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
    ("own_ns", "guest_ns", "seconds", "period_s"),
    [
        (10_000, 10_000, 1.0, 0.25),
        (100_000, 200_000, 9.0, 0.6),
        (100_000, 200_000, 0.75, 0.5),
        (100_000, 500_000, 0.75, 0.5),
        (100_000, 2_000_000, 1.0, 4.2),
        (0, 0, 3600.0, 1.8),
    ],
)
def test_probes_during_a_run_cost_little_and_do_not_flood(
    session: Session, monkeypatch: pytest.MonkeyPatch, own_ns: int, guest_ns: int, seconds: float, period_s: float
) -> None:
    now = [0]
    used = [0, 0]

    def probe(limit_s: float, kind: RoundTripKind = "before") -> RoundTrip:
        used[:] = used[0] + own_ns, used[1] + guest_ns
        now[0] += 10**8  # a channel that is slow, which costs nothing
        return RoundTrip(kind, now[0] - 10**8, now[0], now[0], now[0])

    asked = []
    monkeypatch.setattr(session, "ping", probe)
    monkeypatch.setattr(session, "send_ping", lambda limit_s: asked.append(now[0]))
    monkeypatch.setattr(time, "monotonic", lambda: now[0] * 1e-9)
    monkeypatch.setattr(time, "monotonic_ns", lambda: now[0])
    monkeypatch.setattr(time, "thread_time_ns", lambda: used[0])
    watch = ClockMonitor(session, Limits(), lambda: used[1], {})
    monkeypatch.setattr(session, "pause", lambda seconds: None)
    watch.before(seconds)
    assert watch.period_s == pytest.approx(period_s)
    watch.starting()
    for _ in range(10_000):
        now[0] += int(period_s * 1e7)
        watch.ping()
    assert 90 <= len(asked) <= 110
    apart_s = [(after - one) * 1e-9 / period_s for one, after in pairwise(asked)]
    assert 0.74 < min(apart_s) < 0.9 < 1.1 < max(apart_s) < 1.27


@pytest.mark.parametrize(
    ("known_s", "lost_s", "told_s"), [(-3.0, -0.01, -3.0), (3.0, -0.002, -0.002), (-0.006, -2.99, -2.99)]
)
def test_a_step_back_is_as_large_as_samples_and_probes_prove_together(
    session: Session, monkeypatch: pytest.MonkeyPatch, known_s: float, lost_s: float, told_s: float
) -> None:
    """Probes know what happened between them: more than a sample lost, or less, or something else that was greater."""
    watch = ClockMonitor(session, Limits(), lambda: 0, {})
    monkeypatch.setattr(steps, "between", lambda probes: Step(known_s * 1e9, 5e8))
    lost = ClockError("stepped back by at least something", ClockFault("went-back", lost_s, 0.4))
    fault = watch.sized(lost).fault
    assert fault.kind == "went-back"
    assert fault.size_s == pytest.approx(told_s)
    other = ClockError("stood still", ClockFault("stood-still", None, 0.4))
    assert watch.sized(other) is other


def test_what_a_probe_costs_is_tried_once_in_an_environment(session: Session) -> None:
    costs: dict[str, float] = {}
    first = ClockMonitor(session, Limits(), lambda: 0, costs)
    first.before(1.0)
    kinds = [probe.kind for probe in first.probes]
    assert kinds == [*["early"] * (len(kinds) - BURST), *["before"] * BURST] and len(kinds) > BURST
    tried = dict(costs)
    assert list(tried) == [session.name] and 0 < tried[session.name] < 0.1
    later = ClockMonitor(session, Limits(), lambda: 0, costs)
    later.before(1.0)
    assert costs == tried
    assert len(later.probes) == BURST


@pytest.mark.parametrize(
    ("cost_s", "seconds", "round_trip_ns", "rests_s"),
    [(1e-5, 1.0, 10**6, None), (5e-3, 1.0, 10**6, 0.1), (5e-3, 0.4, 10**6, 0.05), (5e-3, 0.4, 10**4, 0.002)],
)
def test_a_burst_rests_twice_where_no_probe_may_fall_within_the_run(
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    cost_s: float,
    seconds: float,
    round_trip_ns: int,
    rests_s: float | None,
) -> None:
    rested: list[float] = []
    monkeypatch.setattr(session, "pause", rested.append)
    monkeypatch.setattr(session, "ping", lambda limit_s, kind="before": RoundTrip(kind, 0, 1, 2, round_trip_ns))
    watch = ClockMonitor(session, Limits(), lambda: 0, {session.name: cost_s})
    watch.before(seconds)
    assert rested == ([] if rests_s is None else pytest.approx([rests_s] * 2))


@pytest.mark.parametrize(
    ("way_ns", "limit", "pauses"),
    [(10_000, 0.005, 0), (2_500_000, 0.005, 5), (2_500_000, 0.05, 3), (2_500_000, 0.0001, 0)],
)
def test_only_a_clock_that_is_not_known_well_enough_is_compared_after_pauses(
    session: Session, monkeypatch: pytest.MonkeyPatch, way_ns: int, limit: float, pauses: int
) -> None:
    """Not where a limit asks for more than any history can prove."""
    now = [10**12]
    rested: list[float] = []

    def pause(seconds: float) -> None:
        rested.append(seconds)
        now[0] += int(seconds * 1e9)

    def probe(limit_s: float, kind: RoundTripKind = "before") -> RoundTrip:  # the answer is held for 1 us
        begin, now[0] = now[0], now[0] + 2 * way_ns + 1_000
        return RoundTrip(kind, begin, begin + way_ns, begin + way_ns + 1_000, now[0])

    monkeypatch.setattr(session, "pause", pause)
    monkeypatch.setattr(session, "ping", probe)
    watch = ClockMonitor(session, Limits(clock_error=limit), lambda: 0, {session.name: 0.0})
    watch.before(0.05)
    now[0] += 50_000_000
    rested.clear()
    watch.after()
    longest = [seconds for seconds in rested if seconds >= 0.1]  # others are those within bursts
    assert len(longest) == pauses
    assert sum(rested) < 3.5


def test_only_a_guest_that_was_never_probed_is_probed_before_it_prepares(session: Session) -> None:
    first = ClockMonitor(session, Limits(), lambda: 0, {})
    first.early()
    assert [probe.kind for probe in first.probes] == ["early"] * BURST
    assert len(session.history) == BURST
    later = ClockMonitor(session, Limits(), lambda: 0, {})
    later.early()
    assert later.probes == ()


def test_probes_are_kept_in_the_order_in_which_they_were_sent(session: Session) -> None:
    watch = ClockMonitor(session, Limits(), lambda: 0, {})
    watch.before(1.0)
    watch.starting()
    session.send_ping(5)
    watch.after()
    probes = watch.probes
    assert len(probes) >= 2 * BURST + 1
    assert list(probes) == sorted(probes, key=lambda probe: probe.sent_host_ns)


def test_a_run_that_the_laboratory_times_needs_iterations_whatever_the_pings_say(session: Session) -> None:
    """An agent that works without being released is no reason to time the run by its clock."""
    watch = ClockMonitor(session, Limits(), lambda: 0, {}, host_timed=True)
    watch.before(1.0)
    watch.starting()
    watch.after()
    last = watch.probes[-1].received_guest_ns
    with pytest.raises(ClockError, match="from outside of the iterations"):
        watch.fit([Sample(last - 2, last - 1, 1, "")])


def test_a_moment_is_agreed_by_the_round_trip_that_tells_most(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = 10**12
    now = time.monotonic_ns()

    def trip(age_ns: int, length_ns: int, off_ns: int) -> RoundTrip:
        """In the middle of it the guest's clock shows what the host's does, `ahead` and a little more."""
        guest_ns = now - age_ns + length_ns // 2 + ahead + off_ns
        return RoundTrip("before", now - age_ns, guest_ns - 10, guest_ns + 10, now - age_ns + length_ns)

    monitor = ClockMonitor(session, Limits(), lambda: 0, {})
    old, long, good = trip(10**10, 1000, 7), trip(10**6, 10**6, 77), trip(10**8, 20_000, 777)
    trips = iter([old, long, good])
    monkeypatch.setattr(session, "ping", lambda limit_s, kind="before": next(trips))
    assert monitor.ping_before_agreeing() == 10**6
    moment = time.monotonic_ns() + 20_000_000
    assert monitor.agree(moment) == moment + ahead + 777
    assert monitor.began_ns == moment and monitor.started_ns < moment
