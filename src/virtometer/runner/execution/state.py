"""The life of one run inside an agent, as pure transitions: state + event -> state, or an error that says why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from virtometer.errors import ClockError, LinkError
from virtometer.link.messages import (
    EXACT,
    Done,
    Event,
    Failed,
    Fault,
    IterationDone,
    Ready,
    Samples,
    Waiting,
    WaitingKind,
)
from virtometer.model import ClockFault, Sample

MAX_SAMPLES = 30_000
"""Of one run. An iteration lasts 10 ms or more, and where the window is long its 20,000th part."""

Phase = Literal["preparing", "ready", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class RunState:
    """Where one run is. `samples` are as they came; `conditions` are those of `ready`, then those of `done`.

    `clock_error`: what is wrong with the samples' times. The run goes on to its end, for what it measured is kept.
    `host_timed`: the laboratory releases the iterations; `in_slices`: it releases slices, and `slice` is the number of
    the last one, `since` how many samples there were before it; `in_group`: it releases the window, at the same time as
    the windows of other guests.
    `waits`: the kind of what waits; `works`: it was released.
    """

    run: str
    host_timed: bool = False
    in_slices: bool = False
    in_group: bool = False
    slice: int | None = None
    since: int = 0
    waits: WaitingKind | None = None
    works: bool = False
    phase: Phase = "preparing"
    samples: tuple[Sample, ...] = ()
    work: int = 0
    conditions: Mapping[str, str] = field(default_factory=dict)
    done: Done | None = None
    fault: Fault | None = None
    clock_error: ClockError | None = None

    @property
    def ended(self) -> bool:
        """Whether no further event may come."""
        return self.phase in ("done", "failed")

    @property
    def timing(self) -> str:
        """Who times the iterations."""
        return "laboratory" if self.host_timed else "agent"

    def started(self) -> RunState:
        """`start` was sent."""
        if self.phase != "ready":
            raise LinkError(f"run {self.run} cannot start: it is {self.phase}")
        return replace(self, phase="running")

    def released(self, slice_number: int | None = None) -> RunState:
        """`go` was sent, for a slice with its number."""
        return replace(self, waits=None, works=True, slice=slice_number, since=len(self.samples))

    def after(self, event: Event) -> RunState:
        """The state after an event. Raises LinkError for one that may not come now or that contradicts itself."""
        if getattr(event, "run", self.run) != self.run:
            raise LinkError(f"the agent sent {event.event} for a run that does not exist")
        if isinstance(event, Ready | Done) and event.conditions.get("timing", self.timing) != self.timing:
            raise LinkError(
                f"the agent says that the {event.conditions['timing']} times the run, not the {self.timing}"
            )
        if isinstance(event, Ready) and self.phase == "preparing":
            return replace(self, phase="ready", conditions=event.conditions)
        if isinstance(event, Failed) and not self.ended:
            return replace(self, phase="failed", fault=event.error)
        if isinstance(event, Waiting | IterationDone) and not self._releases(event):
            raise LinkError("the agent waits for the laboratory in a run in which it was not to wait so")
        if isinstance(event, Waiting) and self.phase == "running" and self.waits is None and self._at_rest:
            return replace(self, waits=event.iteration, works=False)
        if isinstance(event, IterationDone) and self.phase == "running" and self.waits is None:
            return replace(self, works=False)
        released = self.works or not (self.in_slices or self.in_group)
        if isinstance(event, Samples) and self.phase == "running" and released:
            fresh = tuple(
                Sample(one.start_ns, one.end_ns, one.work, one.check, slice=self.slice) for one in event.samples
            )
            if len(self.samples) + len(fresh) > MAX_SAMPLES:
                raise LinkError(f"the agent floods the run with more than {MAX_SAMPLES} samples")
            work = self.work + sum(sample.work for sample in fresh)
            if work > EXACT:
                raise LinkError("the work of the run adds up to more than 2^53 - 1")
            found = self.clock_error or self._error_of(fresh)
            return replace(self, samples=self.samples + fresh, work=work, clock_error=found)
        if isinstance(event, Done) and self.phase == "running":
            if self.in_slices and self.waits is None:
                raise LinkError("the agent ended a run in slices that was not stopped")
            if event.count != len(self.samples) or not self.samples:
                raise LinkError(f"the agent says it sent {event.count} samples, {len(self.samples)} arrived")
            return replace(self, phase="done", done=event, conditions={**self.conditions, **event.conditions})
        raise LinkError(f"the agent sent {event.event} while the run was {self.phase}")

    def _releases(self, event: Waiting | IterationDone) -> bool:
        """Whether the laboratory releases what this event is about."""
        if isinstance(event, Waiting) and event.iteration == "slice":
            return self.in_slices
        if isinstance(event, Waiting) and event.iteration == "window":
            return self.in_group
        return self.host_timed

    @property
    def _at_rest(self) -> bool:
        """Whether what was released has ended: an iteration with `iteration-done`, a slice with its samples."""
        if self.in_group:
            return not (self.works or self.samples)
        if not self.in_slices:
            return not self.works
        return self.slice is None or len(self.samples) > self.since

    def _error_of(self, fresh: Sequence[Sample]) -> ClockError | None:
        """What is wrong with the first of these samples whose time goes back, or that has no length."""
        first = (self.samples or fresh)[0].start_ns
        last = self.samples[-1].end_ns if self.samples else first
        for number, sample in enumerate(fresh, len(self.samples) + 1):
            after_s = (last - first) * 1e-9
            back_ns = max(last - sample.start_ns, sample.start_ns - sample.end_ns)
            if back_ns > 0:
                size_s = -back_ns * 1e-9
                sentence = f"the guest's clock stepped back by at least {-size_s:.3g} s at sample {number} of the run"
                return ClockError(sentence, ClockFault("went-back", size_s, after_s))
            if sample.end_ns == sample.start_ns:
                sentence = f"the guest's clock stood still during sample {number} of the run"
                return ClockError(sentence, ClockFault("stood-still", at_s=after_s))
            last = sample.end_ns
        return None
