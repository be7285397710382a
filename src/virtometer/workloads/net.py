"""TCP between the guest and an agent on the laboratory's side."""

from __future__ import annotations

from typing import Any, ClassVar

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Size, Workload


class NetParameters(Parameters):
    """size: bytes of a message; None leaves the operation's own (128 KiB for stream, 1 byte for request-response)."""

    size: Size | None = None


class Net(Workload):
    """Stream: bytes that the peer confirmed. Request-response: round trips over one connection."""

    name = "net"
    kernel = "net"
    operations: ClassVar = {
        "stream": Operation("B/s", "higher", "throughput"),
        "request-response": Operation("1/s", "higher", "round trips"),
    }
    parameters = NetParameters
    needs = frozenset({"network"})

    def arguments(self, op: str, parameters: Parameters, place: Place) -> dict[str, Any]:
        """Add the address at which this guest reaches the peer."""
        if place.peer is None:
            raise UsageError("this environment offers no network")
        own = super().arguments(op, parameters, place)
        return {"peer": place.peer} | {key: value for key, value in own.items() if value is not None}
