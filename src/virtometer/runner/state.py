"""The life of one run inside an agent, as pure transitions: state + event -> state, or an error that says why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from virtometer.errors import LinkError
from virtometer.link.messages import Done, Event, Failed, Fault, Ready, Samples, Waiting, Worked
from virtometer.model import Sample

Phase = Literal["preparing", "ready", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class RunState:
    """Where one run is. `samples` are in order of time; `conditions` are those of `ready`, then those of `done`.

    `gated`: the laboratory lets the iterations begin. `waits`: one of them waits for that; `works`: it was let go.
    """

    run: str
    gated: bool = False
    waits: bool = False
    works: bool = False
    phase: Phase = "preparing"
    samples: tuple[Sample, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    done: Done | None = None
    fault: Fault | None = None

    @property
    def ended(self) -> bool:
        """Whether no further event may come."""
        return self.phase in ("done", "failed")

    def started(self) -> RunState:
        """`start` was sent."""
        if self.phase != "ready":
            raise LinkError(f"run {self.run} cannot start: it is {self.phase}")
        return replace(self, phase="running")

    def let_go(self) -> RunState:
        """`go` was sent."""
        return replace(self, waits=False, works=True)

    def after(self, event: Event) -> RunState:
        """The state after an event. Raises LinkError for one that may not come now or that contradicts itself."""
        if getattr(event, "run", self.run) != self.run:
            raise LinkError(f"the agent sent {event.event} for a run that does not exist")
        if isinstance(event, Ready) and self.phase == "preparing":
            return replace(self, phase="ready", conditions=event.conditions)
        if isinstance(event, Failed) and not self.ended:
            return replace(self, phase="failed", fault=event.error)
        if isinstance(event, Waiting | Worked) and not self.gated:
            raise LinkError("the agent lets the laboratory time a run that was not to be timed so")
        if isinstance(event, Waiting) and self.phase == "running" and not self.waits and not self.works:
            return replace(self, waits=True)
        if isinstance(event, Worked) and self.phase == "running" and not self.waits:
            return replace(self, works=False)
        if isinstance(event, Samples) and self.phase == "running":
            return replace(self, samples=self.samples + self._checked(event))
        if isinstance(event, Done) and self.phase == "running":
            if event.count != len(self.samples) or not self.samples:
                raise LinkError(f"the agent says it sent {event.count} samples, {len(self.samples)} arrived")
            return replace(self, phase="done", done=event, conditions={**self.conditions, **event.conditions})
        raise LinkError(f"the agent sent {event.event} while the run was {self.phase}")

    def _checked(self, event: Samples) -> tuple[Sample, ...]:
        last = self.samples[-1].end_ns if self.samples else 0
        fresh: list[Sample] = []
        for sample in event.samples:
            where = f"sample {len(self.samples) + len(fresh) + 1} of the run"
            back_ns = max(last - sample.start_ns, sample.start_ns - sample.end_ns)
            if back_ns > 0:
                raise LinkError(f"the guest's clock stepped by about {-back_ns * 1e-9:+.3g} s at {where}")
            if sample.end_ns == sample.start_ns:
                raise LinkError(f"the guest's clock stood still during {where}")
            last = sample.end_ns
            fresh.append(Sample(sample.start_ns, sample.end_ns, sample.work, sample.check))
        return tuple(fresh)
