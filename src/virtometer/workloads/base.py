"""What a workload promises to the runner: operations, parameters, what it needs of a guest, what the agent is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from virtometer import agent_table
from virtometer.agent_table import AgentParameter
from virtometer.errors import UsageError
from virtometer.model import Better, Demand
from virtometer.model import parse_size as parse_size

Need = Literal["disk", "network"]
TimeServerKind = Literal["tcp", "udp"]


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a parameter that the agent's table does not have, in the annotation of its field."""

    name: str


Size = Annotated[int, BeforeValidator(parse_size), Field(ge=1, le=1 << 50), Unit("B")]


class Parameters(BaseModel):
    """Parameters of a workload. Unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: unit and direction of its value, and what is counted as work."""

    unit: str
    better: Better
    work: str


def of_kernel(kernel: str, *, but: Collection[str] = ()) -> dict[str, Operation]:
    """The operations of a kernel, as the agent's table has them, without those that no plan measures."""
    table = agent_table.operations(kernel)
    return {name: Operation(one.unit, one.better, one.work) for name, one in table.items() if name not in but}


@dataclass(frozen=True, slots=True)
class Place:
    """What a guest offers to a workload, as the guest sees it: the path of the disk file, the address of the peer.

    time_server: where the outside clock answers that the workload asked for, as the agent takes it.
    program: path of the program that the workload runs, None where the place has to look it up.
    """

    disk_path: str | None
    peer: str | None
    time_server: str | None = None
    program: str | None = None


def not_multiple(values: Mapping[str, Any], name: str, of: int) -> str:
    """The sentence for a value that is not a multiple of `of`; empty for one that is, or that is not there."""
    value = values.get(name)
    return f"{name} is {value}, but must be a multiple of {of}" if value is not None and value % of else ""


class Workload:
    """A workload. Subclasses set the class variables; most need no method."""

    name: ClassVar[str]
    kernel: ClassVar[str]
    operations: ClassVar[Mapping[str, Operation]]
    parameters: ClassVar[type[Parameters]]
    meaning: ClassVar[str] = ""  # what it measures, for the reference of plans
    needs: ClassVar[frozenset[Need]] = frozenset()  # "network" is a peer at the other end of one
    cache_sizes: ClassVar[frozenset[str]] = frozenset()  # parameters that may be multiples of the host's cache

    def agent_op(self, op: str) -> str:
        """The kernel's operation for one of the workload's."""
        return op

    def takes(self, op: str) -> Mapping[str, AgentParameter]:
        """The parameters of an operation that a plan may give, by the plan's names, as the agent has them."""
        by_name = {name.replace("-", "_"): one for name, one in self._agent_parameters(op).items()}
        return {name: by_name[name] for name in self.parameters.model_fields if name in by_name}

    def unit_of(self, op: str, parameter: str) -> str | None:
        """The unit of a parameter of an operation: `B` for bytes. None for a number, and for another parameter."""
        known = self.takes(op).get(parameter)
        return None if known is None else known.unit

    def _agent_parameters(self, op: str) -> Mapping[str, AgentParameter]:
        return agent_table.operation(self.kernel, self.agent_op(op)).parameters

    def agent_metric(self, op: str) -> tuple[str, Better]:
        """Unit and direction of what the agent reports for an operation. Another one is refused."""
        operation = self.operations[op]
        return operation.unit, operation.better

    def window_s(self, op: str, parameters: Parameters, seconds: float) -> float | None:
        """How long a run with a window of `seconds` works, in s. None: it runs to completion.

        When that comes is not known before the first run ended. Raises nothing.
        """
        return seconds

    def ends_early(self, parameters: Parameters) -> bool:
        """Whether the work may be complete before its window ends."""
        return False

    def cannot_pause(self, op: str, parameters: Parameters, seconds: float, cached: str = "") -> str:
        """Why the work cannot be done in slices, without its subject; empty where it can.

        cached: which guest writes to the disk through a cache of its own or of the host; empty where none does.
        """
        if self.window_s(op, parameters, seconds) is None or self.ends_early(parameters):
            return "it runs to completion, so that there is no set time to divide into slices"
        if self.time_server(parameters) is not None:
            return "it asks a time server while it works"
        return ""

    def processors(self, op: str, parameters: Parameters, threads: int) -> int | None:
        """How many processors the work is made for. None: as many as there are, left to the scheduler."""
        return threads

    def time_server(self, parameters: Parameters) -> TimeServerKind | None:
        """How the agent is to reach an outside clock, with these parameters. It needs a network. None: it asks none."""
        return None

    def demand(self, op: str, parameters: Parameters, threads: int) -> Demand:
        """What an operation takes, as far as it is known before it is measured."""
        return Demand()

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Parameters of the agent's kernel for this place; what was not given is left to the agent.

        Raises UsageError for an operation that does not exist, a parameter that it does not have, and a value that the
        agent refuses.
        """
        self.ensure_operation(op)
        given = {key: value for key, value in parameters.model_dump().items() if value is not None}
        has = self.takes(op)
        if foreign := sorted(given.keys() - has.keys()):
            names = ", ".join(sorted(has)) or "none"
            raise UsageError(f"{self.name} {op} has no parameter {foreign[0]}; it has {names}")
        for name, value in given.items():
            if refusal := has[name].refusal(name, value):
                raise UsageError(f"{self.name} {op}: {refusal}")
        in_force = {name: one.default for name, one in has.items()} | given
        if refusal := self.refusal(op, in_force):
            raise UsageError(f"{self.name} {op}: {refusal}")
        return {name.replace("_", "-"): value for name, value in given.items()}

    def refusal(self, op: str, values: Mapping[str, Any]) -> str:
        """Why the agent refuses values that are within their bounds, in a sentence without its end; else empty.

        values: of all parameters that the operation has, the agent's defaults included.
        """
        return ""

    def ensure_operation(self, op: str) -> None:
        """Raises UsageError for an operation that does not exist."""
        if op not in self.operations:
            raise UsageError(f"{self.name} has no operation {op}; it has {', '.join(self.operations)}")
