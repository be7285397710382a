"""What a workload promises to the runner: operations, parameters, what it needs of a guest, what the agent is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from virtometer.errors import UsageError
from virtometer.model import Better

_SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(value: object) -> object:
    """`64M` -> 67108864. K, M, G, T are powers of 1024, as on the agent's command line. Other things pass unchanged."""
    if isinstance(value, str):
        text = value.strip()
        if text[-1:] in _SUFFIXES and text[:-1].isdecimal():
            return int(text[:-1]) * _SUFFIXES[text[-1]]
        if text.isdecimal():
            return int(text)
        raise ValueError("a size is a whole number of bytes, or one with K, M, G or T behind it, such as 64M")
    return value


Size = Annotated[int, BeforeValidator(parse_size), Field(ge=1, le=1 << 50)]


class Parameters(BaseModel):
    """Parameters of a workload. Unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: unit and direction of its metric, the metric's name, and what it needs of a guest."""

    unit: str
    better: Better
    metric: str


@dataclass(frozen=True, slots=True)
class Place:
    """What a guest offers to a workload: the path of the disk file and the address of the peer, as the guest sees them."""

    disk_path: str | None
    peer: str | None


class Workload:
    """A workload. Subclasses set the class variables; most need no method."""

    name: ClassVar[str]
    kernel: ClassVar[str]
    operations: ClassVar[Mapping[str, Operation]]
    parameters: ClassVar[type[Parameters]]
    needs: ClassVar[frozenset[Literal["disk", "network"]]] = frozenset()

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Parameters of the agent's kernel for this place. Raises UsageError for an operation that does not exist."""
        if op not in self.operations:
            raise UsageError(f"{self.name} has no operation {op}; it has {', '.join(self.operations)}")
        return parameters.model_dump()
