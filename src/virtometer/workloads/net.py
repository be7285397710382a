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


class NetParameters(Parameters):
    """What is not given is left to the operation; what it does not have is refused.

    size, request, response: bytes of a message, a request, a response. direction: which way a stream flows, seen from
    the guest. connections: of each thread. send_buffer, receive_buffer: bytes of the sockets' buffers that are asked
    for at both ends. receive_low_water: bytes that have to arrive before a stream's receiver is woken; 0 is a plain
    socket. rate: requests in a second (open-loop), or bytes in a second (udp-stream), of each thread.
    """

    size: Message | None = None
    request: Message | None = None
    response: Message | None = None
    direction: Literal["send", "receive", "both"] | None = None
    connections: Annotated[int, Field(ge=1, le=1000)] | None = None
    zero_copy: bool | None = None
    nodelay: bool | None = None
    send_buffer: Buffer | None = None
    receive_buffer: Buffer | None = None
    receive_low_water: Buffer | None = None
    rate: Size | None = None
    arrivals: Literal["fixed", "poisson"] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None


class Net(Workload):
    """Streams, requests with responses, and transactions with a connection each; an open loop; datagrams."""

    name = "net"
    kernel = "net"
    operations: ClassVar = {
        "stream": Operation("B/s", "higher", "throughput"),
        "request-response": Operation("1/s", "higher", "round trips"),
        "connect": Operation("1/s", "higher", "transactions with a connection each"),
        "open-loop": Operation("1/s", "higher", "responses"),
        "udp-stream": Operation("B/s", "higher", "throughput received"),
        "udp-request-response": Operation("1/s", "higher", "round trips"),
    }
    parameters = NetParameters
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
