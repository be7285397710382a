"""What QEMU really made, asked over its monitor. Source: QEMU's QMP reference (qapi/)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from virtometer.environments.qemu_devices import CARD_ID, DISK_ID
from virtometer.environments.qmp import Qmp
from virtometer.errors import EnvironmentFailed

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
