"""External tools that measure and time themselves, beside the laboratory's own time around them.

A tool uses the clock of the place that it runs in. Its number therefore has three values: as reported by the tool,
corrected by the rate of the guest's clock, and by the host's wall clock. The last one is its work by the time of the
whole program, starting included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from virtometer.agent_table import AgentParameter
from virtometer.model import Better, Demand
from virtometer.workloads.base import SIZE, P, Place, Reading, Work, Workload


class Tool(Workload[P]):
    """A workload that is a program of the host's, also in guests. Subclasses give its command line, read its output."""

    kernel: ClassVar[str] = "command"

    def work(self, op: str, parameters: P, threads: int, seconds: float) -> Work:
        """One thread runs the program, which ends when its work is done, whatever the window."""
        return replace(
            super().work(op, parameters, threads, seconds),
            demand=Demand(threads=1),
            window_s=None,
            own_reason="it is a program of its own",
        )

    def takes(self, op: str) -> Mapping[str, AgentParameter]:
        """The agent knows nothing of a tool's parameters."""
        return {}

    def defaults(self, op: str) -> Mapping[str, str | int | None]:
        """Each operation has all parameters, with the defaults of their fields."""
        return dict.fromkeys(self.parameters.model_fields)

    def in_bytes(self, op: str, parameter: str) -> bool:
        """A field that takes sizes is one of bytes."""
        field = self.parameters.model_fields.get(parameter)
        return field is not None and SIZE in field.metadata

    def options(self, op: str, parameters: P, place: Place) -> Sequence[str]:
        """The program's arguments."""
        raise NotImplementedError

    def read(self, op: str, output: str) -> Reading:
        """What the program printed. Raises UsageError for what it cannot have printed."""
        raise NotImplementedError

    def arguments(self, op: str, parameters: P, place: Place) -> dict[str, Any]:
        """What the agent is asked: to run the program."""
        self.ensure_operation(op)
        options = list(self.options(op, parameters, place))
        program = next((one.address for one in place.endpoints if one.name == "program"), self.program)
        return {"program": program, "arguments": json.dumps(options)}

    def agent_op(self, op: str) -> str:
        """The agent knows one operation of programs, whatever they do."""
        return "run"

    def agent_metric(self, op: str) -> tuple[str, Better]:
        """Of a program the agent reports how long it took; what the program measured stands in its output."""
        return "s", "lower"
