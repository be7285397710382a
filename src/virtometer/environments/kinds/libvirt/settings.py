"""Settings of guests that libvirt makes, and which of them contradict each other on every host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from virtometer.environments.base import Settings
from virtometer.environments.images.machines import Flavour
from virtometer.environments.kinds.libvirt.domain_xml import CARDS, DISKS
from virtometer.environments.kinds.libvirt.virsh import CONTAINER_DRIVERS, driver_of
from virtometer.environments.parts.container import ContainerSettings
from virtometer.environments.parts.disk_cache import DIRECT
from virtometer.environments.parts.kernel_parameters import KernelParameters
from virtometer.model import parse_size

_ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_CPU = re.compile(r"[A-Za-z0-9._-]+")
_DOMAIN = re.compile(r"[^/\n\0 -][^/\n\0]{0,127}")


def _uri(value: str) -> str:
    driver_of(value)
    return value


def _address(value: str) -> str:
    found = _ADDRESS.fullmatch(value)
    if found is None or not 0 < int(found[2]) < 1 << 16:
        raise ValueError("an address must be HOST:PORT, such as 192.0.2.7:5000")
    return value


def _cpu(value: str) -> str:
    if not _CPU.fullmatch(value):
        raise ValueError("a processor must be maximum, host, or a model of virsh cpu-models x86_64, such as EPYC")
    return value


def _domain(value: str) -> str:
    if not _DOMAIN.fullmatch(value):
        raise ValueError("a domain must be named as virsh list shows it")
    return value


Uri = Annotated[str, Field(max_length=500), AfterValidator(_uri)]
Address = Annotated[str, AfterValidator(_address)]
Cpu = Annotated[str, Field(max_length=60), AfterValidator(_cpu)]
DomainName = Annotated[str, AfterValidator(_domain)]

_OF_ENTERED = {"uri", "domain", "address", "processors"}


class _OfDomains(Settings):
    """What machines and containers have in common."""

    containers: ClassVar[bool] = False
    places: ClassVar[Mapping[str, str]] = {}  # setting -> the place of a template that it fills

    uri: Uri | None = Field(
        default=None,
        description="of the hypervisor, as virsh takes it. Without it, that of LIBVIRT_DEFAULT_URI, else of this host",
    )
    template: str | None = Field(
        default=None,
        min_length=1,
        description="path of a file with the domain's XML, in which ${name}, ${uuid} and others are filled in. "
        "Without it, the one for the driver",
    )
    disk_image: str | None = Field(
        default=None,
        min_length=1,
        description="a disk, or a template of a container, that starts an agent automatically, where the hypervisor "
        "boots no kernel of the host: the path that ${disk_image} gets",
    )
    domain: DomainName | None = Field(
        default=None, description="name of a running domain to enter; it is not defined, started, changed or ended"
    )
    address: Address | None = Field(
        default=None,
        description="HOST:PORT where the agent in the domain answers, such as its serial port. Without it, the channel "
        "of the domain's XML",
    )

    @model_validator(mode="after")
    def _of_the_kind(self) -> Self:
        if self.uri is not None and (driver_of(self.uri) in CONTAINER_DRIVERS) != self.containers:
            other = "libvirt" if self.containers else "libvirt-lxc"
            raise ValueError(
                f"uri {self.uri} makes {'machines' if self.containers else 'containers'}: use kind {other}"
            )
        refused = self.model_fields_set - _OF_ENTERED if self.domain is not None else set()
        if refused:
            raise ValueError(f"domain {self.domain} is entered as it is: leave out {', '.join(sorted(refused))}")
        return self


class DomainSettings(_OfDomains):
    """Settings of machines that libvirt makes."""

    places: ClassVar[Mapping[str, str]] = {
        "memory": "memory_kib",
        "cpus": "cpus",
        "accelerator": "type",
        "cpu": "cpu",
        "machine": "machine",
        "guest_kernel": "kernel",
        "kernel_parameters": "kernel_parameters",
        "disk_device": "disk",
        "disk_cache": "disk",
        "disk_aio": "disk",
        "network_device": "interface",
        "disk_image": "disk_image",
    }

    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=128 << 20, le=1 << 40, multiple_of=1 << 20)] = Field(
        default=512 << 20, description="bytes of memory of the guest"
    )
    cpus: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="virtual processors. Without it, as many as processors names, or the laboratory may use",
    )
    accelerator: Literal["emulated", "kvm"] = Field(
        default="emulated", description="emulated: by QEMU alone; kvm: the processor of the host, through KVM"
    )
    cpu: Cpu | None = Field(
        default=None,
        description="model of the processor, as libvirt knows it; maximum: all that can be emulated; host: that of the "
        "host. Without it, maximum where it is emulated, else host",
    )
    machine: Literal["pc", "q35"] = Field(default="pc", description="model of the machine")
    guest_kernel: Literal["cloud", "generic"] | None = Field(
        default=None,
        description="kernel of the guest, one of Debian's: cloud, for virtual machines; generic, with all drivers. "
        "Without it, cloud where that has the drivers of the devices",
    )
    kernel_parameters: KernelParameters = Field(
        default="", description="words to add to the kernel's command line, such as mitigations=off nohz=off"
    )
    disk_device: Literal["virtio", "virtio-scsi", "sata", "ide"] = Field(
        default="virtio", description="bus of the disk; ide needs machine pc"
    )
    disk_cache: Literal["none", "directsync", "writeback", "writethrough", "unsafe"] = Field(
        default="none", description="mode of the cache of the disk"
    )
    disk_aio: Literal["threads", "native", "io_uring"] | None = Field(
        default=None,
        description="how requests to the disk file are issued; native needs disk_cache none or directsync. Without it, "
        "native where that is possible, else threads",
    )
    network_device: Literal["virtio", "e1000", "e1000e", "rtl8139"] = Field(
        default="virtio", description="device of the network, behind the emulator's address translation"
    )

    @property
    def fewest_processors(self) -> int:
        """One for each virtual processor that is asked for."""
        return self.cpus or 1

    @property
    def caches_disk(self) -> str:
        """The cache that `disk_cache` asks for."""
        return "" if self.disk_cache in DIRECT else f"has disk_cache {self.disk_cache}"

    @property
    def flavour(self) -> Flavour:
        """The kernel of the guest: the one that is asked for, or the one that the devices need."""
        generic = DISKS[self.disk_device].generic or CARDS[self.network_device][1]
        return self.guest_kernel or ("generic" if generic else "cloud")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for contradiction in self._contradictions():
            raise ValueError(contradiction)
        return self

    def _contradictions(self) -> Iterator[str]:
        if self.disk_device == "ide" and self.machine == "q35":
            yield "disk_device ide needs machine pc: q35 has the disks of sata instead"
        if self.disk_aio == "native" and self.disk_cache not in DIRECT:
            yield f"disk_aio native needs disk_cache none or directsync, and disk_cache is {self.disk_cache}"
        if self.guest_kernel == "cloud":
            without = "needs guest_kernel generic: the kernel cloud has no driver for it"
            if DISKS[self.disk_device].generic:
                yield f"disk_device {self.disk_device} {without}"
            if CARDS[self.network_device][1]:
                yield f"network_device {self.network_device} {without}"


class DomainContainerSettings(_OfDomains, ContainerSettings):
    """Settings of containers that libvirt makes."""

    containers: ClassVar[bool] = True
    no_host_root: ClassVar[str] = "the daemon does not see what is mounted for a guest"
    no_bind: ClassVar[str] = no_host_root
    places: ClassVar[Mapping[str, str]] = {
        "memory": "memory_kib",
        "cpus": "quota",
        "cpuset": "processors",
        "root": "root",
        "image_packages": "root",
        "bits": "root",
        "disk_image": "disk_image",
    }
