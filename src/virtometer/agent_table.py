"""The agent's own table of operations, parameters and measures: contract/kernels.json, which the package carries.

`virtometer-agent kernels --json` makes it; a test compares the file with what the built agent prints.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from virtometer.installation import carried

Value = int | bool | str
TimedBy = Literal["nothing", "guest", "guest-at-work", "guest-itself", "host", "host-by-guest"]
"""The clock that the time in a measure is by.

nothing: there is no time in it, or the guest's by the guest's. guest: the guest's, within and beside the work.
guest-at-work: the guest's, within the work alone. guest-itself: the guest's, and the measure is about this clock. host:
the host's, or another one outside of the guest. host-by-guest: a time of the host's by one of the guest's.
"""


@dataclass(frozen=True, slots=True)
class AgentParameter:
    """One parameter of an operation.

    unit: `B` for bytes, None for a number and where the meaning says the unit. default: what holds where it is not
    given, None where nothing of its own does. otherwise: what is done then, in words. minimum, maximum: bounds of an
    integer, both included. choices: all values of a choice.
    """

    type: Literal["integer", "boolean", "text", "choice"]
    required: bool
    meaning: str
    unit: str | None = None
    default: Value | None = None
    otherwise: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def refusal(self, name: str, value: object) -> str:
        """Why the agent refuses a value, in a sentence without its end; empty where it takes the value."""
        if self.minimum is not None and self.maximum is not None and isinstance(value, int):
            allowed = self.minimum <= value <= self.maximum
            return "" if allowed else f"{name} is {value}, but must be {self.minimum} to {self.maximum}"
        if self.choices and value not in self.choices:
            return f"{name} is {value}, but must be one of {', '.join(self.choices)}"
        return ""


@dataclass(frozen=True, slots=True)
class AgentMeasure:
    """One measure that a run may report besides its value. timed_by: the clock that its time is by."""

    unit: str
    timed_by: TimedBy
    meaning: str


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """By what the runs of an operation are compared instead of their value.

    metric: in words. histogram: the name of the one, in seconds, whose mean is compared; less is better. wanted: the
    name of the measure that the value should reach.
    """

    metric: str
    histogram: str
    wanted: str


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays of `size` bytes that an operation works on.

    held: how many lie in memory at the same time. moved: how many are counted as work; an array that is read and
    written counts twice. 0 where other work is counted.
    """

    held: int
    moved: int

    @property
    def bandwidth(self) -> str:
        """What was measured where bytes are counted: the convention is a part of it."""
        return f"bandwidth, {self.moved} x size"


@dataclass(frozen=True, slots=True)
class AgentOperation:
    """One operation: unit of its value, what is counted as work, its parameters and measures by name, its arrays.

    judged: None where runs are compared by their value.
    """

    unit: str
    better: Literal["higher", "lower"]
    work: str
    parameters: Mapping[str, AgentParameter]
    measures: Mapping[str, AgentMeasure]
    arrays: Arrays | None
    judged: JudgedBy | None


def operation(kernel: str, name: str) -> AgentOperation:
    """The operation of a kernel. Raises KeyError for one that the agent does not have."""
    return _operations()[kernel, name]


def operations(kernel: str) -> dict[str, AgentOperation]:
    """All operations of a kernel, in the agent's order. Empty for one that the agent does not have."""
    return {name: one for (owner, name), one in _operations().items() if owner == kernel}


def arrays(kernel: str, name: str) -> Arrays | None:
    """The arrays of a kernel's operation. None where it has none, and for what this agent does not have."""
    known = _operations().get((kernel, name))
    return None if known is None else known.arrays


def judged_by(kernel: str, name: str) -> JudgedBy | None:
    """By what runs of a kernel's operation are compared. None: by their value, and for what this agent lacks."""
    known = _operations().get((kernel, name))
    return None if known is None else known.judged


def measure(kernel: str, name: str, of: str) -> AgentMeasure | None:
    """The measure `of` of a kernel's operation. None for what this agent does not have."""
    known = _operations().get((kernel, name))
    return None if known is None else known.measures.get(of)


@functools.cache
def meanings() -> Mapping[str, str]:
    """What each measure means, by its name. It means the same in all operations."""
    return {name: one.meaning for known in _operations().values() for name, one in known.measures.items()}


@functools.cache
def _operations() -> Mapping[tuple[str, str], AgentOperation]:
    return {
        (kernel["name"], one["name"]): AgentOperation(
            unit=one["unit"],
            better=one["better"],
            work=one["work"],
            parameters={row["name"]: _parameter(row) for row in one["parameters"]},
            measures={row["name"]: _measure(row) for row in one["measures"]},
            arrays=Arrays(**one["arrays"]) if "arrays" in one else None,
            judged=JudgedBy(**one["judged"]) if "judged" in one else None,
        )
        for kernel in json.loads(carried("contract/kernels.json").read_text(encoding="utf-8"))["kernels"]
        for one in kernel["operations"]
    }


def _parameter(row: Mapping[str, Any]) -> AgentParameter:
    fields = {key: value for key, value in row.items() if key not in {"name", "choices"}}
    return AgentParameter(**fields, choices=tuple(row.get("choices", ())))


def _measure(row: Mapping[str, Any]) -> AgentMeasure:
    return AgentMeasure(**{key: value for key, value in row.items() if key != "name"})
