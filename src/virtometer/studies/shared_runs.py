"""Native runs that two studies share, so that their guests may stand side by side. PURE.

tsiouprou2010 and lemberger2010 measured the same machine: native cells of one reappear in the other, rounded. An
efficiency of OpenVZ or Virtuozzo and one of VMware ESXi then have the same denominator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.studies.bounds import Bounded, of_printed
from virtometer.studies.data import PublishedValue, items, values

CONTAINERS, MACHINES = "tsiouprou2010", "lemberger2010"

_ORDERS = {1000: 2000}
"""The order of lemberger2010's text, and that of the row of tsiouprou2010 with the same times."""

_OPERATIONS = {"read": "read-sequential", "write": "write-sequential"}
"""lemberger2010 prints one number of the network for sequential and random access."""

Work = tuple[str, str, int | None, int | None, str, str]


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A native run of both studies, and the guests beside it.

    native: as tsiouprou2010 prints it. machine_native: as lemberger2010 does. container: the guest of OpenVZ (Linux)
    or Virtuozzo (Windows). machines: the guests under VMware ESXi by the labels of their columns.
    """

    native: PublishedValue
    machine_native: PublishedValue
    container: PublishedValue
    machines: Mapping[str, PublishedValue]

    @property
    def efficiencies(self) -> dict[str, Bounded]:
        """Guest against native, by the name of the guest: above 1 the guest is better. Bounds: what rounding allows."""
        guests = {self.container.virtualizer: self.container, **self.machines}
        found = {}
        for name, guest in guests.items():
            native, number = of_printed(self.native), of_printed(guest)
            assert native is not None and number is not None, guest.id
            found[name] = native.over(number) if guest.better == "lower" else number.over(native)
        return found


def shared_runs() -> tuple[SharedRun, ...]:
    """All native runs that both studies print, in the order of lemberger2010."""
    ours = {_work(cell): cell for cell in _single(CONTAINERS, "native")}
    containers = {_work(cell): cell for cell in _single(CONTAINERS, "guest")}
    machines: dict[Work, dict[str, PublishedValue]] = {}
    for cell in _single(MACHINES, "guest"):
        machines.setdefault(_work(cell), {})[cell.column] = cell
    found = []
    for cell in _single(MACHINES, "native"):
        native = ours.get(_work(cell))
        if native is not None and _equal(cell, native):
            found.append(SharedRun(native, cell, containers[_work(cell)], machines[_work(cell)]))
    return tuple(found)


def native_cells() -> tuple[PublishedValue, ...]:
    """All native cells of the tables of lemberger2010."""
    return _single(MACHINES, "native")


def _single(study: str, role: str) -> tuple[PublishedValue, ...]:
    """The cells of the tables of one guest alone, or of the native system."""
    of_guests = {name for name in items(study) if any((one.guests or 0) > 1 for one in values(study, name))}
    return tuple(
        cell
        for name, item in items(study).items()
        if item.kind == "table" and name not in of_guests
        for cell in values(study, name)
        if cell.role == role and cell.value is not None
    )


def _work(cell: PublishedValue) -> Work:
    """What was measured, in the words of tsiouprou2010, and in which unit."""
    order, operation = cell.array_order, cell.operation
    if cell.study == MACHINES:
        order = _ORDERS.get(order, order) if order is not None else None
        operation = _OPERATIONS.get(operation, operation)
    return cell.system, f"{cell.workload} {operation}", cell.bits, order, cell.level, cell.unit


def _equal(cell: PublishedValue, native: PublishedValue) -> bool:
    """Whether a cell is the other one, rounded: they differ by at most one unit of its last digit."""
    mine, theirs = of_printed(cell), of_printed(native)
    assert mine is not None and theirs is not None
    unit = mine.high - mine.low
    return abs(mine.value - theirs.value) <= unit * (1 + 1e-6)
