"""Virtual machines under QEMU: `Qemu` emulates the processor (TCG), `Kvm` runs guests on it where KVM really works.

The guest is a kernel of Debian's and an initramfs with the agent as its first process. The channel is a virtio-serial
port on a socket pair: nothing on a file system that could be left behind. Which settings this QEMU and this host refuse
is known before a campaign starts: a machine with them is made, and ended before its first instruction.
"""

from __future__ import annotations

import dataclasses
import os
import socket
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

from virtometer.environments.base import (
    Check,
    DiskTarget,
    Environment,
    Guest,
    NetworkPath,
    Settings,
    host_cache,
)
from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.environments.images.machines import guest_kernel, initramfs
from virtometer.environments.kinds.qemu.backing import LOOP, as_block_device, served, target
from virtometer.environments.kinds.qemu.devices import CARDS, DISKS, ROOT_SERIAL, card_device, disk_devices, root_disk
from virtometer.environments.kinds.qemu.facts import ask
from virtometer.environments.kinds.qemu.host_files import (
    DRIVERS,
    TAG,
    check_host_files,
    host_device,
    require_host_files,
    served_files,
)
from virtometer.environments.kinds.qemu.qmp import Qmp
from virtometer.environments.kinds.qemu.relay import relayed
from virtometer.environments.kinds.qemu.settings import KvmSettings, MachineSettings, QemuSettings
from virtometer.environments.kinds.qemu.tsc_rate import tsc_khz
from virtometer.environments.parts.disk_cache import disk_cache
from virtometer.environments.parts.firmware_check import check_accelerator, kvm_fault
from virtometer.environments.parts.formatted_disk import DIRECTORY, formatted_disk, mounted_file
from virtometer.environments.parts.kernel_check import check_kernel
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.host.cpu.parts import GUEST_TIME, Division, by_names
from virtometer.host.programs import HostProgram, fitting, of_bits, refusals
from virtometer.link.channel import Channel, Stream

__all__ = ["Kvm", "KvmSettings", "MachineSettings", "Qemu", "QemuSettings"]

PORT = "org.virtometer.0"
VCPU_THREADS = by_names(r"(CPU \d+|ALL CPUs)/TCG", "no thread of the emulator has the name of a virtual processor")
_WARM_UP_S = 0.006  # measured under emulation
_TRIED_BYTES = 1 << 20


