"""What QEMU says of machines that it made and that never run: of every device, in a tenth of a second each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.environments.booted import lab, require
from virtometer.environments.kinds.qemu.kind import Qemu, QemuSettings


@pytest.fixture
def qemu(tmp_path: Path) -> Iterator[Qemu]:
    with lab(tmp_path) as one:
        environment = Qemu(one)
        require(environment.check())
        yield environment


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"machine": "microvm", "sockets": 1, "cores": 2, "threads": 2},
         {"machine": "microvm-machine", "cpus": 4, "cpu_topology": {"sockets": 1, "cores": 2, "threads": 2},
          "disk_device": "virtio-blk-device", "network_device": "virtio-net-device", "guest_kernel": "cloud"}),
        ({"machine": "q35", "disk_device": "virtio-scsi", "disk_iothread": True, "disk_queues": 2, "cpus": 1},
         {"machine": "pc-q35", "disk_device": "scsi-hd", "disk_iothread": True, "cpus": 1, "disk_format": "raw",
          "disk_queues": 2, "tcg_thread": "multi", "icount": "off"}),
        ({"disk_device": "nvme", "disk_format": "qcow2", "disk_cache": "writethrough", "disk_aio": "io_uring"},
         {"disk_device": "nvme", "disk_format": "qcow2", "disk_aio": "io_uring", "disk_queues": None,
          "disk_aio_reason": "as asked: QEMU does not report it",
          "disk_cache": {"no-flush": False, "direct": False, "writeback": False}}),
        ({"disk_device": "ide", "network_device": "vmxnet3", "disk_cache": "unsafe", "disk_aio": "threads"},
         {"disk_device": "ide-hd", "network_device": "vmxnet3", "disk_aio": "threads",
          "disk_cache": {"no-flush": True, "direct": False, "writeback": True}}),
        ({"network_offloads": False, "network_queues": 2, "kernel_parameters": "mitigations=off"},
         {"network_offloads": False, "network_device": "virtio-net-pci", "huge_pages": False,
          "network_backend": "tap", "network_queues": 2}),
        ({"network_backend": "user", "disk_cache": "directsync", "disk_queues": 3},
         {"network_offloads": True, "network_backend": "user", "network_queues": 1, "disk_queues": 3}),
        ({"network_backend": "socket", "cpus": 3, "tcg_thread": "single", "network_device": "e1000"},
         {"network_backend": "socket", "network_queues": 1, "disk_queues": 3, "tcg_thread": "single"}),
        ({"icount": "shift=2,sleep=off", "machine": "microvm", "disk_device": "virtio-scsi", "cpus": 1},
         {"icount": "shift=2,sleep=off", "tcg_thread": "single", "disk_queues": 1}),
    ],
)  # fmt: skip
def test_it_says_what_was_made(qemu: Qemu, asked: dict[str, Any], found: dict[str, Any]) -> None:
    if os.geteuid() != 0 and found.get("network_backend") in ("tap", "socket"):
        pytest.skip("a tap device needs root")
    settings = QemuSettings.model_validate(asked)
    guest = qemu.start_machine(settings, f"facts-{os.getpid()}", runs=False)
    try:
        effective = guest.effective
        for name, value in found.items():
            begins = name == "machine" and str(effective[name]).startswith(value)
            assert begins or effective.get(name) == value, (name, effective.get(name))
        assert settings.kernel_parameters in effective["kernel_command_line"]
    finally:
        guest.grace_s = 0.0
        guest.stop()
