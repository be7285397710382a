from collections.abc import Sequence

import pytest

from virtometer.errors import LinkError
from virtometer.link.messages import Done, Event, Failed, IterationDone, Ready, Samples, Waiting
from virtometer.model import ClockFault
from virtometer.runner.execution.state import RunState

READY = Ready(event="ready", run="r", conditions={"simd": "avx2"})


def samples(*stretches: tuple[int, int]) -> Samples:
    return Samples.model_validate(
        {
            "event": "samples",
            "run": "r",
            "samples": [{"start_ns": a, "end_ns": b, "work": 1, "check": ""} for a, b in stretches],
        }
    )


def done(count: int, run: str = "r") -> Done:
    return Done.model_validate(
        {
            "event": "done", "run": run, "unit": "B/s", "better": "higher", "value": 1.0,
            "check": {"kind": "bytes", "value": "", "passed": True}, "count": count, "stopped": False,
            "cpu": {"user_ns": 0, "system_ns": 0}, "conditions": {"pinned": "yes"},
        }
    )  # fmt: skip


def test_the_ordinary_life_of_a_run() -> None:
    state = RunState("r").after(READY).started().after(samples((1, 2), (2, 5))).after(samples((7, 9))).after(done(3))
    assert state.phase == "done"
    assert state.ended
    assert [(s.start_ns, s.end_ns) for s in state.samples] == [(1, 2), (2, 5), (7, 9)]
    assert state.conditions == {"simd": "avx2", "pinned": "yes"}


def test_a_run_may_fail_at_any_time_before_its_end() -> None:
    failed = Failed.model_validate({"event": "failed", "run": "r", "error": {"code": "no-space", "message": "full"}})
    for state in (RunState("r"), RunState("r").after(READY), RunState("r").after(READY).started()):
        fault = state.after(failed).fault
        assert fault is not None and fault.code == "no-space"
    with pytest.raises(LinkError, match="while the run was failed"):
        RunState("r").after(failed).after(failed)


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ([READY, READY], "ready while the run was ready"),
        ([samples((1, 2))], "samples while the run was preparing"),
        ([READY, done(0)], "done while the run was ready"),
    ],
)
def test_events_out_of_turn_are_refused(events: Sequence[Event], sentence: str) -> None:
    state = RunState("r")
    with pytest.raises(LinkError, match=sentence):
        for event in events:
            state = state.after(event)


@pytest.mark.parametrize(
    ("stretches", "sentence", "fault"),
    [
        ([(1, 5), (5, 5)], "stood still during sample 2 of the run", ClockFault("stood-still", None, 4e-9)),
        (
            [(4 * 10**9, 10**9)],
            "stepped back by at least 3 s at sample 1 of the run",
            ClockFault("went-back", -3.0, 0.0),
        ),
        (
            [(1, 5), (4, 6)],
            "stepped back by at least 1e-09 s at sample 2 of the run",
            ClockFault("went-back", -1e-9, 4e-9),
        ),
        (
            [(0, 5 * 10**8), (0, 6)],
            "stepped back by at least 0.5 s at sample 2 of the run",
            ClockFault("went-back", -0.5, 0.5),
        ),
    ],
)
def test_samples_whose_times_go_back_tell_of_a_clock_that_stepped(
    stretches: Sequence[tuple[int, int]], sentence: str, fault: ClockFault
) -> None:
    """The run goes on, and what comes after does not change what is told."""
    state = RunState("r").after(READY).started().after(samples(*stretches)).after(samples((10**12, 10**12)))
    assert state.clock_error is not None
    assert state.clock_error.sentence == f"the guest's clock {sentence}"
    told = state.clock_error.fault
    assert told.kind == fault.kind
    assert told.size_s == pytest.approx(fault.size_s)
    assert told.at_s == pytest.approx(fault.at_s)
    assert [(one.start_ns, one.end_ns) for one in state.samples] == [*stretches, (10**12, 10**12)]
    assert state.after(done(len(stretches) + 1)).phase == "done"


def test_a_step_between_two_batches_is_found() -> None:
    state = RunState("r").after(READY).started().after(samples((1, 5)))
    assert state.clock_error is None
    error = state.after(samples((4, 6))).clock_error
    assert error is not None and "sample 2 of the run" in error.sentence


def test_samples_that_were_lost_are_noticed() -> None:
    running = RunState("r").after(READY).started().after(samples((1, 2)))
    with pytest.raises(LinkError, match="says it sent 2 samples, 1 arrived"):
        running.after(done(2))
    with pytest.raises(LinkError, match="0 arrived"):
        RunState("r").after(READY).started().after(done(0))


def test_a_flood_of_samples_is_refused() -> None:
    batch = samples(*((2 * n, 2 * n + 1) for n in range(400)))
    state = RunState("r").after(READY).started()
    with pytest.raises(LinkError, match="more than 30000 samples"):
        for _ in range(76):
            state = state.after(batch)
    assert len(state.samples) == 30_000


def test_work_that_no_integer_of_the_protocol_holds_is_refused() -> None:
    most = samples((1, 2)).samples[0].model_copy(update={"work": 2**53 - 1})
    event = samples((1, 2)).model_copy(update={"samples": [most]})
    state = RunState("r").after(READY).started().after(event)
    assert state.work == 2**53 - 1
    with pytest.raises(LinkError, match="adds up to more than"):
        state.after(samples((3, 4)))


