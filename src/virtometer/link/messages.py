"""The messages of contract/PROTOCOL.md and REFERENCE.md that the laboratory reads; all others are refused."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from virtometer.errors import LinkError
from virtometer.visible import shortened, visible

PROTOCOL = 1
MAGIC = "virtometer"
EXACT = 2**53 - 1
_LARGEST = 1e30  # of any number that is no integer
SAMPLES = 400  # of one message
LONGEST_LEAD_NS = 10_000_000_000  # how far ahead a window may begin
_DEPTH = 16  # of objects and arrays within each other
# How agents answer pings: read without more ado, because it happens while somebody else is measured.
_PONG = re.compile(rb'\{"id":([1-9]\d{0,14}),"return":\{"received_ns":([1-9]\d{0,15}),"sent_ns":([1-9]\d{0,15})\}\}')


def _shown(text: str) -> str:
    """Text from a guest is data: what would act on a terminal becomes visible."""
    if "\0" in text:
        raise ValueError("a text must not hold NUL")
    return visible(text)


def _printed(text: str) -> str:
    """The same for what a program printed, whose lines are kept."""
    if "\0" in text:
        raise ValueError("a text must not hold NUL")
    return visible(text, keep="\n\t\r")


Nanoseconds = Annotated[int, Field(ge=0, le=EXACT)]
Count = Annotated[int, Field(ge=0, le=EXACT)]
Figure = Annotated[float, Field(ge=-_LARGEST, le=_LARGEST)]
Text = Annotated[str, Field(max_length=4096), AfterValidator(_shown)]
Word = Annotated[str, Field(max_length=64), AfterValidator(_shown)]
Bucket = Annotated[list[Count], Field(min_length=2, max_length=2)]
ExtraName = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,64}$")]
Conditions = Annotated[dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")], Text], Field(max_length=64)]
IterationKind = Literal["null", "warm-up", "work"]
WaitingKind = Literal[IterationKind, "slice", "window"]
RunName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]


Model = TypeVar("Model", bound=BaseModel)


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Greeting(_Message):
    """The first line of either side."""

    magic: Literal["virtometer"]
    protocol: Annotated[int, Field(ge=-EXACT, le=EXACT)]
    role: Literal["agent", "laboratory"]
    version: Word
    capabilities: list[Word]


class Fault(_Message):
    """An error of contract/REFERENCE.md."""

    code: Literal[
        "bad-message",
        "message-too-long",
        "protocol-mismatch",
        "unknown-command",
        "bad-arguments",
        "unknown-kernel",
        "unknown-op",
        "busy",
        "no-such-run",
        "not-ready",
        "not-supported",
        "not-permitted",
        "not-found",
        "no-space",
        "out-of-memory",
        "io-error",
        "peer-failed",
        "check-failed",
        "timed-out",
        "internal",
    ]
    message: Annotated[str, AfterValidator(_shown), AfterValidator(shortened)]


class Reply(_Message):
    """The answer to a request: exactly one of `value` (on the wire `return`) and `error`."""

    id: Annotated[int, Field(ge=1, le=EXACT)]
    value: dict[str, Any] | None = Field(default=None, alias="return")
    error: Fault | None = None


class BlockDevice(_Message):
    """A disk as the agent sees it."""

    name: Text
    bytes: Count


class Facts(_Message):
    """What the agent sees of the place it runs in; the answer to `facts`."""

    os: Text
    kernel: Text
    architecture: Text
    bits: Count
    hostname: Text
    cpu_model: Text
    cpu_features: list[Word]
    cpus_online: Count
    cpus_allowed: Count
    memory_bytes: Count
    page_bytes: Count
    clock_source: Text
    pid: Count
    uid: Count
    block_devices: list[BlockDevice]
    interfaces: list[Word]


class Nothing(_Message):
    """The answer to a request that asks for nothing."""


class Released(_Message):
    """The answer to `go`. late_ns: by how much the moment that it named had passed; None where it named none."""

    late_ns: Nanoseconds | None = None


class Changed(_Message):
    """The answer to a setting: what it was, and what it is now."""

    before: Text
    after: Text


class Ran(_Message):
    """The answer to `run-program`: its exit status, and the end of what it printed."""

    status: Annotated[int, Field(ge=0, le=255)]
    output: Annotated[str, Field(max_length=4096), AfterValidator(_printed)]


class Fatal(_Message):
    """The agent is about to close the connection."""

    fatal: Fault


class WireSample(_Message):
    """One iteration in the agent's time."""

    start_ns: Nanoseconds
    end_ns: Nanoseconds
    work: Count
    check: Text


