"""The laboratory's own network: one namespace with a bridge, guests on veth pairs or taps. The host's own is never touched.

namespace virtometer-PID:  br0 10.77.0.1/24 --- vethN === eth0 10.77.0.N   in a container's network namespace
                                            --- tapN  === eth0 10.77.0.N   in a virtual machine whose VMM runs in here
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.journal import Journal
from virtometer.programs import Programs

NAMESPACES = Path("/run/netns")


@dataclass(frozen=True, slots=True)
class NetworkPath:
    """How a guest reaches the laboratory's side of the network.

    `host_address` is where a peer agent listens, in network namespace `namespace` (None = the host's own);
    `peer_address` is what the guest calls to reach it (differs from host_address behind address translation).
    `kind` is loopback, veth, tap, slirp, ...: paths of another kind are never compared in silence.
    `guest_interface`, `guest_address` and `prefix` are set where the guest has an interface of its own; with a tap the
    guest itself has to configure it.
    """

    kind: str
    host_address: str
    peer_address: str
    namespace: str | None
    guest_interface: str = ""
    guest_address: str = ""
    prefix: int = 0


class Lan:
    """One network per laboratory process, made when the first guest is attached."""

    def __init__(self, journal: Journal, programs: Programs) -> None:
        """Does no work."""
        self.journal = journal
        self.programs = programs
        self.name = f"virtometer-{os.getpid()}"

    def unavailable(self) -> str:
        """Why this user cannot have such a network here, in one sentence; empty where he can."""
        raise NotImplementedError

    def add_namespace(self, guest_id: str, name: str) -> Path:
        """Make (and journal for the guest) a network namespace; returns its file, for nsenter --net=FILE."""
        raise NotImplementedError

    def delete_namespace(self, name: str) -> None:
        """Delete a network namespace made by `add_namespace`. Idempotent."""
        raise NotImplementedError

    def attach_veth(self, guest_id: str, guest_namespace: str) -> NetworkPath:
        """Give a namespace an interface eth0 on the bridge, with its address, up."""
        raise NotImplementedError

    def attach_tap(self, guest_id: str) -> tuple[str, NetworkPath]:
        """Make a tap device (with vnet_hdr) on the bridge for a VMM that runs inside the Lan's namespace.

        Returns its name and the path; the VMM is started through `nsenter --net=/run/netns/NAME`, or with
        `ProcessGuest.launch(namespace=path.namespace)`.
        """
        raise NotImplementedError

    def detach(self, guest_id: str) -> None:
        """Remove the guest's interfaces from the bridge and free its address. Idempotent."""
        raise NotImplementedError

    def close(self) -> None:
        """Remove the whole network. Idempotent."""
        raise NotImplementedError
