"""Settings of virtual machines under QEMU, and which of them contradict each other on every host.

What only some hosts or versions of QEMU refuse is found out when a machine is prepared (kind.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from virtometer.environments.images.machines import Flavour
from virtometer.environments.kinds.qemu.backing import Backing
from virtometer.environments.kinds.qemu.devices import CARDS, DISKS
from virtometer.environments.parts.agent_bits import AgentBits
from virtometer.environments.parts.disk_cache import DIRECT
from virtometer.environments.parts.kernel_parameters import KernelParameters
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.model import parse_size

_CPU = re.compile(r"[A-Za-z0-9._-]+(,[+-]?[A-Za-z0-9._=-]+)*")


def _cpu_model(value: str) -> str:
    if not _CPU.fullmatch(value):
        raise ValueError(
            "a processor is one of qemu-system-x86_64 -cpu help, with or without features: EPYC,+svm,-avx2"
        )
    return value


_ICOUNT = re.compile(r"(shift=)?(auto|[0-9]|10)(,(sleep|align)=(on|off))*")


def _icount(value: str) -> str:
    if not _ICOUNT.fullmatch(value):
        raise ValueError("icount is auto, or as QEMU's -icount takes it: shift=2,sleep=off")
    return value if value.startswith("shift=") else f"shift={value}"


Icount = Annotated[str, Field(max_length=60), AfterValidator(_icount)]
CpuModel = Annotated[str, Field(max_length=200), AfterValidator(_cpu_model)]
_Part = Annotated[int, Field(ge=1, le=64)]

WITH_HOST_ROOT = 2 << 30
"""Bytes of memory of a guest that runs programs of the host, where no other size is asked for."""


class MachineSettings(RootSettings, AgentBits):
    """Settings of every virtual machine."""

    no_bind: ClassVar[str] = "machines share no directory with the host"

    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=128 << 20, le=1 << 40, multiple_of=1 << 20)] = Field(
        default=512 << 20,
        description="bytes of memory of the guest. Without it, 2 GiB with root host, where half of it takes what "
        "programs write",
    )
    huge_pages: bool = Field(
        default=False, description="back the memory of the guest with huge pages, which the host must have reserved"
    )
    cpus: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="virtual processors. Without it, as many as processors names, or the laboratory may use",
    )
    sockets: _Part | None = Field(default=None, description="sockets of the virtual processors. Without it, one")
    cores: _Part | None = Field(
        default=None, description="cores of each socket. Without it, one; as many as cpus, where no part is named"
    )
    threads: _Part | None = Field(default=None, description="threads of each core. Without it, one")
    cpu: CpuModel = Field(
        default="max",
        description="model of the processor, as the option -cpu of QEMU takes it; max: all that can be emulated",
    )
    machine: Literal["pc", "q35", "microvm"] = Field(
        default="pc", description="model of the machine; microvm has no PCI bus, and virtio devices alone"
    )
    bits: Literal[64, 32] = Field(
        default=64,
        description="of the kernel and the agent in the guest: 32 is Debian's kernel for i686 and the agent "
        "for i686, of wheels or `make targets`",
    )
    guest_kernel: Literal["cloud", "generic"] | None = Field(
        default=None,
        description="kernel of the guest, one of Debian's: cloud, for virtual machines; generic, with all drivers. "
        "Without it, cloud where that has the drivers of the devices and of the root directory. Compare devices under "
        "the same kernel",
    )
    kernel_parameters: KernelParameters = Field(
        default="", description="words to add to the kernel's command line, such as mitigations=off nohz=off"
    )
    disk_device: Literal["virtio", "virtio-scsi", "nvme", "ide", "ahci"] = Field(
        default="virtio", description="device of the disk; ide needs machine pc"
    )
    disk_format: Literal["raw", "qcow2"] = Field(
        default="raw", description="format of the disks' images; qcow2: each guest has a copy of the disk file"
    )
    disk_backing: Backing = Field(
        default="file",
        description="what the disk lies on: the disk file; block: a block device over it, which needs root; nbd: a "
        "server of network block devices beside each guest; iscsi: a target beside each guest, which needs root and "
        "the Debian packages tgt and qemu-block-extra",
    )
    disk_cache: Literal["none", "directsync", "writeback", "writethrough", "unsafe"] = Field(
        default="none", description="mode of the cache of the disk, as in QEMU"
    )
    disk_aio: Literal["threads", "native", "io_uring"] | None = Field(
        default=None,
        description="how QEMU issues requests to the disk file; native needs disk_cache none or directsync. "
        "Without it, native where that is possible, else threads",
    )
    disk_iothread: bool = Field(
        default=False, description="a thread of its own for the disk; needs disk_device virtio or virtio-scsi"
    )
    disk_queues: Annotated[int, Field(ge=1, le=64)] | None = Field(
        default=None, description="queues of the disk, of virtio and virtio-scsi. Without it, one for each processor"
    )
    network_device: Literal["virtio", "vmxnet3", "e1000", "e1000e", "rtl8139"] = Field(
        default="virtio", description="device of the network"
    )
    network_backend: Literal["tap", "user", "socket"] | None = Field(
        default=None,
        description="tap: on the laboratory's bridge; user: address translation by QEMU; socket: frames as datagrams, "
        "which socat carries to a tap on the bridge. Without it, tap for root",
    )
    network_queues: int = Field(
        default=1, ge=1, le=16, description="pairs of queues of the network, of virtio with a tap"
    )
    network_offloads: bool = Field(
        default=True, description="leave checksums and the cutting of segments to the device; false needs virtio"
    )

    @property
    def fewest_processors(self) -> int:
        """One for each virtual processor that is asked for."""
        return self.vcpus or 1

    @property
    def vcpus(self) -> int | None:
        """Virtual processors that are asked for, by their number or their topology. None: none are."""
        if self.cpus is not None or not self.has_topology:
            return self.cpus
        return (self.sockets or 1) * (self.cores or 1) * (self.threads or 1)

    @property
    def has_topology(self) -> bool:
        """Whether any part of the topology is asked for."""
        return any(part is not None for part in (self.sockets, self.cores, self.threads))

    @property
    def caches_disk(self) -> str:
        """The cache that `disk_cache` asks for."""
        return "" if self.disk_cache in DIRECT else f"has disk_cache {self.disk_cache}"

    @property
    def flavour(self) -> Flavour:
        """The kernel of the guest: the one that is asked for, or the one that the devices need."""
        if self.bits == 32:
            return "686"
        generic = DISKS[self.disk_device].generic or CARDS[self.network_device].generic
        return self.guest_kernel or ("generic" if generic or self.root == "host" else "cloud")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for contradiction in self._contradictions():
            raise ValueError(contradiction)
        if self.root == "host" and "memory" not in self.model_fields_set:
            object.__setattr__(self, "memory", WITH_HOST_ROOT)  # a default: nobody has set it
        return self

    def _contradictions(self) -> Iterator[str]:
        """What no QEMU can make, in sentences without their ends."""
        disk, card = DISKS[self.disk_device], CARDS[self.network_device]
        if self.bits == 32 and self.root != "agent":
            yield f"root {self.root} needs bits 64: its programs are of 64 bits"
        if self.bits == 32 and self.guest_kernel == "cloud":
            yield "guest_kernel cloud needs bits 64: of 32 bits there is the kernel with all drivers alone"
        if self.disk_device == "ide" and self.machine == "q35":
            yield "disk_device ide needs machine pc: q35 has the disks of ahci instead"
        if self.machine == "microvm":
            if disk.mmio is None:
                yield f"disk_device {self.disk_device} needs machine pc or q35: microvm has no PCI bus"
            if card.mmio is None:
                yield f"network_device {self.network_device} needs machine pc or q35: microvm has no PCI bus"
        if self.guest_kernel == "cloud":
            for setting, value, one in (
                ("disk_device", self.disk_device, disk),
                ("network_device", self.network_device, card),
            ):
                if one.generic:
                    yield f"{setting} {value} needs guest_kernel generic: the kernel cloud has no driver for it"
            if self.root == "host":
                yield "root host needs guest_kernel generic: the kernel cloud has no driver for 9p"
        if self.disk_aio == "native" and self.disk_cache not in DIRECT:
            yield f"disk_aio native needs disk_cache none or directsync, and disk_cache is {self.disk_cache}"
        if self.disk_backing in ("block", "iscsi") and self.disk_format != "raw":
            yield f"disk_backing {self.disk_backing} needs disk_format raw, and disk_format is {self.disk_format}"
        if self.disk_backing == "iscsi" and self.disk_aio is not None:
            yield f"disk_backing iscsi takes no disk_aio, and disk_aio is {self.disk_aio}"
        if self.disk_iothread and not disk.queues:
            yield f"disk_iothread needs disk_device virtio or virtio-scsi, and disk_device is {self.disk_device}"
        if self.disk_queues is not None and not disk.queues:
            yield f"disk_queues needs disk_device virtio or virtio-scsi, and disk_device is {self.disk_device}"
        if self.network_queues > 1 and (not card.queues or self.network_backend in ("user", "socket")):
            yield "network_queues above 1 needs network_device virtio and network_backend tap"
        if not self.network_offloads and not card.queues:
            yield f"network_offloads false needs network_device virtio, and network_device is {self.network_device}"
        if self.cpus is not None and self.has_topology:
            product = (self.sockets or 1) * (self.cores or 1) * (self.threads or 1)
            if product != self.cpus:
                yield f"sockets, cores and threads make {product} processors, and cpus is {self.cpus}"


class QemuSettings(MachineSettings):
    """Settings of an emulated machine; the processor max has all that QEMU can emulate.

    With `icount` the guest's clock counts instructions, 2^shift ns each, instead of following the host's: auto seeks
    the shift that comes closest to the host's time, sleep=off lets it jump ahead wherever the guest would wait. It
    needs `tcg_thread` single, which is then the default.
    """

    # A clock that counts instructions leaps while the guest waits, at a rate that depends on the work.
    clock_settings: ClassVar[tuple[str, ...]] = ("icount",)

    tcg_thread: Literal["multi", "single"] = Field(
        default="multi",
        description="threads of the emulation: one for each virtual processor, or one for all; icount needs single",
    )
    icount: Icount | None = Field(
        default=None,
        description="count instructions as time: auto, or as -icount takes it. Without it, host time",
    )

    @model_validator(mode="after")
    def _one_thread_counts(self) -> Self:
        if self.icount is not None and self.tcg_thread != "single":
            if "tcg_thread" in self.model_fields_set:
                raise ValueError("icount needs tcg_thread single: instructions are counted in one thread")
            object.__setattr__(self, "tcg_thread", "single")  # a default: nobody has set it
        return self


class KvmSettings(MachineSettings):
    """Settings of a machine under KVM."""

    cpu: CpuModel = Field(
        default="host",
        description="model of the processor, as the option -cpu of QEMU takes it; host: that of the host",
    )
