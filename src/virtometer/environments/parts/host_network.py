"""The network of guests that may do without one of their own: on the bridge as the others, or the host's loopback."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from virtometer.environments.base import LabContext, Settings
from virtometer.environments.parts.guest_interfaces import interfaces_of
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.network.lan import LOOPBACK
from virtometer.programs import Words


class HostNetworkSettings(Settings):
    """Settings of kinds whose guests are in the network namespace in which they are started.

    host_network: the value of `network` that is the host's own.
    """

    host_network: ClassVar[str] = "loopback"

    network: Literal["auto", "bridge", "loopback", "none"] = Field(
        default="auto",
        description="bridge: a veth pair on the laboratory's bridge, as containers have; loopback: that of the host; "
        "none: a loopback of its own alone. "
        "auto: bridge where the plan compares the network with kinds on the bridge, or guests reach each other, and "
        "this user can have it; else loopback",
    )


def require_network(lab: LabContext, settings: HostNetworkSettings) -> None:
    """Raise EnvironmentFailed where the bridge is asked for and cannot be had, before anything is measured."""
    if settings.network == "bridge" and (reason := lab.lan.unavailable()):
        raise EnvironmentFailed(f"its network cannot be the bridge: {reason}", advice=lab.lan.advice())


def join_network(guest: ProcessGuest, settings: HostNetworkSettings) -> str | None:
    """Give a guest its network; returns the namespace to launch it in, None for the host's own.

    Raises EnvironmentFailed where the bridge is asked for and cannot be had.
    """
    lab = guest.lab
    if settings.network == "none":
        guest.effective["network"] = "none"
        guest.read_back(lambda: interfaces_of(guest))
        return None
    possible = not lab.lan.unavailable()
    if settings.network == "bridge" or (settings.network == "auto" and lab.on_bridge and possible):
        name = guest.add_network().name
        guest.effective["network"] = "bridge"
        return name
    # Guests on the loopback reach each other by its address.
    guest.network = replace(LOOPBACK, guest_address=LOOPBACK.host_address, prefix=8) if lab.on_bridge else LOOPBACK
    guest.effective["network"] = "loopback"
    return None


def require_apart(settings: HostNetworkSettings) -> None:
    """Raise EnvironmentFailed where a process of the host cannot be kept from its network, before it is measured."""
    if settings.network == "none" and os.geteuid() != 0:
        raise EnvironmentFailed(
            "network none needs a network namespace, which only root can make", advice="run as root"
        )


def apart(guest: ProcessGuest, settings: HostNetworkSettings) -> Words:
    """The words that run what follows them with a loopback of its own alone, where the settings say so."""
    if settings.network != "none":
        return []
    programs = guest.lab.programs
    ip = programs.find("ip", "iproute2")
    words: Words = [programs.find("unshare", "util-linux"), "--net", "sh", "-c", '"$0" link set lo up && exec "$@"']
    return [*words, ip]


def network_of(guest: ProcessGuest) -> str | None:
    """The namespace in which such a guest was launched, for another agent in it."""
    return f"virtometer-{guest.guest_id}" if guest.effective["network"] == "bridge" else None
