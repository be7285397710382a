"""All workloads, by the name that plans use."""

from __future__ import annotations

from typing import Any

from virtometer.workloads.ab import Ab
from virtometer.workloads.base import Workload
from virtometer.workloads.clock import Clock
from virtometer.workloads.command import Command
from virtometer.workloads.disk import Disk
from virtometer.workloads.fio import Fio
from virtometer.workloads.linpack import Linpack
from virtometer.workloads.memory import Memory
from virtometer.workloads.net import Net
from virtometer.workloads.os_operations import OsOperations
from virtometer.workloads.pde import Pde

WORKLOADS: dict[str, Workload[Any]] = {
    "linpack": Linpack(),
    "memory": Memory(),
    "pde": Pde(),
    "disk": Disk(),
    "net": Net(),
    "os": OsOperations(),
    "clock": Clock(),
    "command": Command(),
    "fio": Fio(),
    "ab": Ab(),
}
