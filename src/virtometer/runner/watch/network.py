"""What the host's network interfaces transfer, and those to which guests are connected.

Read at the points of an observer while a group of guests works; between points it is interpolated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping

from virtometer.environments.base import NetworkPath
from virtometer.host.network.interfaces import NOTHING, InterfaceTable
from virtometer.model import Traffic
from virtometer.runner.watch.counts import Key

HOST, LOOPBACK = "host", "lo"
"""All interfaces of the host's own namespace but the loopback, and that one."""

Port = tuple[str, str]
"""Namespace and name of the interface on the host's side of a guest's network."""


class NetworkWatch:
    """Reads the interfaces of the host's own namespace and of those in which guests are connected."""

    def __init__(self, paths: Collection[NetworkPath | None]) -> None:
        """`paths`: of the guests that are watched."""
        self._ports = {port for path in paths if (port := port_of(path)) is not None}
        self._tables: dict[str | None, InterfaceTable] = {}
        for namespace in (None, *sorted({namespace for namespace, _ in self._ports})):
            with contextlib.suppress(OSError):
                self._tables[namespace] = InterfaceTable(namespace)

    def read(self) -> dict[Key, float]:
        """The counts now, of HOST, LOOPBACK and the ports of guests; nothing where the host does not show them."""
        try:
            tables = {namespace: table.read() for namespace, table in self._tables.items()}
        except OSError:
            return {}
        if None not in tables:
            return {}
        own = tables[None]
        found: dict[str | Port, tuple[int, ...]] = {
            HOST: tuple(map(sum, zip(NOTHING, *(of for name, of in own.items() if name != LOOPBACK), strict=True))),
            LOOPBACK: own.get(LOOPBACK, NOTHING),
            **{port: tables[port[0]][port[1]] for port in self._ports if port[1] in tables.get(port[0], {})},
        }
        return {("network", name, at): number for name, of in found.items() for at, number in enumerate(of)}

    def close(self) -> None:
        """Close the files. Idempotent."""
        while self._tables:
            self._tables.popitem()[1].close()


def port_of(path: NetworkPath | None) -> Port | None:
    """The interface on the host's side of a guest's network; None where there is none."""
    return (path.namespace, path.port) if path is not None and path.namespace is not None and path.port else None


def traffic(spent: Mapping[Key, float], name: str | Port, *, turned: bool = False) -> Traffic | None:
    """What was transferred over an interface; None where that is unknown. turned: as its other end sees it."""
    moved = [spent.get(("network", name, at)) for at in range(6)]
    known = [round(one) for one in moved if one is not None]
    if len(known) < len(moved):
        return None
    return Traffic(*known[3:], *known[:3]) if turned else Traffic(*known)
