"""The messages of contract/PROTOCOL.md that the laboratory reads. Strict: what the page does not name is refused."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from virtometer.errors import LinkError

PROTOCOL = 1
MAGIC = "virtometer"
_EXACT = 2**53 - 1
# How agents answer pings: read without more ado, because it happens while somebody else is measured.
_PONG = re.compile(rb'\{"id":([1-9]\d{0,14}),"return":\{"received_ns":([1-9]\d{0,15}),"sent_ns":([1-9]\d{0,15})\}\}')

Nanoseconds = Annotated[int, Field(ge=0, le=_EXACT)]
Count = Annotated[int, Field(ge=0, le=_EXACT)]
Bucket = Annotated[list[Count], Field(min_length=2, max_length=2)]
ExtraName = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,64}$")]
RunName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Greeting(_Message):
    """The first line of either side."""

    magic: Literal["virtometer"]
    protocol: int
    role: Literal["agent", "laboratory"]
    version: str
    capabilities: list[str]


class Fault(_Message):
    """An error of PROTOCOL.md."""

    code: str
    message: str


class Reply(_Message):
    """The answer to a request: exactly one of `value` (on the wire `return`) and `error`."""

    id: Annotated[int, Field(ge=1, le=_EXACT)]
    value: dict[str, Any] | None = Field(default=None, alias="return")
    error: Fault | None = None


class Fatal(_Message):
    """The agent is about to close the connection."""

    fatal: Fault


class WireSample(_Message):
    """One iteration in the agent's time."""

    start_ns: Nanoseconds
    end_ns: Nanoseconds
    work: Count
    check: str


class CheckResult(_Message):
    """How the kernel verified its own result."""

    kind: Literal["residual", "checksum", "bytes", "count"]
    value: str
    passed: Literal[True]


class CpuTime(_Message):
    """Processor time by the guest's own account."""

    user_ns: Count
    system_ns: Count


class Ready(_Message):
    """Prepared: `start` begins the timed window at once."""

    event: Literal["ready"]
    run: RunName
    conditions: dict[str, str]


class Waiting(_Message):
    """An iteration begins as soon as `go` says so."""

    event: Literal["waiting"]
    run: RunName


class Worked(_Message):
    """An iteration has done its work: when it was let go, and when it had worked, in the agent's time."""

    event: Literal["worked"]
    run: RunName
    began_ns: Nanoseconds
    ended_ns: Nanoseconds


class Samples(_Message):
    """Some iterations."""

    event: Literal["samples"]
    run: RunName
    samples: Annotated[list[WireSample], Field(min_length=1, max_length=400)]


class Measure(_Message):
    """A further figure of a run."""

    unit: Annotated[str, Field(min_length=1, max_length=16)]
    value: float


class Histogram(_Message):
    """How often single operations took how long: (highest value of the bucket in ns, operations in it), rising."""

    unit: Literal["s"]
    digits: Annotated[int, Field(ge=1, le=5)]
    counts: Annotated[list[Bucket], Field(min_length=1)]

    @field_validator("counts")
    @classmethod
    def _rise(cls, counts: list[list[int]]) -> list[list[int]]:
        if any(later[0] <= earlier[0] for earlier, later in pairwise(counts)) or any(not count for _, count in counts):
            raise ValueError("the buckets of a histogram must rise, and none be empty")
        return counts


class Done(_Message):
    """The run ended and its check passed."""

    event: Literal["done"]
    run: RunName
    unit: Literal["FLOP/s", "B/s", "IO/s", "1/s", "s"]
    better: Literal["higher", "lower"]
    value: float
    check: CheckResult
    count: Count
    stopped: bool
    cpu: CpuTime
    conditions: dict[str, str]
    measures: dict[ExtraName, Measure] = {}
    histograms: dict[ExtraName, Histogram] = {}
    output: Annotated[str, Field(max_length=65_536)] | None = None


class Failed(_Message):
    """The run ended without a result."""

    event: Literal["failed"]
    run: RunName
    error: Fault


class Log(_Message):
    """For the record."""

    event: Literal["log"]
    level: Literal["info", "warning"]
    message: str


Event = Ready | Waiting | Worked | Samples | Done | Failed | Log
Incoming = Greeting | Reply | Fatal | Event

_EVENTS: dict[str, type[Event]] = {
    "ready": Ready,
    "waiting": Waiting,
    "worked": Worked,
    "samples": Samples,
    "done": Done,
    "failed": Failed,
    "log": Log,
}


def encode(message: dict[str, Any]) -> bytes:
    """One line of the protocol."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def greeting(version: str) -> bytes:
    """The laboratory's first line."""
    return encode({"magic": MAGIC, "protocol": PROTOCOL, "role": "laboratory", "version": version, "capabilities": []})


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} does not exist in the protocol")


def _refuse_double(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field comes twice")
    return fields


def parse(line: bytes) -> Incoming:
    """Parse one line (without newline) that an agent sent. Raises LinkError with one sentence."""
    if pong := _PONG.fullmatch(line):
        number, received, sent = pong.groups()
        times = {"received_ns": int(received), "sent_ns": int(sent)}
        return Reply.model_construct(id=int(number), value=times, error=None)
    shown = line[:60].decode(errors="replace") + ("…" if len(line) > 60 else "")
    try:
        fields = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_refuse_double)
    except (ValueError, RecursionError) as cause:
        raise LinkError(f"the agent sent a line that is not a message: {shown!r}") from cause
    if not isinstance(fields, dict):
        raise LinkError(f"the agent sent a line that is not an object: {shown!r}")
    model: type[Incoming]
    if "magic" in fields:
        model = Greeting
    elif "event" in fields:
        event = fields["event"]
        known = _EVENTS.get(event) if isinstance(event, str) else None
        if known is None:
            raise LinkError(f"the agent sent an event that does not exist: {shown!r}")
        model = known
    else:
        model = Fatal if "fatal" in fields else Reply
    try:
        message = model.model_validate(fields)
    except ValidationError as cause:
        first = cause.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "message"
        raise LinkError(f"the agent sent a message that breaks the protocol: {where}: {first['msg']}") from cause
    if isinstance(message, Reply) and (message.value is None) == (message.error is None):
        raise LinkError("the agent sent a reply without exactly one of return and error")
    return message
