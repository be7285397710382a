"""TCP and UDP between the guest and an agent on the laboratory's side."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from virtometer.workloads.base import Parameters, Place, Work, Workload, of_kernel, parse_size

Message = Annotated[int, BeforeValidator(parse_size), Field(ge=1, le=64 << 20)]
Buffer = Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=64 << 20)]


_CONTINUOUS = {"stream", "open-loop", "udp-stream"}


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
    rate: Annotated[int, BeforeValidator(parse_size), Field(ge=0, le=1 << 40)] | None = Field(
        default=None,
        description="of each thread: requests in a second (open-loop), or bytes in a second (udp-stream; 0: no limit)",
    )
    arrivals: Literal["fixed", "poisson"] | None = Field(
        default=None, description="distances in time between requests: equal, or random"
    )
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(default=None, description="seed of the random distances")


class Net(Workload[NetParameters]):
    """Streams, requests with responses, and transactions with a connection each; an open loop; datagrams."""

    name = "net"
    kernel = "net"
    meaning = "exchanges data with an agent on the side of the laboratory, over TCP or UDP"
    operations = of_kernel("net", but=("serve",))
    parameters = NetParameters
    needs = frozenset({"peer"})

    def work(self, op: str, parameters: NetParameters, threads: int, seconds: float) -> Work:
        """What is under way does not wait."""
        flows = op in _CONTINUOUS or (parameters.connections or 1) > 1
        usual = super().work(op, parameters, threads, seconds)
        return replace(usual, own_reason="its data flows on" if flows else "")

    def arguments(self, op: str, parameters: NetParameters, place: Place) -> dict[str, Any]:
        """Add the address at which this guest reaches the peer. Raises UsageError also where there is none."""
        return {"peer": place.find("peer").address} | super().arguments(op, parameters, place)
