"""Settings of machines: what is refused in words before anything is started, and what follows from them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.environments.kinds.qemu.settings import KvmSettings, QemuSettings


def settings(**asked: Any) -> QemuSettings:
    return QemuSettings.model_validate(asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"disk_device": "ide", "machine": "q35"},
         "disk_device ide needs machine pc: q35 has the disks of ahci instead"),
        ({"disk_device": "ide", "machine": "microvm"},
         "disk_device ide needs machine pc or q35: microvm has no PCI bus"),
        ({"disk_device": "nvme", "machine": "microvm"},
         "disk_device nvme needs machine pc or q35: microvm has no PCI bus"),
        ({"network_device": "e1000", "machine": "microvm"},
         "network_device e1000 needs machine pc or q35: microvm has no PCI bus"),
        ({"network_device": "e1000", "guest_kernel": "cloud"},
         "network_device e1000 needs guest_kernel generic: the kernel cloud has no driver for it"),
        ({"disk_backing": "iscsi", "disk_format": "qcow2"},
         "disk_backing iscsi needs disk_format raw, and disk_format is qcow2"),
        ({"disk_backing": "iscsi", "disk_aio": "threads"},
         "disk_backing iscsi takes no disk_aio, and disk_aio is threads"),
        ({"disk_device": "ahci", "guest_kernel": "cloud"},
         "disk_device ahci needs guest_kernel generic: the kernel cloud has no driver for it"),
        ({"disk_aio": "native", "disk_cache": "writeback"},
         "disk_aio native needs disk_cache none or directsync, and disk_cache is writeback"),
        ({"disk_aio": "native", "disk_cache": "unsafe"},
         "disk_aio native needs disk_cache none or directsync, and disk_cache is unsafe"),
        ({"disk_iothread": True, "disk_device": "nvme"},
         "disk_iothread needs disk_device virtio or virtio-scsi, and disk_device is nvme"),
        ({"disk_queues": 2, "disk_device": "ide"},
         "disk_queues needs disk_device virtio or virtio-scsi, and disk_device is ide"),
        ({"network_queues": 2, "network_device": "vmxnet3"},
         "network_queues above 1 needs network_device virtio and network_backend tap"),
        ({"network_queues": 2, "network_backend": "user"},
         "network_queues above 1 needs network_device virtio and network_backend tap"),
        ({"network_queues": 2, "network_backend": "socket"},
         "network_queues above 1 needs network_device virtio and network_backend tap"),
        ({"network_offloads": False, "network_device": "rtl8139"},
         "network_offloads false needs network_device virtio, and network_device is rtl8139"),
        ({"disk_backing": "block", "disk_format": "qcow2"},
         "disk_backing block needs disk_format raw, and disk_format is qcow2"),
        ({"cpus": 3, "cores": 2}, "sockets, cores and threads make 2 processors, and cpus is 3"),
        ({"bits": 32, "guest_kernel": "cloud"},
         "guest_kernel cloud needs bits 64: of 32 bits there is the kernel with all drivers alone"),
        ({"kernel_parameters": "console=tty0"}, "the kernel parameter console is the laboratory's own"),
        ({"kernel_parameters": "nohz=off virtometer.mount=/dev/vda:/x"},
         "the kernel parameter virtometer.mount is the laboratory's own"),
        ({"kernel_parameters": "a  b"}, "kernel_parameters must be words with one blank between them"),
        ({"kernel_parameters": "a,file=/etc/passwd;"}, "kernel_parameters must be words with one blank between them"),
    ],
)  # fmt: skip
def test_what_no_machine_can_have_is_one_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        settings(**asked)
    [error] = refused.value.errors()
    assert said in error["msg"]
    kvm = {name: value for name, value in asked.items() if name not in ("tcg_thread", "icount")}
    with pytest.raises(ValidationError):
        KvmSettings.model_validate(kvm)


@pytest.mark.parametrize("bus", ["virtio", "virtio-scsi", "nvme", "ide", "ahci"])
def test_of_bus_cache_and_requests_only_native_requests_through_a_cache_are_refused(bus: str) -> None:
    for cache in ("none", "directsync", "writeback", "writethrough", "unsafe"):
        for aio in ("threads", "native", "io_uring"):
            asked = {"disk_device": bus, "disk_cache": cache, "disk_aio": aio}
            if aio == "native" and cache not in ("none", "directsync"):
                with pytest.raises(ValidationError, match="disk_aio native needs"):
                    settings(**asked)
            else:
                assert settings(**asked).model_dump(exclude_unset=True) == asked


def test_the_kernel_is_the_one_that_has_the_drivers() -> None:
    assert settings().flavour == settings(disk_device="nvme", network_device="vmxnet3").flavour == "cloud"
    assert settings(guest_kernel="generic").flavour == "generic"
    for generic in ({"disk_device": "ahci"}, {"network_device": "e1000"}, {"network_device": "rtl8139"}):
        assert settings(**generic).flavour == "generic"
        assert settings(bits=32, **generic).flavour == "686"
    assert settings(bits=32).flavour == settings(bits=32, guest_kernel="generic").flavour == "686"


def test_the_topology_says_how_many_processors_there_are() -> None:
    assert (settings().vcpus, settings().fewest_processors) == (None, 1)
    assert (settings(cpus=3).vcpus, settings(cpus=3).fewest_processors) == (3, 3)
    shaped = settings(sockets=2, cores=3, threads=2)
    assert (shaped.vcpus, shaped.fewest_processors) == (12, 12)
    assert settings(cpus=4, cores=2, threads=2).vcpus == 4
