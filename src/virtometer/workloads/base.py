"""What a workload promises: operations, parameters, what it needs of a guest, what the agent is asked. PURE."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from virtometer import agent_table
from virtometer.agent_table import AgentParameter
from virtometer.errors import UsageError
from virtometer.model import Better, Demand
from virtometer.model import parse_size as parse_size
from virtometer.model.command_defaults import CommandDefaults

Need = Literal["disk", "peer", "time-server"]
"""An endpoint that a work cannot do without. All but the disk are reached over a network."""


SIZE = BeforeValidator(parse_size)
Size = Annotated[int, SIZE, Field(ge=1, le=1 << 50)]


class Parameters(BaseModel):
    """Parameters of a workload. Unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @property
    def limits(self) -> Mapping[str, Sequence[int | None]]:
        """Limits of resources that its processes get: soft and hard value by name; None is no limit."""
        return {}


P = TypeVar("P", bound=Parameters)


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
class Endpoint:
    """Something that a workload uses, and where it is in a guest: `address` is as the agent takes it.

    type: what has a path, or what is spoken at an address: the agent's own exchange of data (net), the time over TCP or
    UDP.
    """

    name: Need | Literal["program"]
    type: Literal["file", "device", "program", "net", "tcp", "udp"]
    address: str


def _no_defaults(user: str | None) -> CommandDefaults | None:
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """What a guest offers to a workload. `program`, where the workload runs one, is only there where it was found.

    command_defaults: what its image of containers says of commands as this user, or as its own; None where its root
    directory is none.
    """

    endpoints: tuple[Endpoint, ...] = ()
    command_defaults: Callable[[str | None], CommandDefaults | None] = _no_defaults

    def find(self, name: str, of_type: str = "") -> Endpoint:
        """The first endpoint of a name, and of a type where one is asked for. UsageError where there is none."""
        for one in self.endpoints:
            if one.name == name and of_type in ("", one.type):
                return one
        raise UsageError(f"this environment offers no {name}")


EVERYTHING = Place(
    (
        Endpoint("disk", "file", "/disk"),
        Endpoint("peer", "net", "peer:1"),
        Endpoint("time-server", "tcp", "clock:1"),
        Endpoint("time-server", "udp", "udp:clock:1"),
    )
)
"""A place that offers all that a workload can ask for."""

_LARGEST = 1e30  # what a program may say of its own numbers, and
_MOST = 2**53 - 1  # of integers: whatever is computed from them stays a number


@dataclass(frozen=True, slots=True)
class Reading:
    """What a program said: its number in the operation's unit, and how much work it counted (None: it does not count).

    ValueError for what no program can have measured: not finite, below 0, or beyond all sense.
    """

    value: float
    work: int | None

    def __post_init__(self) -> None:
        """A program runs in a guest, and may print anything."""
        value = self.value == 0 or 1 / _LARGEST <= self.value <= _LARGEST
        if not value or not (self.work is None or 0 <= self.work <= _MOST):
            raise ValueError("a number that cannot be")


def not_multiple(values: Mapping[str, Any], name: str, of: int) -> str:
    """The sentence for a value that is not a multiple of `of`; empty for one that is, or that is not there."""
    value = values.get(name)
    return f"{name} is {value}, but must be a multiple of {of}" if value is not None and value % of else ""


