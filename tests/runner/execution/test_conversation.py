"""How guests begin at one moment, what a failure of one does, and what is said of one that is late."""

from __future__ import annotations

import socket
import time
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from tests.sentences import Said
from virtometer.errors import ClockError, LinkClosed, LinkError, LinkTimeout, RemoteError, UsageError
from virtometer.model import ClockFault, FailureKind, Limits, MarkKind, Placement
from virtometer.runner.execution.conversation import Conversation, failing, guarded, late_mark, lead_ns
from virtometer.runner.execution.failures import TrialFailed


class Guest:
    """What of a guest is asked here."""

    def __init__(self) -> None:
        self.broken, self.stopped = False, 0
        self.guest = SimpleNamespace(stderr_tail=lambda: "kernel panic\nat once\n")

    def ended(self) -> bool:
        return True

    def memory_words(self) -> str:
        return ""

    def stop(self) -> None:
        self.stopped += 1


def one_run(phase: str = "running") -> Any:
    return SimpleNamespace(
        placement=Placement("box", "w"),
        running_guest=Guest(),
        state=SimpleNamespace(phase=phase),
        failure=None,
        clock_fault=None,
    )


@pytest.mark.parametrize(
    ("cause", "kind", "broken"),
    [
        pytest.param(
            RemoteError("not-supported", "no such kernel"), FailureKind.UNAVAILABLE, False, id="not supported"
        ),
        pytest.param(RemoteError("busy", "it works"), FailureKind.AGENT, False, id="busy"),
        pytest.param(UsageError("its output is empty"), FailureKind.TOOL, False, id="a tool"),
        pytest.param(LinkTimeout("too late"), FailureKind.TIME_LIMIT, True, id="late"),
        pytest.param(LinkError("nonsense"), FailureKind.PROTOCOL, True, id="nonsense"),
        pytest.param(LinkClosed("gone"), FailureKind.GUEST, True, id="gone"),
        pytest.param(ClockError("it leapt", ClockFault("stepped")), FailureKind.CLOCK, True, id="a clock"),
    ],
)
def test_what_goes_wrong_with_an_agent_is_the_reason_of_the_trial(
    said: Said, cause: Exception, kind: FailureKind, broken: bool
) -> None:
    one = one_run()
    with pytest.raises(TrialFailed) as caught, guarded(one):
        raise cause
    assert caught.value.failure.kind is kind
    said(caught.value.failure.reason)
    assert list(caught.value.broken) == ([one.running_guest] if broken else [])
    assert (one.clock_fault is not None) is (kind is FailureKind.CLOCK)


@pytest.mark.parametrize(("phase", "broken"), [("ready", True), ("running", True), ("failed", False), ("done", False)])
def test_a_failure_ends_one_run_and_its_guest_is_used_again_where_nothing_is_left(phase: str, broken: bool) -> None:
    one = one_run(phase)
    with failing(one):
        raise TrialFailed(FailureKind.AGENT, "it failed", one.placement)
    assert one.failure is not None and one.failure.failure.reason == "it failed"
    assert one.running_guest.broken is broken and one.running_guest.stopped == 0


def test_a_guest_that_may_work_on_beside_others_is_stopped_at_once() -> None:
    one = one_run("done")
    with failing(one):
        raise TrialFailed(FailureKind.TIME_LIMIT, "too late", one.placement, [one.running_guest])
    assert one.running_guest.broken and one.running_guest.stopped == 1


def test_the_moment_of_the_begin_is_as_far_ahead_as_the_guests_are_slow_to_answer() -> None:
    assert lead_ns([100_000] * 8) == 20_800_000
    assert lead_ns([100_000, 40_000_000]) == 60_100_000
    assert lead_ns([10**11]) == 5 * 10**9, "no agent sleeps for longer than 10 s"


def test_a_guest_that_begins_late_marks_the_trial(said: Said) -> None:
    assert late_mark("box #2", 0) is None
    mark = late_mark("box #2", 1_234_567)
    assert mark is not None and mark.kind is MarkKind.START
    assert mark.text.startswith("box #2 began 1.23 ms late")
    said(mark.text)


class Readings:
    """An observer that notes when it reads."""

    due_in_s = 60.0

    def __init__(self) -> None:
        self.at_ns: list[int] = []

    def tick(self) -> None:
        self.at_ns.append(time.monotonic_ns())


def agents_of(pings_ns: int = 0) -> tuple[Conversation, Any, list[int]]:
    """A run that begins at the moment that it is told; the list has these moments."""
    agreed: list[int] = []

    def agree(moment_ns: int) -> int:
        agreed.append(moment_ns)
        return moment_ns

    session = SimpleNamespace(send_release=lambda *_, **__: None, released=lambda _: 0, next_event=lambda _: None)
    one = one_run()
    one.name = "box"
    one.clock = SimpleNamespace(ping_before_agreeing=lambda: pings_ns, agree=agree)
    one.state = SimpleNamespace(run="r", released=lambda: one.state)
    one.session = one.running_guest.session = session
    return Conversation(Limits(), 0.01), one, agreed


def test_the_host_is_read_after_the_rest_before_a_common_start() -> None:
    agents, one, agreed = agents_of(pings_ns=100_000_000)
    readings = Readings()
    assert agents.begin_group([one], readings) == []  # type: ignore[arg-type]
    assert len(readings.at_ns) == 1 and readings.at_ns[0] >= agreed[0] - 8_000_000
    assert agents.begin_group([], readings) == [] and len(readings.at_ns) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(("passes", "readings"), [((1,), 0), ((1, 2), 1), ((1, 2, 3), 1)])
def test_the_host_is_read_where_the_first_of_several_runs_ends(passes: tuple[int, ...], readings: int) -> None:
    """passes: at which look at its guest each run ends."""
    reader, some = Readings(), []
    with socket.socketpair()[0] as silent:
        for number in passes:
            agents, one, _ = agents_of()
            one.state = SimpleNamespace(run="r", phase="running", waits=None, ended=False, fault=None)
            one.running_guest.session.fileno = silent.fileno
            one.clock.ping = partial(end_at, number, one.state, [])
            some.append(one)
        agents.wait(some, "done", 10.0, watching=reader)  # type: ignore[arg-type]
    assert len(reader.at_ns) == readings


def end_at(number: int, state: SimpleNamespace, seen: list[int]) -> None:
    seen.append(1)
    if len(seen) == number:
        state.phase, state.ended = "done", True
