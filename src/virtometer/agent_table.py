"""The agent's own table of operations, parameters and measures: contract/kernels.json, which the package carries.

`virtometer-agent kernels --json` makes it; a test compares the file with what the built agent prints.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import virtometer

Value = int | bool | str


@dataclass(frozen=True, slots=True)
class AgentParameter:
    """One parameter of an operation.

    default: what holds where it is not given, None where nothing of its own does. otherwise: what is done then, in
    words. minimum, maximum: bounds of an integer, both included. choices: all values of a choice.
    """

    type: Literal["integer", "boolean", "text", "choice"]
    required: bool
    meaning: str
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
    """One measure that a run may report besides its value."""

    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays of `size` bytes that an operation works on.

    held: how many lie in memory together. moved: how many are counted as work, one that is read and written twice; 0
    where other work is counted.
    """

    held: int
    moved: int

    @property
    def bandwidth(self) -> str:
        """What was measured where bytes are counted: the convention is a part of it."""
        return f"bandwidth, {self.moved} x size"


@dataclass(frozen=True, slots=True)
class AgentOperation:
    """One operation: unit of its value, what is counted as work, its parameters and measures by name, its arrays."""

    unit: str
    better: Literal["higher", "lower"]
    work: str
    parameters: Mapping[str, AgentParameter]
    measures: Mapping[str, AgentMeasure]
    arrays: Arrays | None


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
            measures={row["name"]: AgentMeasure(row["unit"], row["meaning"]) for row in one["measures"]},
            arrays=Arrays(**one["arrays"]) if "arrays" in one else None,
        )
        for kernel in json.loads(_path().read_text(encoding="utf-8"))["kernels"]
        for one in kernel["operations"]
    }


def _parameter(row: Mapping[str, Any]) -> AgentParameter:
    fields = {key: value for key, value in row.items() if key not in {"name", "choices"}}
    return AgentParameter(**fields, choices=tuple(row.get("choices", ())))


def _path() -> Path:
    """Inside an installed package, or in the repository that the package is used from."""
    package = Path(virtometer.__file__).resolve().parent
    inside = package / "contract" / "kernels.json"
    return inside if inside.is_file() else package.parents[1] / "contract" / "kernels.json"
