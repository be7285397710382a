"""External tools that measure and time themselves, beside the laboratory's own time around them.

A tool believes the clock of the place that it runs in. Its number is therefore told three times: as the tool says it,
corrected by the rate of the guest's clock, and as its work over the time that the whole program took by the host's
stopwatch, starting included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from virtometer.agent_table import AgentParameter
from virtometer.model import Better, Demand
from virtometer.workloads.base import Parameters, Place, Unit, Workload

_LARGEST = 1e30  # what an agent may say of its own numbers, and
_MOST = 2**53 - 1  # of integers: whatever is computed from them stays a number


@dataclass(frozen=True, slots=True)
class Reading:
    """What a tool said: its number in the operation's unit, and how much work it counted (None where it does not).

    ValueError for what no tool can have measured: not finite, below 0, or beyond all sense.
    """

    value: float
    work: int | None

    def __post_init__(self) -> None:
        """A tool runs in a guest, and may print anything."""
        value = self.value == 0 or 1 / _LARGEST <= self.value <= _LARGEST
        if not value or not (self.work is None or 0 <= self.work <= _MOST):
            raise ValueError("a number that cannot be")


class Tool(Workload):
    """A workload that is a program of the host's, also in guests. Subclasses give its command line, read its output.

    package: the Debian package that has the program. version_option: makes it say which version it is.
    """

    kernel: ClassVar[str] = "command"
    program: ClassVar[str]
    package: ClassVar[str]
    version_option: ClassVar[str] = "--version"

    def window_s(self, op: str, parameters: Parameters, seconds: float) -> float | None:
        """A program ends when its work is done, whatever the window."""
        return None

    def cannot_pause(self, op: str, parameters: Parameters, seconds: float, cached: str = "") -> str:
        """A program runs to its end."""
        return "it is a program of its own"

    def takes(self, op: str) -> Mapping[str, AgentParameter]:
        """The agent knows nothing of a tool's parameters."""
        return {}

    def unit_of(self, op: str, parameter: str) -> str | None:
        """As the field of the parameter says."""
        field = self.parameters.model_fields.get(parameter)
        return None if field is None else next((one.name for one in field.metadata if isinstance(one, Unit)), None)

    def options(self, op: str, parameters: Parameters, place: Place) -> Sequence[str]:
        """The program's arguments."""
        raise NotImplementedError

    def read(self, op: str, output: str) -> Reading:
        """What the program printed. Raises UsageError for what it cannot have printed."""
        raise NotImplementedError

    def demand(self, op: str, parameters: Parameters, threads: int) -> Demand:
        """One thread runs the program."""
        return Demand(threads=1)

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """What the agent is asked: to run the program."""
        self.ensure_operation(op)
        options = list(self.options(op, parameters, place))
        return {"program": place.program or self.program, "arguments": json.dumps(options)}

    def agent_op(self, op: str) -> str:
        """The agent knows one operation of programs, whatever they do."""
        return "run"

    def agent_metric(self, op: str) -> tuple[str, Better]:
        """Of a program the agent reports how long it took; what the program measured stands in its output."""
        return "s", "lower"
