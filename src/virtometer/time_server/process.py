"""A time server on the laboratory's side of a guest's network path, for workloads that use a reference clock."""

from __future__ import annotations

import json
import os
import select
import sys
import time

from virtometer.environments.base import LabContext, NetworkPath
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import LinkError
from virtometer.model import Limits
from virtometer.workloads.base import Endpoint

# Nothing of the folder in which the laboratory was started is imported.
COMMAND = (sys.executable, "-P", "-m", "virtometer", "time-server", "--json", "--tcp", "0", "--udp", "0", "--listen")

_LINE = 4096  # more bytes than the line has in which the server says where it listens


class ReferenceClock:
    """A process that serves the host's time in the path's network namespace."""

    def __init__(self, lab: LabContext, guest_id: str, path: NetworkPath, limits: Limits) -> None:
        """Start it and wait until it listens. Raises LinkError when it does not."""
        with ProcessGuest.starting(lab, f"{guest_id}-t") as guest:
            purpose = f"time server of {guest_id}"
            guest.launch([*COMMAND, path.host_address], purpose=purpose, namespace=path.namespace)
            guest.grace_s = 0.0  # it serves until it is ended
            tcp, udp = _ports(guest, time.monotonic() + limits.answer_s)
        self.guest = guest
        self._endpoints = (
            Endpoint("time-server", "tcp", f"{path.peer_address}:{tcp}"),
            Endpoint("time-server", "udp", f"udp:{path.peer_address}:{udp}"),
        )

    def endpoints(self) -> tuple[Endpoint, ...]:
        """How the guest's agent reaches it. Raises LinkError where it has ended."""
        if not self.guest.alive():
            raise LinkError("the time server ended early")
        return self._endpoints

    def stop(self) -> None:
        """End it. Idempotent."""
        self.guest.stop()


def _ports(guest: ProcessGuest, deadline: float) -> tuple[int, int]:
    """The ports from the line that the server prints once it listens."""
    said = b""
    while b"\n" not in said and len(said) < _LINE:
        ready, _, _ = select.select([guest.stream.read_fd], [], [], max(deadline - time.monotonic(), 0.0))
        if not ready:
            raise LinkError("the time server does not say where it listens")
        more = os.read(guest.stream.read_fd, _LINE)
        if not more:
            words = guest.stderr_tail()
            raise LinkError("the time server ended at once" + (f": {words}" if words else ""))
        said += more
    try:
        ports = json.loads(said)
        return int(ports["tcp"]), int(ports["udp"])
    except (ValueError, KeyError, TypeError) as cause:
        raise LinkError(f"the time server said {said[:200]!r}, not where it listens") from cause
