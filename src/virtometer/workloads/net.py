"""TCP and UDP between the guest and an agent on the laboratory's side."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Size, Workload, parse_size

Message = Annotated[int, BeforeValidator(parse_size), Field(ge=1, le=64 << 20)]
Buffer = Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=64 << 20)]

EVERY = frozenset({"size", "send_buffer", "receive_buffer"})
BOTH_WAYS = EVERY | {"request", "response"}
OVER_TCP = frozenset({"connections", "nodelay"})
# Operation -> the parameters that it has.
HAS = {
    "stream": EVERY | OVER_TCP | {"direction", "zero_copy", "receive_low_water"},
    "request-response": BOTH_WAYS | OVER_TCP,
    "connect": frozenset({"size", "request", "response"}),
    "open-loop": BOTH_WAYS | OVER_TCP | {"rate", "arrivals", "seed"},
    "udp-stream": EVERY | {"rate"},
    "udp-request-response": BOTH_WAYS,
}

# Operation -> parameter -> what the agent takes where it is left out.
_BOTH_WAYS = {"size": "1", "request": "size", "response": "size"}
_SOCKET = {"connections": "1", "nodelay": "true", "send_buffer": "0", "receive_buffer": "0"}
_DEFAULTS = {
    "stream": _SOCKET
    | {"size": "128K", "direction": "send", "zero_copy": "false", "nodelay": "false", "receive_low_water": "0"},
    "request-response": _BOTH_WAYS | _SOCKET,
    "connect": _BOTH_WAYS,
    "open-loop": _BOTH_WAYS | _SOCKET | {"rate": "1000", "arrivals": "fixed", "seed": "1"},
    "udp-stream": _SOCKET | {"size": "1472", "rate": "0"},
    "udp-request-response": _BOTH_WAYS | _SOCKET | {"size": "16"},
}


class NetParameters(Parameters):
    """What is not given is left to the operation; what it does not have is refused."""

    size: Message | None = Field(default=None, description="bytes of a message or datagram")
    request: Message | None = Field(default=None, description="bytes of a request")
    response: Message | None = Field(default=None, description="bytes of a response")
    direction: Literal["send", "receive", "both"] | None = Field(
        default=None, description="which way a stream flows, seen from the guest"
    )
    connections: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=None, description="connections of each thread"
    )
    zero_copy: bool | None = Field(default=None, description="send without copying into the buffer of the socket")
    nodelay: bool | None = Field(
        default=None, description="send small pieces without waiting for the confirmation of earlier ones"
    )
    send_buffer: Buffer | None = Field(
        default=None, description="bytes of the sending buffer that both ends ask for; 0: the system decides"
    )
    receive_buffer: Buffer | None = Field(
        default=None, description="bytes of the receiving buffer that both ends ask for; 0: the system decides"
    )
    receive_low_water: Buffer | None = Field(
        default=None, description="bytes that must arrive before the receiver of a stream is woken; 0: a plain socket"
    )
    rate: Size | None = Field(
        default=None,
        description="of each thread: requests in a second (open-loop), or bytes in a second (udp-stream; 0: no limit)",
    )
    arrivals: Literal["fixed", "poisson"] | None = Field(
        default=None, description="distances in time between requests: equal, or random"
    )
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(default=None, description="seed of the random distances")


class Net(Workload):
    """Streams, requests with responses, and transactions with a connection each; an open loop; datagrams."""

    name = "net"
    kernel = "net"
    meaning = "exchanges data with an agent on the side of the laboratory, over TCP or UDP"
    operations: ClassVar = {
        "stream": Operation("B/s", "higher", "throughput"),
        "request-response": Operation("1/s", "higher", "round trips"),
        "connect": Operation("1/s", "higher", "transactions with a connection each"),
        "open-loop": Operation("1/s", "higher", "responses"),
        "udp-stream": Operation("B/s", "higher", "throughput received"),
        "udp-request-response": Operation("1/s", "higher", "round trips"),
    }
    parameters = NetParameters
    takes = HAS
    agent_defaults = _DEFAULTS
    needs = frozenset({"network"})

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Add the address at which this guest reaches the peer, and leave out what was not given."""
        if place.peer is None:
            raise UsageError("this environment offers no network")
        own = {key: value for key, value in super().arguments(op, parameters, place).items() if value is not None}
        foreign = sorted(own.keys() - HAS[op])
        if foreign:
            raise UsageError(f"net {op} has no parameter {', '.join(foreign)}; it has {', '.join(sorted(HAS[op]))}")
        return {"peer": place.peer} | {key.replace("_", "-"): value for key, value in own.items()}
