"""Virtual machines under QEMU: `Qemu` emulates the processor (TCG), `Kvm` runs guests on it where KVM really works.

The guest is Debian's kernel for virtual machines and an initramfs with the agent as its first process. The channel
is a virtio-serial port on a socket pair: nothing on a file system that could be left behind.
"""

from __future__ import annotations

import re
import socket
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from virtometer.environments.base import (
    Capabilities,
    Check,
    DiskTarget,
    Environment,
    NetworkPath,
    Settings,
    host_cache,
)
from virtometer.environments.cpu_parts import GUEST_TIME, Division, by_names
from virtometer.environments.firmware_check import check_accelerator, check_kernel, kvm_fault
from virtometer.environments.host_programs import fitting, refusals
from virtometer.environments.images import guest_kernel, initramfs
from virtometer.environments.process_guest import ProcessGuest
from virtometer.environments.qmp import Qmp
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.link.channel import Channel, Stream
from virtometer.model import parse_size

PORT = "org.virtometer.0"
_ANSWER_S = 20.0  # QEMU makes a machine in 0.1 s; this is for hosts that are very busy

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


VCPU_THREADS = by_names(r"(CPU \d+|ALL CPUs)/TCG", "no thread of the emulator has the name of a virtual processor")
_DIRECT = ("none", "directsync")
_RUN_IN_S = 0.006  # measured under emulation


class MachineSettings(Settings):
    """Settings of every virtual machine."""

    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=128 << 20, le=1 << 40, multiple_of=1 << 20)] = Field(
        default=512 << 20, description="bytes of memory of the guest"
    )
    cpus: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="virtual processors. Without it, as many as processors names, or the laboratory may use",
    )
    cpu: CpuModel = Field(
        default="max",
        description="model of the processor, as the option -cpu of QEMU takes it; max: all that can be emulated",
    )
    machine: Literal["pc", "q35"] = Field(default="pc", description="model of the machine")
    disk_device: Literal["virtio", "virtio-scsi", "nvme", "ide"] = Field(
        default="virtio", description="device of the disk; ide needs machine pc"
    )
    disk_cache: Literal["none", "directsync", "writeback", "writethrough", "unsafe"] = Field(
        default="none", description="mode of the cache of the disk, as in QEMU"
    )
    network_device: Literal["virtio", "vmxnet3"] = Field(default="virtio", description="device of the network")

    @property
    def fewest_processors(self) -> int:
        """One for each virtual processor that is asked for."""
        return self.cpus or 1

    @property
    def caches_disk(self) -> str:
        """The cache that `disk_cache` asks for."""
        return "" if self.disk_cache in _DIRECT else f"has disk_cache {self.disk_cache}"

    @model_validator(mode="after")
    def _drivers_exist(self) -> Self:
        if self.disk_device == "ide" and self.machine == "q35":
            raise ValueError("disk_device ide needs machine pc: the guest's kernel has no driver for the disks of q35")
        return self


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


@dataclass(frozen=True, slots=True)
class _Device:
    """A device of the machine: the drivers that it needs, its options, and where the guest finds it."""

    drivers: tuple[str, ...]
    options: tuple[str, ...]
    name: str
    path: str = ""


_DISKS = {
    "virtio": _Device(("virtio_blk",), ("virtio-blk-pci,drive=disk",), "virtio-blk", "/dev/vda"),
    "virtio-scsi": _Device(
        ("virtio_scsi", "sd_mod"),
        ("virtio-scsi-pci,id=scsi", "scsi-hd,bus=scsi.0,drive=disk"),
        "virtio-scsi",
        "/dev/sda",
    ),
    "nvme": _Device(("nvme",), ("nvme,serial=virtometer,drive=disk",), "nvme", "/dev/nvme0n1"),
    "ide": _Device(("ata_piix", "sd_mod"), ("ide-hd,drive=disk",), "ide", "/dev/sda"),
}
# Without its boot ROM a network card costs no time before the kernel starts.
_NETWORK_CARDS = {
    "virtio": _Device(("virtio_net",), ("virtio-net-pci,netdev=lan,romfile=",), "virtio-net"),
    "vmxnet3": _Device(("vmxnet3",), ("vmxnet3,netdev=lan,romfile=",), "vmxnet3"),
}


