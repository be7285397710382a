"""What QEMU really made, asked over its monitor. Source: QEMU's QMP reference (qapi/)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from virtometer.environments.kinds.qemu.devices import CARD_ID, CONTROLLER_ID, DISK_ID
from virtometer.environments.kinds.qemu.qmp import Qmp
from virtometer.errors import EnvironmentFailed

_BACKEND = re.compile(r"^ \\ lan: index=\d+,type=(\w+)", re.MULTILINE)

ANSWER_S = 20.0
"""QEMU makes a machine in 0.1 s; this is for hosts that are very busy."""


def ask(qmp: Qmp) -> dict[str, Any]:
    """Wait for the machine, and ask for all that its settings are about. Raises EnvironmentFailed."""
    qmp.greet(ANSWER_S)
    cpus: Sequence[dict[str, Any]] = qmp.execute("query-cpus-fast", ANSWER_S)
    processor = qmp.execute("qom-get", ANSWER_S, path=cpus[0]["qom-path"], property="type")
    effective: dict[str, Any] = {
        "qemu": qmp.version,
        "accelerator": "kvm" if qmp.execute("query-kvm", ANSWER_S)["enabled"] else "tcg",
        "machine": qmp.execute("qom-get", ANSWER_S, path="/machine", property="type"),
        "cpus": len(cpus),
        "cpu_topology": _topology([one.get("props", {}) for one in cpus]),
        "cpu": str(processor).removesuffix("-x86_64-cpu"),
        "memory_bytes": qmp.execute("query-memory-size-summary", ANSWER_S)["base-memory"],
        "huge_pages": any(one.get("hugetlb", False) for one in _memory(qmp)),
    }
    for block in qmp.execute("query-block", ANSWER_S):
        if inserted := block.get("inserted"):
            effective["disk_cache"] = inserted["cache"]
            effective["disk_format"] = inserted["drv"]
            effective["disk_bytes"] = inserted["image"]["virtual-size"]
            effective["disk_device"] = _property(qmp, DISK_ID, "type")
            effective["disk_iothread"] = len(qmp.execute("query-iothreads", ANSWER_S)) > 0
            effective |= _disk_queues(qmp, str(effective["disk_device"]))
    if effective["accelerator"] == "tcg":
        effective |= _emulation(qmp, [one["thread-id"] for one in cpus])
    effective |= _network(qmp)
    effective["network_device"] = _property(qmp, CARD_ID, "type")
    if (checksums := _property(qmp, CARD_ID, "csum")) is not None:
        effective["network_offloads"] = checksums
    return effective


def _topology(props: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """How many sockets there are, cores in each, and threads in each core."""
    sockets = {one.get("socket-id", 0) for one in props}
    cores = {(one.get("socket-id", 0), one.get("die-id", 0), one.get("core-id", 0)) for one in props}
    return {
        "sockets": len(sockets),
        "cores": len(cores) // len(sockets),
        "threads": len(props) // len(cores),
    }


def _disk_queues(qmp: Qmp, device: str) -> dict[str, Any]:
    """How many queues for requests a virtio disk has. Other disks have none that are set."""
    if device.startswith("virtio-blk"):
        return {"disk_queues": _property(qmp, DISK_ID, "num-queues")}
    queues = _property(qmp, CONTROLLER_ID, "num_queues") if device == "scsi-hd" else None
    return {} if queues is None else {"disk_queues": queues}


def _network(qmp: Qmp) -> dict[str, Any]:
    """What is behind the card, and how many pairs of queues go there. Nothing where QEMU's words are not understood."""
    text = ""
    with suppress(EnvironmentFailed):  # no command of QMP's tells it
        text = str(qmp.execute("human-monitor-command", ANSWER_S, **{"command-line": "info network"}))
    queues = _BACKEND.findall(text)
    if not queues:
        return {}
    return {"network_backend": "socket" if queues[0] == "dgram" else queues[0], "network_queues": len(queues)}


def _emulation(qmp: Qmp, threads: Sequence[int]) -> dict[str, Any]:
    """The threads of the emulation by the names that QEMU gives them, and whether the guest's clock counts."""
    found: dict[str, Any] = {}
    with suppress(OSError):
        name = Path(f"/proc/{threads[0]}/comm").read_text().strip()
        found["tcg_thread"] = "single" if name.startswith("ALL CPUs") else "multi"
    with suppress(EnvironmentFailed):  # a command that QEMU calls unstable: it has the line where the clock counts
        found["icount"] = "on" if "Guest clock" in str(qmp.execute("x-query-jit", ANSWER_S)) else "off"
    return found


def _memory(qmp: Qmp) -> list[dict[str, Any]]:
    """The back ends of memory, each with whether it has huge pages."""
    found = []
    for one in qmp.execute("query-memdev", ANSWER_S):
        hugetlb = None
        with suppress(EnvironmentFailed):  # of anonymous memory there is no such property
            hugetlb = qmp.execute("qom-get", ANSWER_S, path=f"/objects/{one.get('id')}", property="hugetlb")
        found.append({"id": one.get("id"), "hugetlb": bool(hugetlb)})
    return found


def _property(qmp: Qmp, device: str, name: str) -> Any:  # noqa: ANN401 - any JSON
    """A property of one of our devices; None where it has none of that name."""
    with suppress(EnvironmentFailed):
        return qmp.execute("qom-get", ANSWER_S, path=f"/machine/peripheral/{device}", property=name)
    return None