class _VirtualMachine(Environment):
    """What emulated and accelerated machines have in common."""

    program: ClassVar[str] = "qemu-system-x86_64"
    package: ClassVar[str] = "qemu-system-x86"
    kernel_parameters: ClassVar[str] = ""
    division: ClassVar[Division] = VCPU_THREADS
    machine = True
    resources = (LOOP,)
    own_memory = 128 << 20  # an idle guest of 512 MiB takes 223 MiB of the host, its own memory included
    kernel_memory = 40 << 20  # 58 to 73 MiB with the page descriptions in guests of 128 to 512 MiB

    @abstractmethod
    def accelerator(self, settings: MachineSettings) -> str:
        """The value of `-accel`."""

    def prepare(self, settings: Settings) -> None:
        """Fetch the guest's kernel, make the initramfs, and see whether QEMU makes a machine with these settings.

        Raises EnvironmentFailed with QEMU's reason where it does not.
        """
        mine = self._mine(settings)
        if mine.root == "host":
            device = host_device(mmio=mine.machine == "microvm")
            require_host_files(self.lab.programs, self.program_file(), device)
        self._image(mine)
        if mine != self.settings_type():  # the kind's check has made a machine with the defaults
            self._try(mine)

    def _try(self, settings: MachineSettings) -> None:
        """Make a machine that never runs, with a small disk, and end it."""
        small = self.lab.scratch / f"tried-{os.getpid()}.img"
        try:
            small.write_bytes(bytes(_TRIED_BYTES))
            # Without a disk of the campaign this is another file system than the one that will be measured.
            elsewhere = self.lab.disk_file is None and host_cache(small)["host_cache"] == "yes"
            lab = dataclasses.replace(self.lab, disk_file=None if elsewhere else small, room=None)
            guest = type(self)(lab).start_machine(settings, f"try-{self.kind}-{os.getpid()}", runs=False)
            guest.grace_s = 0.0
            guest.stop()
        except OSError as cause:
            raise EnvironmentFailed(f"no machine can be tried in {self.lab.scratch}: {cause.strerror}") from cause
        finally:
            small.unlink(missing_ok=True)

    def start(self, settings: Settings, guest_id: str) -> ProcessGuest:
        """Start a machine; returns when QEMU has made it, while its kernel boots."""
        return self.start_machine(self._mine(settings), guest_id)

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """None."""
        return NoEntry("has no channel for programs of the host but that of the agent")

    def start_machine(self, mine: MachineSettings, guest_id: str, *, runs: bool = True) -> ProcessGuest:
        """Start a machine, or have QEMU make one that does not run. Raises EnvironmentFailed with QEMU's reason."""
        qemu = self.program_file()
        kernel, image = self._image(mine)
        mmio = mine.machine == "microvm"
        bus = "device" if mmio else "pci"
        with ProcessGuest.starting(self.lab, guest_id, mine) as guest, ExitStack() as until_launched:
            guest.divide_cpu(self.division)
            guest.refused_programs = refusals(self._carried(mine))
            debian = mine.note_root(guest)
            guest.stream, agent_end = _socket_pair(until_launched)
            monitor, monitor_end = _socket_pair(until_launched)
            guest.on_stop(monitor.close)
            before, disk_argv = self._disk(mine, guest)
            if debian is not None:
                in_qcow2 = mine.disk_format == "qcow2"
                made = debian.as_qcow2 if in_qcow2 else debian.as_ext4
                root = made(self.lab.journal, self.lab.programs)
                disk_argv = [*disk_argv, *root_disk(str(root), mine.disk_format, mmio=mmio)]
            if mine.root == "host":
                mounts, served_argv = served_files(guest, mmio=mmio)
                before, disk_argv = [*mounts, *before], [*disk_argv, *served_argv]
            relay, network_argv = self._network(mine, guest)
            parameters = " ".join(self._parameters(mine, guest).split())
            argv: list[str | Path] = [
                *before, *relay, qemu, "-accel", self.accelerator(mine), *self._board(mine), "-cpu", mine.cpu,
                "-smp", self._processors(mine), "-m", f"{mine.memory >> 20}M",
                "-name", "debug-threads=on", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-kernel", kernel, "-initrd", image, "-append", parameters,
                "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
                "-chardev", f"socket,id=agent,fd={agent_end}", "-device", f"virtio-serial-{bus}",
                "-device", f"virtserialport,chardev=agent,name={PORT}",
                "-chardev", f"socket,id=monitor,fd={monitor_end}", "-mon", "chardev=monitor,mode=control",
                *self.clock_options(mine), *disk_argv, *network_argv, *([] if runs else ["-S"]),
            ]  # fmt: skip
            guest.launch(
                argv,
                purpose=f"guest {guest_id}",
                stream=guest.stream,
                pass_fds=(agent_end, monitor_end),
                namespace=guest.network.namespace if guest.network else None,
            )
            until_launched.close()
            guest.warm_up_s = _WARM_UP_S
            guest.effective |= {"kernel_command_line": parameters, "guest_kernel": mine.flavour}
            try:
                guest.effective |= ask(Qmp(Channel(monitor)))
                guest.effective |= self.clock_facts(mine, guest.effective)
            except EnvironmentFailed as cause:
                raise self._explained(cause, guest.stderr_tail(), qemu) from cause
        return guest

    def clock_options(self, settings: MachineSettings) -> list[str]:
        """Options that decide what the guest's clock follows; by default the host's."""
        return []

    def clock_facts(self, settings: MachineSettings, effective: Mapping[str, Any]) -> dict[str, str]:
        """How the clock counts, of which QEMU says only whether it does; `effective` is what it says."""
        return {}

    def _checked(self, check: Check) -> Check:
        """What a check that went well says beside: the kernel of guests, and whether they can have the host's files."""
        with_kernel = check_kernel(self.lab, check)
        return (
            check_host_files(self.lab.programs, self.program_file(), with_kernel) if with_kernel.works else with_kernel
        )

    def _mine(self, settings: Settings) -> MachineSettings:
        if not isinstance(settings, self.settings_type) or not isinstance(settings, MachineSettings):
            raise UsageError(f"{type(settings).__name__} are not settings of {self.kind}")
        return settings

    def _board(self, settings: MachineSettings) -> list[str]:
        """Options for the model of the machine and its memory."""
        machine = "microvm,rtc=on" if settings.machine == "microvm" else settings.machine
        if not settings.huge_pages:
            return ["-machine", machine]
        memory = f"memory-backend-memfd,id=ram,size={settings.memory},hugetlb=on"
        return ["-object", memory, "-machine", f"{machine},memory-backend=ram"]

    def _processors(self, settings: MachineSettings) -> str:
        """The value of `-smp`."""
        given = settings.processors
        usable = len(given if isinstance(given, tuple) else self.lab.processors)
        count = settings.vcpus or min(usable, 64)
        if not settings.has_topology:
            return str(count)
        parts = {"sockets": settings.sockets, "cores": settings.cores, "threads": settings.threads}
        return f"{count}," + ",".join(f"{name}={part or 1}" for name, part in parts.items())

    def _parameters(self, settings: MachineSettings, guest: ProcessGuest) -> str:
        """The kernel's command line. What the plan adds comes after what is usual here, and may undo it."""
        words = f"console=ttyS0 quiet panic=-1 {self.kernel_parameters}"
        if settings.machine == "microvm":
            words += " pci=off"
            # It has no timer by which its kernel could calibrate this.
            if self.kernel_parameters and (rate := tsc_khz()) is not None:
                words += f" tsc_early_khz={rate}"
        words += f" {settings.kernel_parameters} virtometer.channel=virtio:{PORT}"
        if settings.root == "host":
            words += f" virtometer.root=9p:{TAG}"
        elif settings.root != "agent":  # images of containers expect that they can be written
            words += f" virtometer.root={'layered:' if settings.of_containers else ''}serial:{ROOT_SERIAL}"
        if guest.disk is not None and not guest.disk.path.startswith("/dev/"):
            words += f" virtometer.mount={DISKS[settings.disk_device].path}:{DIRECTORY}"
        return words

    def _image(self, settings: MachineSettings) -> tuple[Path, Path]:
        kernel = guest_kernel(self.lab.cache, self.lab.journal, self.lab.programs, settings.flavour)
        drivers = ["virtio_mmio" if settings.machine == "microvm" else "virtio_pci", "virtio_console"]
        drivers += DISKS[settings.disk_device].drivers
        drivers += CARDS[settings.network_device].drivers
        debian = settings.image(self.lab)
        if debian is not None:
            made = debian.as_qcow2 if settings.disk_format == "qcow2" else debian.as_ext4
            made(self.lab.journal, self.lab.programs)
            drivers += ["virtio_blk"]
        if self.lab.room is not None or debian is not None:
            drivers += ["crc32c_generic", "ext4"]
        if settings.root == "host":
            drivers += DRIVERS
        elif settings.of_containers:
            drivers.append("overlay")
        return kernel.image, initramfs(
            self.lab, kernel.modules(drivers), self._carried(settings), settings.agent(self.lab)
        )

    def _carried(self, settings: MachineSettings) -> tuple[HostProgram, ...]:
        """The programs of the host that workloads run, and those that a guest cannot have, with the reason.

        None where guests have an image with programs of its own.
        """
        if settings.root != "agent":
            return ()
        return fitting(of_bits(self.lab.host_programs, settings.bits), settings.memory)

    def _disk(self, settings: MachineSettings, guest: ProcessGuest) -> tuple[list[str | Path], list[str]]:
        """Words before QEMU's own and options for the disk.

        Notes where the guest finds it and whether the host's page cache stands before it.
        """
        file = self.lab.disk_file
        if file is None:
            return [], []
        device = DISKS[settings.disk_device]
        way, path = device.name, device.path
        directory = guest.directory
        if self.lab.room is not None or settings.disk_format != "raw" or settings.disk_backing == "nbd":
            directory = guest.make_directory()
        if self.lab.room is not None:
            way, path = f"ext4 on {way}", mounted_file(self.lab)
            file = formatted_disk(self.lab, directory)
        if settings.disk_format == "qcow2":
            file = self._as_qcow2(file, directory)
        asked = "disk_cache" in settings.model_fields_set
        cache = disk_cache(file, settings.disk_cache, asked=asked)
        aio = settings.disk_aio or ("native" if cache.direct else "threads")
        conditions = cache.conditions
        before: list[str | Path] = []
        name, form = str(file).replace(",", ",,"), settings.disk_format
        # Unlocked: several guests may use the file at once, and whatever any of them writes is what was there.
        how = f"file.locking=off,aio={aio}"
        match settings.disk_backing:
            case "block":
                node, past_cache = as_block_device(guest, file, direct=cache.direct)
                way, name = f"{way} on a block device", str(node)
                if cache.direct and not past_cache:
                    conditions = {"host_cache": "yes", "host_cache_reason": "the block device refuses O_DIRECT"}
            case "nbd":
                before, name = served(guest, directory, file, form, cache.mode, aio)
                way, form, how = f"{way} over NBD", "raw", ""
            case "iscsi":
                before, name = target(guest, file, direct=cache.direct)
                way, how = f"{way} over iSCSI", ""
        guest.disk = DiskTarget(path, {"disk_path": way, **conditions}, file)
        guest.effective["disk_backing"] = settings.disk_backing
        if settings.disk_backing != "iscsi":  # QEMU's client has a way of its own
            guest.effective |= {"disk_aio": aio, "disk_aio_reason": "as asked: QEMU does not report it"}
        drive = f"if=none,id=disk,format={form},file={name},cache={cache.mode}{',' if how else ''}{how}"
        return before, [
            "-drive",
            drive,
            *disk_devices(
                settings.disk_device,
                mmio=settings.machine == "microvm",
                iothread=settings.disk_iothread,
                queues=settings.disk_queues,
            ),
        ]

    def _as_qcow2(self, file: Path, directory: Path) -> Path:
        """A copy of an image in this format, of which all clusters exist."""
        converter = self.lab.programs.find("qemu-img", "qemu-utils")
        image = directory / "disk.qcow2"
        argv: list[str | Path] = [converter, "convert", "-S", "0", "-f", "raw", "-O", "qcow2", file, image]
        self.lab.programs.run(argv, purpose="make an image in the format qcow2", limit_s=600)
        with image.open("rb") as made:
            os.fsync(made.fileno())
        return image

    def _network(self, settings: MachineSettings, guest: ProcessGuest) -> tuple[list[str | Path], list[str]]:
        """Words before QEMU's own and options for the network.

        It is a tap on the laboratory's bridge, a socket with a relay to one, or QEMU's own address translation.
        """
        lan, mmio = self.lab.lan, settings.machine == "microvm"
        queues, offloads = settings.network_queues, settings.network_offloads
        reason = lan.unavailable()
        if reason and (settings.network_backend in ("tap", "socket") or queues > 1):
            what = settings.network_backend or "tap"
            raise EnvironmentFailed(f"network_backend {what} cannot be had: {reason}", advice=lan.advice())
        if reason or settings.network_backend == "user":
            guest.network = NetworkPath("slirp", "127.0.0.1", "10.0.2.2", None, "eth0", "10.0.2.15", 24)
            card = card_device(settings.network_device, mmio=mmio, queues=1, offloads=offloads)
            return [], ["-netdev", "user,id=lan", *card]
        directory = guest.make_directory() if settings.network_backend == "socket" else guest.directory
        guest.on_stop(lambda: lan.detach(guest.guest_id))
        tap, guest.network = lan.attach_tap(guest.guest_id, queues)
        number = int(guest.network.guest_address.rpartition(".")[2])
        relay: list[str | Path] = []
        if settings.network_backend == "socket":
            relay, backend = relayed(guest, directory, tap)
        else:
            backend = f"tap,id=lan,ifname={tap},script=no,downscript=no,vhost=off"
            backend += f",queues={queues}" if queues > 1 else ""
        mac = f"52:54:00:4d:00:{number:02x}"
        card = card_device(settings.network_device, mmio=mmio, queues=queues, offloads=offloads, mac=mac)
        return relay, ["-netdev", backend, *card]

    def _explained(self, cause: EnvironmentFailed, words: str, qemu: Path) -> EnvironmentFailed:
        """Put QEMU's own words into the sentence, and what is allowed beside them where it refuses a processor."""
        last = words.splitlines()[-1].removeprefix(f"{qemu}: ").removeprefix("qemu-system-x86_64: ") if words else ""
        advice = ""
        if "CPU model" in last:
            listed = self.lab.programs.run([qemu, "-cpu", "help"], purpose="list processors", whole=True)
            lines = listed.stdout.decode().splitlines()
            models = [line.split()[1] for line in lines if line.startswith("x86 ")]
            advice = f"allowed are {', '.join(models)}"
        if "Unknown protocol 'iscsi'" in last:
            advice = "install the Debian package qemu-block-extra"
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

    def clock_facts(self, settings: MachineSettings, effective: Mapping[str, Any]) -> dict[str, str]:
        """The words of -icount in the place of on. Where QEMU does not say whether it counts, they hold."""
        given = self.clock_options(settings)[1:]
        return {"icount": given[0]} if given and effective.get("icount", "on") == "on" else {}

    def check(self) -> Check:
        """Run a program of 16 bytes on an emulated machine."""
        return self._checked(check_accelerator(self.lab, "tcg", "max"))


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
        return fault or self._checked(check_accelerator(self.lab, "kvm", "host"))


def _socket_pair(until_launched: ExitStack) -> tuple[Stream, int]:
    """Give our end as a stream, and the descriptor of QEMU's end, which is closed when QEMU has it."""
    ours, theirs = socket.socketpair()
    until_launched.callback(theirs.close)
    fd = ours.detach()
    return Stream(fd, fd), theirs.fileno()