class _VirtualMachine(Environment):
    """What emulated and accelerated machines have in common."""

    program: ClassVar[str] = "qemu-system-x86_64"
    package: ClassVar[str] = "qemu-system-x86"
    kernel_parameters: ClassVar[str] = ""
    division: ClassVar[Division] = VCPU_THREADS
    machine = True
    own_memory = 128 << 20  # an idle guest of 512 MiB takes 223 MiB of the host, its own memory included
    kernel_memory = 40 << 20  # 58 to 73 MiB with the page descriptions in guests of 128 to 512 MiB

    @abstractmethod
    def accelerator(self, settings: MachineSettings) -> str:
        """The value of `-accel`."""

    def capabilities(self) -> Capabilities:
        """What a virtual machine can give: everything; without root its network is address translation by QEMU."""
        return Capabilities(
            disk=True,
            network=True,
            several_guests=True,
            cpu_limit=True,
            memory_limit=True,
            settings=tuple(self.settings_type.model_fields),
        )

    def prepare(self, settings: Settings) -> None:
        """Fetch the guest's kernel and make the initramfs."""
        self._image(self._mine(settings))

    def start(self, settings: Settings, guest_id: str) -> ProcessGuest:
        """Start a machine; returns when QEMU has made it, while its kernel boots."""
        mine = self._mine(settings)
        qemu = self.program_file()
        kernel, image = self._image(mine)
        parameters = f"console=ttyS0 quiet panic=-1 {self.kernel_parameters} virtometer.channel=virtio:{PORT}"
        with ProcessGuest.starting(self.lab, guest_id, mine) as guest, ExitStack() as until_launched:
            guest.divide_cpu(self.division)
            guest.refused_programs = refusals(fitting(self.lab.host_programs, mine.memory))
            guest.stream, agent_end = _socket_pair(until_launched)
            monitor, monitor_end = _socket_pair(until_launched)
            guest.on_stop(monitor.close)
            network_argv = self._network(mine, guest)
            argv = [
                qemu, "-accel", self.accelerator(mine), "-machine", mine.machine, "-cpu", mine.cpu,
                "-smp", str(self._cpus(mine)), "-m", f"{mine.memory >> 20}M",
                "-name", "debug-threads=on", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-kernel", kernel, "-initrd", image, "-append", " ".join(parameters.split()),
                "-chardev", "stdio,id=console,signal=off", "-device", "isa-serial,chardev=console",
                "-chardev", f"socket,id=agent,fd={agent_end}", "-device", "virtio-serial-pci",
                "-device", f"virtserialport,chardev=agent,name={PORT}",
                "-chardev", f"socket,id=monitor,fd={monitor_end}", "-mon", "chardev=monitor,mode=control",
                *self.clock_options(mine), *self._disk(mine, guest), *network_argv,
            ]  # fmt: skip
            guest.launch(
                argv,
                purpose=f"guest {guest_id}",
                stream=guest.stream,
                pass_fds=(agent_end, monitor_end),
                namespace=guest.network.namespace if guest.network else None,
            )
            until_launched.close()
            guest.run_in_s = _RUN_IN_S
            guest.effective |= {"kernel_command_line": " ".join(parameters.split())}
            try:
                guest.effective |= _ask(Qmp(Channel(monitor)))
            except EnvironmentFailed as cause:
                raise self._explained(cause, guest.stderr_tail(), qemu) from cause
        return guest

    def clock_options(self, settings: MachineSettings) -> list[str]:
        """Options that decide what the guest's clock follows; by default the host's."""
        return []

    def _mine(self, settings: Settings) -> MachineSettings:
        if not isinstance(settings, self.settings_type) or not isinstance(settings, MachineSettings):
            raise UsageError(f"{type(settings).__name__} are not settings of {self.kind}")
        return settings

    def _cpus(self, settings: MachineSettings) -> int:
        given = settings.processors
        return settings.cpus or min(len(given if isinstance(given, tuple) else self.lab.processors), 64)

    def _image(self, settings: MachineSettings) -> tuple[Path, Path]:
        kernel = guest_kernel(self.lab.cache, self.lab.programs)
        drivers = ["virtio_pci", "virtio_console"]
        drivers += _DISKS[settings.disk_device].drivers
        drivers += _NETWORK_CARDS[settings.network_device].drivers
        carried = fitting(self.lab.host_programs, settings.memory)
        return kernel.image, initramfs(self.lab, kernel.modules(drivers), carried)

    def _disk(self, settings: MachineSettings, guest: ProcessGuest) -> list[str]:
        """Options for the disk; notes where the guest finds it and whether the host's page cache stands before it."""
        file = self.lab.disk_file
        if file is None:
            return []
        device = _DISKS[settings.disk_device]
        conditions = {"disk_path": device.name}
        cache = settings.disk_cache
        direct = host_cache(file)
        if cache in _DIRECT and direct["host_cache"] == "yes":
            if "disk_cache" in settings.model_fields_set:
                raise EnvironmentFailed(
                    f"disk_cache {cache} needs O_DIRECT, which the file system of {file} refuses",
                    advice="use disk_cache writeback, or put the campaign on another file system",
                )
            cache = "writeback"
        conditions |= direct if direct["host_cache"] == "yes" or cache in _DIRECT else {"host_cache": "yes"}
        guest.disk = DiskTarget(device.path, conditions)
        aio = "native" if cache in _DIRECT else "threads"
        name = str(file).replace(",", ",,")
        # Unlocked: several guests may use the file at once, and whatever any of them writes is what was there.
        options = ["-drive", f"if=none,id=disk,format=raw,file={name},file.locking=off,cache={cache},aio={aio}"]
        for one in device.options:
            options += ["-device", one]
        return options

    def _network(self, settings: MachineSettings, guest: ProcessGuest) -> list[str]:
        """Options for the network: a tap on the laboratory's bridge, or QEMU's own address translation without root."""
        lan = self.lab.lan
        device = _NETWORK_CARDS[settings.network_device].options[0]
        if lan.unavailable():
            guest.network = NetworkPath("slirp", "127.0.0.1", "10.0.2.2", None, "eth0", "10.0.2.15", 24)
            return ["-netdev", "user,id=lan", "-device", device]
        guest.on_stop(lambda: lan.detach(guest.guest_id))
        tap, guest.network = lan.attach_tap(guest.guest_id)
        number = int(guest.network.guest_address.rpartition(".")[2])
        backend = f"tap,id=lan,ifname={tap},script=no,downscript=no,vhost=off"
        return ["-netdev", backend, "-device", f"{device},mac=52:54:00:4d:00:{number:02x}"]

    def _explained(self, cause: EnvironmentFailed, words: str, qemu: Path) -> EnvironmentFailed:
        """Put QEMU's own words into the sentence, and what is allowed beside them where it refuses a processor."""
        last = words.splitlines()[-1].removeprefix(f"{qemu}: ").removeprefix("qemu-system-x86_64: ") if words else ""
        advice = ""
        if "CPU model" in last:
            listed = self.lab.programs.run([qemu, "-cpu", "help"], purpose="list processors").stdout.decode()
            models = [line.split()[1] for line in listed.splitlines() if line.startswith("x86 ")]
            advice = f"allowed are {', '.join(models)}"
        return EnvironmentFailed(f"{cause.sentence}: {last}" if last else cause.sentence, advice=advice)