class CheckResult(_Message):
    """How the kernel verified its own result."""

    kind: Literal["residual", "checksum", "bytes", "count"]
    value: Text
    passed: Literal[True]


class CpuTime(_Message):
    """Processor time by the guest's own account."""

    user_ns: Count
    system_ns: Count


class Ready(_Message):
    """Prepared: `start` begins the timed window at once."""

    event: Literal["ready"]
    run: RunName
    conditions: Conditions


class Waiting(_Message):
    """An iteration, a slice or the window begins as soon as `go` says so, or at the moment that it names."""

    event: Literal["waiting"]
    run: RunName
    iteration: WaitingKind


class IterationDone(_Message):
    """An iteration is done: whether it was released or followed on from the one before, and from when to when."""

    event: Literal["iteration-done"]
    run: RunName
    iteration: IterationKind
    released: bool
    began_ns: Nanoseconds
    ended_ns: Nanoseconds


class Samples(_Message):
    """Some iterations."""

    event: Literal["samples"]
    run: RunName
    samples: Annotated[list[WireSample], Field(min_length=1, max_length=SAMPLES)]


class Measure(_Message):
    """A further figure of a run."""

    unit: Annotated[str, Field(pattern=r"^[A-Za-z0-9/]{1,16}$")]
    value: Figure


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
    value: Annotated[float, Field(ge=0, le=_LARGEST)]
    check: CheckResult
    count: Count
    stopped: bool
    cpu: CpuTime
    conditions: Conditions
    measures: Annotated[dict[ExtraName, Measure], Field(max_length=64)] = {}
    histograms: Annotated[dict[ExtraName, Histogram], Field(max_length=16)] = {}
    output: Annotated[str, Field(max_length=65_536), AfterValidator(_printed)] | None = None


class Failed(_Message):
    """The run ended without a result."""

    event: Literal["failed"]
    run: RunName
    error: Fault


class Log(_Message):
    """For the record."""

    event: Literal["log"]
    level: Literal["info", "warning"]
    message: Annotated[str, AfterValidator(_shown), AfterValidator(shortened)]


REPLIES: dict[str, type[_Message]] = {
    "facts": Facts,
    "go": Released,
    "set-kernel-setting": Changed,
    "set-queue-length": Changed,
    "set-offload": Changed,
    "run-program": Ran,
}

Event = Ready | Waiting | IterationDone | Samples | Done | Failed | Log
Incoming = Greeting | Reply | Fatal | Event

_EVENTS: dict[str, type[Event]] = {
    "ready": Ready,
    "waiting": Waiting,
    "iteration-done": IterationDone,
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


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} does not exist in the protocol")
    return number


def _refuse_double(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field comes twice")
    return fields


def _refuse_depth(value: object) -> None:
    """Raise ValueError where objects and arrays stand within each other more than _DEPTH deep."""
    level = [value]
    for _ in range(_DEPTH + 1):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        if not inner:
            return
        level = [one for group in inner for one in group]
    raise ValueError(f"nested more than {_DEPTH} deep")


def parse(line: bytes) -> Incoming:
    """Parse one line (without newline) that an agent sent. Raises LinkError with one sentence."""
    if pong := _PONG.fullmatch(line):
        number, received, sent = pong.groups()
        times = {"received_ns": int(received), "sent_ns": int(sent)}
        return Reply.model_construct(id=int(number), value=times, error=None)
    shown = line[:60].decode(errors="replace") + ("…" if len(line) > 60 else "")
    try:
        fields = json.loads(
            line.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_refuse_double,
        )
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
    message = _validated(model, fields, "message")
    if isinstance(message, Reply):
        if (message.value is None) == (message.error is None):
            raise LinkError("the agent sent a reply without exactly one of return and error")
        try:
            _refuse_depth(message.value)
        except ValueError as cause:
            raise LinkError(f"the agent sent a reply that breaks the protocol: {cause}: {shown!r}") from cause
    return message


def answer(command: str, value: dict[str, Any]) -> dict[str, Any]:
    """The validated answer to `command`: the fields that it has. Raises LinkError with one sentence."""
    found = _validated(REPLIES.get(command, Nothing), value, f"answer to {command}")
    return found.model_dump(exclude_unset=True)


def _validated(model: type[Model], fields: dict[str, Any], what: str) -> Model:
    try:
        return model.model_validate(fields)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        where = shortened(".".join(visible(str(part)) for part in first["loc"]), 100) or "message"
        why = visible(first["msg"].removeprefix("Value error, "))
        article = "an" if what[0] in "aeiou" else "a"
        raise LinkError(f"the agent sent {article} {what} that breaks the protocol: {where}: {why}") from cause