@pytest.mark.parametrize("host_timed", [False, True])
def test_an_agent_that_says_that_another_times_the_run_is_refused(host_timed: bool) -> None:
    told = {"timing": "agent" if host_timed else "laboratory"}
    with pytest.raises(LinkError, match="times the run"):
        RunState("r", host_timed=host_timed).after(Ready(event="ready", run="r", conditions=told))


def test_events_of_another_run_are_refused() -> None:
    with pytest.raises(LinkError, match="does not exist"):
        RunState("r").after(READY).started().after(done(0, run="other"))


def test_a_run_starts_once_and_only_when_ready() -> None:
    with pytest.raises(LinkError, match="it is preparing"):
        RunState("r").started()
    with pytest.raises(LinkError, match="it is running"):
        RunState("r").after(READY).started().started()


WAITING = Waiting(event="waiting", run="r", iteration="work")
ITERATION = IterationDone(event="iteration-done", run="r", iteration="work", released=True, began_ns=1, ended_ns=2)


def test_a_run_at_the_gate_waits_is_let_go_and_works() -> None:
    state = RunState("r", host_timed=True).after(READY).started().after(WAITING)
    assert (state.waits, state.works) == ("work", False)
    state = state.released()
    assert (state.waits, state.works) == (None, True)
    state = state.after(ITERATION)
    assert (state.waits, state.works) == (None, False)
    # It may flow on without waiting, and wait again.
    assert state.after(ITERATION).after(WAITING).waits == "work"
    assert state.after(samples((1, 2))).after(done(1)).phase == "done"


@pytest.mark.parametrize("event", [WAITING, ITERATION])
def test_what_is_out_of_turn_at_the_gate_is_refused(event: Waiting | IterationDone) -> None:
    running = RunState("r", host_timed=True).after(READY).started()
    for state in (RunState("r", host_timed=True).after(READY), running.after(WAITING)):
        with pytest.raises(LinkError, match=f"sent {event.event} while"):
            state.after(event)
    with pytest.raises(LinkError, match="sent waiting while"):
        running.after(WAITING).released().after(WAITING)
    with pytest.raises(LinkError, match="in which it was not to wait"):
        RunState("r").after(READY).started().after(event)


SLICE = Waiting(event="waiting", run="r", iteration="slice")


def test_a_run_in_slices_numbers_the_samples_of_each() -> None:
    state = RunState("r", in_slices=True).after(READY).started().after(SLICE)
    for number, stretches in ((-1, [(1, 2), (2, 3)]), (0, [(5, 6)]), (1, [(8, 9)])):
        assert state.waits == "slice"
        state = state.released(number)
        assert (state.waits, state.works) == (None, True)
        state = state.after(samples(*stretches)).after(SLICE)
    assert [sample.slice for sample in state.samples] == [-1, -1, 0, 1]
    assert state.after(done(4)).phase == "done"


def test_windows_of_several_trials_may_have_the_same_number() -> None:
    state = RunState("r", in_slices=True).after(READY).started().after(SLICE)
    state = state.released(3).after(samples((1, 2))).after(SLICE).released(3)
    with pytest.raises(LinkError, match="sent waiting while"):
        state.after(SLICE)
    state = state.after(samples((5, 6), (6, 7)))
    assert [sample.start_ns for sample in state.samples[state.since :]] == [5, 6]


def test_a_run_in_slices_ends_when_it_was_stopped_at_rest() -> None:
    state = RunState("r", in_slices=True).after(READY).started().after(SLICE).released(0).after(samples((1, 2)))
    with pytest.raises(LinkError, match="ended a run in slices that was not stopped"):
        state.after(done(1))


def test_a_slice_has_a_sample_and_no_sample_lies_between_slices() -> None:
    running = RunState("r", in_slices=True).after(READY).started().after(SLICE)
    with pytest.raises(LinkError, match="sent samples while"):
        running.after(samples((1, 2)))
    with pytest.raises(LinkError, match="sent waiting while"):
        running.after(SLICE)
    with pytest.raises(LinkError, match="sent waiting while"):
        running.released(0).after(SLICE)


@pytest.mark.parametrize(
    ("state", "event"),
    [
        (RunState("r", in_slices=True), WAITING),
        (RunState("r", in_slices=True), ITERATION),
        (RunState("r", host_timed=True), SLICE),
        (RunState("r"), SLICE),
    ],
)
def test_an_agent_waits_only_for_what_was_agreed(state: RunState, event: Event) -> None:
    with pytest.raises(LinkError, match="in which it was not to wait"):
        state.after(READY).started().after(event)


def test_a_window_that_begins_with_others_waits_once_and_has_no_samples_before() -> None:
    waiting = Waiting(event="waiting", run="r", iteration="window")
    started = RunState("r", in_group=True).after(READY).started()
    with pytest.raises(LinkError, match="samples while the run was running"):
        started.after(samples((1, 2)))
    state = started.after(waiting)
    assert state.waits == "window"
    with pytest.raises(LinkError, match="samples while"):
        state.after(samples((1, 2)))
    with pytest.raises(LinkError, match="waiting while"):
        state.after(waiting)
    state = state.released()
    with pytest.raises(LinkError, match="waiting while"):
        state.after(waiting)
    state = state.after(samples((1, 2)))
    with pytest.raises(LinkError, match="waiting while"):
        state.after(waiting)
    assert state.after(done(1)).phase == "done"


@pytest.mark.parametrize("state", [RunState("r"), RunState("r", host_timed=True), RunState("r", in_slices=True)])
def test_no_other_window_waits(state: RunState) -> None:
    with pytest.raises(LinkError, match="was not to wait so"):
        state.after(READY).started().after(Waiting(event="waiting", run="r", iteration="window"))