class Qemu(_VirtualMachine):
    """A machine whose processor is emulated."""

    kind = "qemu"
    title = "QEMU (emulated)"
    meaning = "a virtual machine whose processor QEMU emulates"
    usual_start_s = 5.8
    usual_overhead_s = 0.8
    settings_type = QemuSettings
    # The emulated timers cannot be calibrated against each other on a busy host; without these some boots hang.
    kernel_parameters = "tsc=reliable no_timer_check"

    def accelerator(self, settings: MachineSettings) -> str:
        """TCG, with a thread for each virtual processor unless another is requested."""
        return f"tcg,thread={settings.tcg_thread}" if isinstance(settings, QemuSettings) else "tcg"

    def clock_options(self, settings: MachineSettings) -> list[str]:
        """Let the clock count instructions where that is requested."""
        return ["-icount", settings.icount] if isinstance(settings, QemuSettings) and settings.icount else []

    def check(self) -> Check:
        """Run a program of 16 bytes on an emulated machine."""
        return check_kernel(self.lab, check_accelerator(self.lab, "tcg", "max"))


class Kvm(_VirtualMachine):
    """A machine that runs on the host's processor, through KVM."""

    kind = "kvm"
    title = "KVM"
    meaning = "a virtual machine of QEMU with the processor of the host, through KVM"
    usual_start_s = 2.0
    usual_overhead_s = 0.3
    settings_type = KvmSettings
    division = GUEST_TIME

    def accelerator(self, settings: MachineSettings) -> str:
        """KVM."""
        return "kvm"

    def check(self) -> Check:
        """Time a loop in a guest's kernel mode, then run a program of 16 bytes on a machine."""
        fault = kvm_fault(self.lab)
        return fault or check_kernel(self.lab, check_accelerator(self.lab, "kvm", "host"))


def _socket_pair(until_launched: ExitStack) -> tuple[Stream, int]:
    """Give our end as a stream, and the descriptor of QEMU's end, which is closed when QEMU has it."""
    ours, theirs = socket.socketpair()
    until_launched.callback(theirs.close)
    fd = ours.detach()
    return Stream(fd, fd), theirs.fileno()


def _ask(qmp: Qmp) -> dict[str, Any]:
    """Ask QEMU what it really made."""
    qmp.greet(_ANSWER_S)
    cpus: Sequence[dict[str, Any]] = qmp.execute("query-cpus-fast", _ANSWER_S)
    processor = qmp.execute("qom-get", _ANSWER_S, path=cpus[0]["qom-path"], property="type")
    effective: dict[str, Any] = {
        "qemu": qmp.version,
        "accelerator": "kvm" if qmp.execute("query-kvm", _ANSWER_S)["enabled"] else "tcg",
        "machine": qmp.execute("qom-get", _ANSWER_S, path="/machine", property="type"),
        "cpus": len(cpus),
        "cpu": str(processor).removesuffix("-x86_64-cpu"),
        "memory_bytes": qmp.execute("query-memory-size-summary", _ANSWER_S)["base-memory"],
    }
    for block in qmp.execute("query-block", _ANSWER_S):
        if inserted := block.get("inserted"):
            effective["disk_cache"] = inserted["cache"]
            effective["disk_bytes"] = inserted["image"]["virtual-size"]
    return effective
