"""Settings of machines: what is refused in words before anything is started, and what follows from them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer.environments.kinds.qemu.settings import WITH_HOST_ROOT, KvmSettings, QemuSettings


def settings(**asked: Any) -> QemuSettings:
    return QemuSettings.model_validate(asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"disk_device": "ide", "machine": "q35"},
        {"disk_device": "ide", "machine": "microvm"},
        {"disk_device": "nvme", "machine": "microvm"},
        {"network_device": "e1000", "machine": "microvm"},
        {"network_device": "e1000", "guest_kernel": "cloud"},
        {"disk_backing": "iscsi", "disk_format": "qcow2"},
        {"disk_backing": "iscsi", "disk_aio": "threads"},
        {"disk_device": "ahci", "guest_kernel": "cloud"},
        {"disk_aio": "native", "disk_cache": "writeback"},
        {"disk_aio": "native", "disk_cache": "unsafe"},
        {"disk_iothread": True, "disk_device": "nvme"},
        {"disk_queues": 2, "disk_device": "ide"},
        {"network_queues": 2, "network_device": "vmxnet3"},
        {"network_queues": 2, "network_backend": "user"},
        {"network_queues": 2, "network_backend": "socket"},
        {"network_offloads": False, "network_device": "rtl8139"},
        {"disk_backing": "block", "disk_format": "qcow2"},
        {"cpus": 3, "cores": 2},
        {"bits": 32, "guest_kernel": "cloud"},
        {"bits": 32, "root": "host"},
        {"root": "host", "guest_kernel": "cloud"},
        {"kernel_parameters": "console=tty0"},
        {"kernel_parameters": "nohz=off virtometer.mount=/dev/vda:/x"},
        {"kernel_parameters": "a  b"},
        {"kernel_parameters": "a,file=/etc/passwd;"},
    ],
    ids=lambda asked: " ".join(f"{name}={value}" for name, value in asked.items()),
)
def test_what_no_machine_can_have_is_one_sentence(said: Said, asked: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        settings(**asked)
    [error] = refused.value.errors()
    said(error["msg"].removeprefix("Value error, "))
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
    assert (settings(root="host").flavour, settings(root="debian").flavour) == ("generic", "cloud")
    assert settings(bits=32).flavour == settings(bits=32, guest_kernel="generic").flavour == "686"


def test_a_machine_that_runs_the_users_programs_has_more_memory_unless_it_is_named() -> None:
    assert settings(root="host").memory == WITH_HOST_ROOT > settings().memory
    assert settings(root="host", memory="512M").memory == 512 << 20


def test_the_topology_says_how_many_processors_there_are() -> None:
    assert (settings().vcpus, settings().fewest_processors) == (None, 1)
    assert (settings(cpus=3).vcpus, settings(cpus=3).fewest_processors) == (3, 3)
    shaped = settings(sockets=2, cores=3, threads=2)
    assert (shaped.vcpus, shaped.fewest_processors) == (12, 12)
    assert settings(cpus=4, cores=2, threads=2).vcpus == 4
