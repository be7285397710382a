"""One placement while its trial runs, and what it leaves when the trial fails."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from virtometer.errors import LinkError, UsageError
from virtometer.link.messages import Done
from virtometer.model import ClockFault, Evidence, Placement, PlanWorkload
from virtometer.runner.clock_watch import ClockWatch
from virtometer.runner.resident import Resident
from virtometer.runner.state import RunState
from virtometer.workloads.base import Workload
from virtometer.workloads.tool import Tool

_MARK = 160  # characters: a guest's last words may be many, and each sample has the mark


@dataclass(slots=True)
class Running:
    """One placement while its trial runs. `clock_fault`: why its clock ended the trial."""

    placement: Placement
    resident: Resident
    workload: Workload
    planned: PlanWorkload
    parameters: Mapping[str, Any]
    state: RunState
    clock: ClockWatch
    seconds: float
    done_ns: int = 0
    clock_fault: ClockFault | None = None

    @property
    def conditions(self) -> dict[str, str]:
        """What the agent told, and what the guest was given."""
        conditions = dict(self.state.conditions)
        guest = self.resident.guest
        if "disk" in self.workload.needs and guest.disk is not None:
            conditions |= guest.disk.conditions
        if "network" in self.workload.needs and guest.network is not None:
            conditions["network_path"] = guest.network.kind
        processors = self.resident.record.given["facts"].get("cpus_allowed", 0)
        if 0 < processors < self.planned.threads:
            conditions["processors"] = f"{processors} for {self.planned.threads} threads"
        return conditions

    def refuse_other_metric(self, done: Done) -> None:
        """Raise LinkError for a result in another unit or direction than the operation's: it is another quantity."""
        unit, better = self.workload.agent_metric(self.planned.op)
        if (done.unit, done.better) != (unit, better):
            raise LinkError(
                f"the agent reports {self.planned.workload} {self.planned.op} in {done.unit}, {done.better} is better; "
                f"its unit is {unit}, {better} is better"
            )

    def evidence(self, reason: str) -> Evidence | None:
        """What is kept of a trial that failed for a reason; None where no sample came and the clock is not blamed."""
        belied = self.state.belied
        fault = self.clock_fault or (belied.fault if belied is not None else None)
        if not self.state.samples and fault is None:
            return None
        mark = textwrap.shorten(reason.removeprefix(f"{self.resident.plan.name}: "), _MARK, placeholder=" ...")
        operation = self.workload.operations[self.planned.op]
        return Evidence(
            placement=self.placement,
            guest_id=self.resident.record.guest_id,
            kernel=self.workload.kernel,
            op=self.planned.op,
            parameters=self.parameters,
            threads=self.planned.threads,
            unit=operation.unit,
            better=operation.better,
            conditions=self.conditions,
            said=None if self.state.done is None else self._said(self.state.done),
            samples=tuple(replace(sample, used=False, mark=mark) for sample in self.state.samples),
            probes=self.clock.probes,
            fault=fault,
        )

    def _said(self, done: Done) -> dict[str, Any]:
        """The agent's last word; of a tool also the number that it printed."""
        said = done.model_dump(mode="json", exclude={"event", "run"})
        if isinstance(self.workload, Tool):
            try:
                reading = self.workload.read(self.planned.op, done.output or "")
            except UsageError:
                return said  # its output is in there all the same
            unit = self.workload.operations[self.planned.op].unit
            said["measures"]["tool-says"] = {"unit": unit, "value": reading.value}
        return said