class Workload(Generic[P]):
    """A workload. Subclasses set the class variables; most need no method.

    program: of the host, that the agent runs, with its Debian package and the option that makes it say its version.
    Empty where the agent's own kernel does the work.
    """

    name: ClassVar[str]
    kernel: ClassVar[str]
    operations: ClassVar[Mapping[str, Operation]]
    parameters: type[P]
    meaning: ClassVar[str] = ""  # what it measures, for the reference of plans
    needs: ClassVar[frozenset[Need]] = frozenset()  # of all its operations
    cache_sizes: ClassVar[frozenset[str]] = frozenset()  # parameters that may be multiples of the host's cache
    program: ClassVar[str] = ""
    package: ClassVar[str] = ""
    version_option: ClassVar[str] = "--version"

    def work(self, op: str, parameters: P, threads: int, seconds: float) -> Work:
        """What is known of an operation before it runs. Subclasses say what is not as usual."""
        return Work(self, op, parameters, threads, seconds, window_s=seconds, processors=threads, needs=self.needs)

    def operation(self, op: str, parameters: P) -> Operation:
        """Unit, direction and work of an operation, with its parameters."""
        return self.operations[op]

    def agent_op(self, op: str) -> str:
        """The kernel's operation for one of the workload's."""
        return op

    def takes(self, op: str) -> Mapping[str, AgentParameter]:
        """The parameters of an operation that a plan may give, by the plan's names, as the agent has them."""
        known = agent_table.operation(self.kernel, self.agent_op(op)).parameters
        by_name = {name.replace("-", "_"): one for name, one in known.items()}
        return {name: by_name[name] for name in self.parameters.model_fields if name in by_name}

    def defaults(self, op: str) -> Mapping[str, str | int | None]:
        """What the agent takes where a plan leaves out parameters that the operation has; None: nothing."""
        takes = self.takes(op).items()
        return {name: one.otherwise if one.default is None else one.default for name, one in takes}

    def in_bytes(self, op: str, parameter: str) -> bool:
        """Whether a parameter of an operation is a number of bytes; False for another parameter."""
        known = self.takes(op).get(parameter)
        return known is not None and known.unit == "B"

    def agent_metric(self, op: str) -> tuple[str, Better]:
        """Unit and direction of what the agent reports for an operation. Another one is refused."""
        operation = self.operations[op]
        return operation.unit, operation.better

    def as_load(self, parameters: P) -> P:
        """The parameters of a run that loads the host while others are measured: its own result does not count."""
        return parameters

    def read(self, op: str, output: str) -> Reading | None:
        """What a program printed. None: the value is what the agent reports.

        Raises UsageError for what the program cannot have printed.
        """
        return None

    def reading(self, op: str, parameters: P, output: str) -> Reading | None:
        """The same, where the parameters say how to read it."""
        return self.read(op, output)

    def arguments(self, op: str, parameters: P, place: Place) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True)
class Work:
    """One workload of a plan: an operation with typed parameters, and all that is known of it before it runs.

    seconds: length of its window. window_s: how long it works, in s; None: to completion, which is not known before it
    ran once. processors: the intended number; None: as many as there are, left to the scheduler. ends_early: it may
    be complete before its window ends. needs: endpoints. writes_disk: it writes the disk file, which all guests have.
    own_reason: of its own, why it cannot pause. anew: each iteration is a process of its own, which knows nothing of
    those before: no window is long enough to change its speed. longest_s: what one iteration may take, in s, where that
    may be more than the plan's limits allow for; 0.0 where it is not.
    """

    workload: Workload[Any]
    op: str
    parameters: Parameters
    threads: int
    seconds: float
    window_s: float | None
    processors: int | None
    demand: Demand = field(default_factory=Demand)
    ends_early: bool = False
    needs: frozenset[Need] = frozenset()
    writes_disk: bool = False
    own_reason: str = ""
    anew: bool = False
    longest_s: float = 0.0

    @property
    def name(self) -> str:
        """Of workload and operation."""
        return f"{self.workload.name} {self.op}"

    @property
    def agent_op(self) -> str:
        """The operation of the agent's kernel."""
        return self.workload.agent_op(self.op)

    @property
    def operation(self) -> Operation:
        """Unit, direction and work of the value."""
        return self.workload.operation(self.op, self.parameters)

    def as_load(self) -> Work:
        """The same work while others are measured."""
        return replace(self, parameters=self.workload.as_load(self.parameters))

    def read(self, output: str) -> Reading | None:
        """What a program printed. None: the value is what the agent reports. Raises UsageError for what is wrong."""
        return self.workload.reading(self.op, self.parameters, output)

    @property
    def cannot_pause(self) -> str:
        """Why the work cannot be done in slices, without its subject; empty where it can."""
        if self.own_reason:
            return self.own_reason
        if self.window_s is None or self.ends_early:
            return "it runs to completion, so that there is no set time to divide into slices"
        return "it asks a time server while it works" if "time-server" in self.needs else ""

    def arguments(self, place: Place) -> dict[str, Any]:
        """What the agent is asked in a place. Raises UsageError where that lacks something."""
        return self.workload.arguments(self.op, self.parameters, place)
