"""What the host's network interfaces transfer, and those to which guests are connected.

Read at the points of an observer while several guests work at the same time; between points it is interpolated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from virtometer.environments.base import NetworkPath
from virtometer.host.network.interfaces import NOTHING, Counts, InterfaceTable
from virtometer.model import Traffic

_LOOPBACK = "lo"
Moment = tuple[float, ...]
"""Counts of an interface at a moment between two points."""


@dataclass(frozen=True, slots=True)
class NetworkCounts:
    """Counts at one moment: of all interfaces of the host but the loopback added, of the loopback, and of `ports`.

    ports: of the interfaces to which guests are connected, by namespace and name.
    """

    host: Moment
    loopback: Moment
    ports: Mapping[tuple[str, str], Moment]


class NetworkWatch:
    """Reads the interfaces of the host's own namespace and of those in which guests are connected."""

    def __init__(self, paths: Collection[NetworkPath | None]) -> None:
        """`paths`: of the guests that are watched."""
        self._ports = {port for path in paths if (port := port_of(path)) is not None}
        self._tables: dict[str | None, InterfaceTable] = {}
        for namespace in (None, *sorted({namespace for namespace, _ in self._ports})):
            with contextlib.suppress(OSError):
                self._tables[namespace] = InterfaceTable(namespace)

    def read(self) -> NetworkCounts | None:
        """The counts now; None where the host does not show them."""
        try:
            tables = {namespace: table.read() for namespace, table in self._tables.items()}
        except OSError:
            return None
        if None not in tables:
            return None
        own = tables[None]
        return NetworkCounts(
            _added([counts for name, counts in own.items() if name != _LOOPBACK]),
            own.get(_LOOPBACK, NOTHING),
            {port: tables[port[0]][port[1]] for port in self._ports if port[1] in tables.get(port[0], {})},
        )

    def close(self) -> None:
        """Close the files. Idempotent."""
        while self._tables:
            self._tables.popitem()[1].close()


def port_of(path: NetworkPath | None) -> tuple[str, str] | None:
    """Namespace and name of the interface on the host's side of a guest's network; None where there is none."""
    return (path.namespace, path.port) if path is not None and path.namespace is not None and path.port else None


def _added(counts: Sequence[Counts]) -> Moment:
    return tuple(map(sum, zip(NOTHING, *counts, strict=True)))


def between(first: NetworkCounts, last: NetworkCounts, share: float) -> NetworkCounts:
    """The counts at a moment between two points, `share` of the way from 0 to 1."""

    def at(a: Moment, b: Moment) -> Moment:
        return tuple(x + (y - x) * share for x, y in zip(a, b, strict=True))

    ports = {port: at(of, last.ports[port]) for port, of in first.ports.items() if port in last.ports}
    return NetworkCounts(at(first.host, last.host), at(first.loopback, last.loopback), ports)


def added(pairs: Sequence[tuple[NetworkCounts | None, NetworkCounts | None]]) -> NetworkCounts | None:
    """The first counts with what was transferred in all pairs added; None where some are unknown."""
    known = [(first, last) for first, last in pairs if first is not None and last is not None]
    if not known or len(known) < len(pairs):
        return None

    def end(moments: Sequence[tuple[Moment, Moment]]) -> Moment:
        moved = [[b - a for a, b in zip(first, last, strict=True)] for first, last in moments]
        return tuple(map(sum, zip(moments[0][0], *moved, strict=True)))

    ports = {port for port in known[0][0].ports if all(port in one.ports for pair in known for one in pair)}
    return NetworkCounts(
        end([(first.host, last.host) for first, last in known]),
        end([(first.loopback, last.loopback) for first, last in known]),
        {port: end([(first.ports[port], last.ports[port]) for first, last in known]) for port in ports},
    )


def traffic(first: Moment, last: Moment, *, turned: bool = False) -> Traffic:
    """What was transferred between two moments. turned: as the other end of the interface sees it."""
    received = [round(b - a) for a, b in zip(first[:3], last[:3], strict=True)]
    sent = [round(b - a) for a, b in zip(first[3:], last[3:], strict=True)]
    return Traffic(*sent, *received) if turned else Traffic(*received, *sent)
