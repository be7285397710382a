"""Guests of hypervisors that libvirt reaches: `Libvirt` makes machines, `LibvirtContainer` containers.

Those of qemu, lxc and xen are run by tests. Templates of other drivers are checked by libvirt's schemas alone.
A domain is defined from a template, started, entered, destroyed and undefined, all by virsh. Its processes are children
of libvirt's daemon: guest.py says what is known of them. A domain that exists and runs can be entered instead;
its definition is read and never written.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit
from xml.etree import ElementTree

from virtometer.environments.base import (
    Check,
    DiskTarget,
    Namespace,
    NetworkPath,
    Settings,
    disk_as_file,
)
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.images.machines import guest_kernel, initramfs
from virtometer.environments.kinds.libvirt import domain_xml
from virtometer.environments.kinds.libvirt.domain_xml import CARDS, DISKS, Way
from virtometer.environments.kinds.libvirt.entered import (
    BOOTS_KERNEL,
    BY_IMAGE,
    OfLibvirt,
    no_channel,
    on_host,
    require_host,
    require_image,
)
from virtometer.environments.kinds.libvirt.guest import DomainGuest, connected
from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings
from virtometer.environments.kinds.libvirt.template_check import AnySettings, checked_template
from virtometer.environments.kinds.libvirt.virsh import Connection, kill_domain, process_of
from virtometer.environments.parts.disk_cache import disk_cache
from virtometer.environments.parts.firmware_check import kvm_fault
from virtometer.environments.parts.formatted_disk import DIRECTORY as MOUNTED
from virtometer.environments.parts.formatted_disk import formatted_disk, mounted_file
from virtometer.environments.parts.kernel_check import check_kernel
from virtometer.environments.parts.limits import no_limits, require_limits
from virtometer.errors import EnvironmentFailed, UsageError
from virtometer.host.cpu.parts import GUEST_TIME, by_names
from virtometer.host.cpu.processors import processor_list
from virtometer.host.network.lan import NAMESPACES
from virtometer.host.owned.directories import DIRECTORY, remove_directory
from virtometer.host.programs import fitting, refusals
from virtometer.link.channel import Stream

_VCPU_THREADS = by_names(r"(CPU \d+|ALL CPUs)/(TCG|KVM)", "no thread of the emulator has the name of a processor")
_WARM_UP_S = 0.006  # measured under emulation


class Libvirt(OfLibvirt):
    """Machines: of QEMU on this host, and of other hypervisors by templates."""

    kind: ClassVar[str] = "libvirt"
    title: ClassVar[str] = "libvirt (machine)"
    meaning: ClassVar[str] = (
        "a virtual machine that libvirt makes or enters, of QEMU or Xen. Templates for esx, vbox, hyperv and vz follow "
        "libvirt's schemas, and were never run"
    )
    usual_start_s: ClassVar[float] = 6.5
    usual_overhead_s: ClassVar[float] = 0.8
    settings_type: ClassVar[type[Settings]] = DomainSettings
    default_driver: ClassVar[str] = "qemu"
    machine: ClassVar[bool] = True
    own_memory: ClassVar[int] = 128 << 20
    kernel_memory: ClassVar[int] = 40 << 20

    def check(self) -> Check:
        """Define and start a machine that is paused before its first instruction."""
        return self.check_with(DomainSettings())

    def check_with(self, settings: Settings) -> Check:
        """As `check`; of another host, of an image, of a template, or of a domain: whether libvirt answers."""
        mine = self._mine(settings)
        if not self.makes_guests(mine):
            return self.check_answer(mine)
        return check_kernel(self.lab, self.check_domain(mine, f"check-{self.kind}-{os.getpid()}"))

    def prepare(self, settings: Settings) -> None:
        """Fetch the guest's kernel and see whether libvirt starts a machine with these settings.

        Raises EnvironmentFailed where it does not, or where no agent could be reached.
        """
        mine = self._mine(settings)
        connection = self.connection(mine)
        if mine.domain is not None:
            self.running(connection, mine)
            return
        if connection.driver in BY_IMAGE:
            require_image(connection, mine)
        elif connection.driver in BOOTS_KERNEL:
            require_host(connection, mine)
        way = domain_xml.planned_way(checked_template(connection.driver, mine))
        if mine.address is None:
            if way is None:
                raise no_channel(f"that the template {mine.template or f'of the driver {connection.driver}'} makes")
            on_host(way, connection.uri)
        if connection.driver in BOOTS_KERNEL:
            self._require_kvm(connection, mine)
            self.boot_files(mine)
            # The check of the kind has started one with the defaults.
            if connection.driver == "qemu" and mine != DomainSettings():
                self.try_start(mine, f"try-{self.kind}-{os.getpid()}")

    def start(self, settings: Settings, guest_id: str) -> DomainGuest:
        """Define and start a machine, or enter one that runs. Raises EnvironmentFailed with libvirt's reason."""
        mine = self._mine(settings)
        connection = self.connection(mine)
        with DomainGuest.starting(self.lab, guest_id, mine) as guest:
            guest.divide_cpu(GUEST_TIME if mine.accelerator == "kvm" else _VCPU_THREADS)
            guest.warm_up_s = _WARM_UP_S
            if mine.domain is not None:
                guest.grace_s = 0.0  # it does not end
                self.entered(guest, connection, mine)
                return guest
            root = self._started(guest, connection, mine)
            way = Way("tcp", mine.address) if mine.address else domain_xml.way_in(root)
            if way is None:
                raise no_channel(str(root.findtext("name")))
            guest.stream = connected(on_host(way, connection.uri))
        return guest

    def try_start(self, settings: AnySettings, guest_id: str) -> None:
        """Start a machine that never runs, and remove it."""
        assert isinstance(settings, DomainSettings)
        connection = self.connection(settings)
        with DomainGuest.starting(self.lab, guest_id, settings) as guest:
            guest.grace_s = 0.0
            self._started(guest, connection, settings, paused=True)
        guest.stop()

    def _started(
        self, guest: DomainGuest, connection: Connection, settings: DomainSettings, *, paused: bool = False
    ) -> ElementTree.Element:
        with self.defining(guest, connection) as words:
            words |= {
                "memory_kib": str(settings.memory >> 10),
                "cpus": str(self._cpus(settings)),
                "disk_image": settings.disk_image or "",
            }
            host, _, port = (settings.address or f"{urlsplit(connection.uri).hostname or ''}:5000").rpartition(":")
            words |= {"serial_host": host, "serial_port": port}
            elements: dict[str, str] = {}
            if connection.driver in BY_IMAGE:
                require_image(connection, settings)
            elif connection.driver in BOOTS_KERNEL:
                self._fill_in(guest, connection, settings, words, elements, paused=paused)
            options = ["--paused"] if paused else []
            return self.define(guest, connection, settings, words, elements, start=options)

    def _fill_in(
        self,
        guest: DomainGuest,
        connection: Connection,
        settings: DomainSettings,
        words: dict[str, str],
        elements: dict[str, str],
        *,
        paused: bool,
    ) -> None:
        """What only hypervisors have that boot a kernel of the host."""
        directory = self._directory(guest)
        if connection.driver == "qemu":
            host_programs = fitting(self.lab.host_programs, settings.memory)
            guest.refused_programs = refusals(host_programs)
            elements["disk"] = "" if paused and self.lab.disk_file is None else self._disk(guest, settings)
            elements["interface"] = domain_xml.card_element(settings.network_device)
            elements["cpu"] = domain_xml.cpu_element(
                settings.cpu or ("host" if settings.accelerator == "kvm" else "maximum")
            )
            models = connection.security_models()
            elements["labels"] = domain_xml.labels(models, os.geteuid(), os.getegid())
            guest.console = directory / "console"
            words |= {
                "type": "kvm" if settings.accelerator == "kvm" else "qemu",
                "machine": settings.machine,
                "console": str(guest.console),
                "channel": str(directory / "agent"),
            }
            guest.network = NetworkPath("slirp", "127.0.0.1", "10.0.2.2", None, "eth0", "10.0.2.15", 24)
        kernel, image = self.boot_files(settings)
        parameters = self._parameters(connection, settings, guest)
        words |= {"kernel": str(kernel), "initramfs": str(image), "kernel_parameters": parameters}
        guest.effective |= {"kernel_command_line": parameters, "guest_kernel": settings.flavour}

    def _directory(self, guest: DomainGuest) -> Path:
        """A directory for sockets and the console. Its path is short: the name of a socket has 107 bytes at most."""
        directory = Path(tempfile.gettempdir()) / f"virtometer-{guest.guest_id}-{secrets.token_hex(4)}"
        self.lab.journal.record(guest.guest_id, DIRECTORY, path=str(directory))
        directory.mkdir(mode=0o700)
        guest.on_stop(lambda: remove_directory(directory))
        return directory

    def _require_kvm(self, connection: Connection, settings: DomainSettings) -> None:
        """Raise EnvironmentFailed where KVM of this host is asked for and runs no guest at a reasonable speed."""
        if settings.accelerator == "kvm" and connection.driver == "qemu" and connection.local:
            fault = kvm_fault(self.lab)
            if fault is not None:
                raise EnvironmentFailed(
                    f"accelerator kvm cannot be used: {fault.reason}",
                    advice="use accelerator emulated, or see what KVM needs here: virtometer doctor kvm",
                )

    def _mine(self, settings: Settings) -> DomainSettings:
        if not isinstance(settings, DomainSettings):
            raise UsageError(f"{type(settings).__name__} are not settings of {self.kind}")
        return settings

    def _cpus(self, settings: DomainSettings) -> int:
        given = settings.processors
        return settings.cpus or min(len(given if isinstance(given, tuple) else self.lab.processors), 64)

    def _parameters(self, connection: Connection, settings: DomainSettings, guest: DomainGuest) -> str:
        """The kernel's command line. What the plan adds comes after what is usual here."""
        if connection.driver == "xen":
            return f"console=hvc0 quiet panic=-1 {settings.kernel_parameters} virtometer.channel=hvc:/dev/hvc0"
        # Emulated timers cannot be calibrated against each other on a busy host; without these some boots hang.
        words = "console=ttyS0 quiet panic=-1"
        words += " tsc=reliable no_timer_check" if settings.accelerator == "emulated" else ""
        words += f" {settings.kernel_parameters} virtometer.channel=virtio:{domain_xml.PORT}"
        if guest.disk is not None and not guest.disk.path.startswith("/dev/"):
            words += f" virtometer.mount={DISKS[settings.disk_device].path}:{MOUNTED}"
        return " ".join(words.split())

    def boot_files(self, settings: DomainSettings) -> tuple[Path, Path]:
        """The kernel and the initramfs of a machine with these settings."""
        kernel = guest_kernel(self.lab.cache, self.lab.journal, self.lab.programs, settings.flavour)
        drivers = ["virtio_pci", "virtio_console", *DISKS[settings.disk_device].drivers]
        drivers.append(CARDS[settings.network_device][0])
        if self.lab.room is not None:
            drivers += ["crc32c_generic", "ext4"]
        return kernel.image, initramfs(
            self.lab, kernel.modules(drivers), fitting(self.lab.host_programs, settings.memory)
        )

    def _disk(self, guest: DomainGuest, settings: DomainSettings) -> str:
        """The element of the disk. Notes where the guest finds it and whether the host's cache stands before it."""
        file = self.lab.disk_file
        if file is None:
            return ""
        disk = DISKS[settings.disk_device]
        way, path = str(settings.disk_device), disk.path
        way = "virtio-blk" if way == "virtio" else way
        if self.lab.room is not None:
            way, path = f"ext4 on {way}", mounted_file(self.lab)
            file = formatted_disk(self.lab, guest.make_directory())
        asked = "disk_cache" in settings.model_fields_set
        cache = disk_cache(file, str(settings.disk_cache), asked=asked)
        aio = settings.disk_aio or ("native" if cache.direct else "threads")
        guest.disk = DiskTarget(path, {"disk_path": way, **cache.conditions}, file)
        return domain_xml.disk_element(settings.disk_device, file.resolve(), cache.mode, aio)


class LibvirtContainer(OfLibvirt):
    """Containers of libvirt's own driver, with the agent as process 1 on a pair of sockets."""

    kind: ClassVar[str] = "libvirt-lxc"
    title: ClassVar[str] = "libvirt (container)"
    meaning: ClassVar[str] = "a container that libvirt's daemon makes by its driver for LXC"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.4
    usual_overhead_s: ClassVar[float] = 0.15
    settings_type: ClassVar[type[Settings]] = DomainContainerSettings
    default_driver: ClassVar[str] = "lxc"

    def no_limits(self, driver: str) -> str:
        """As of every container; the driver's own template has them."""
        return no_limits() if driver == "lxc" else f"the template of the driver {driver} has no limits of CPU time"

    def check(self) -> Check:
        """Start a container with the agent."""
        return self.check_with(DomainContainerSettings())

    def check_with(self, settings: Settings) -> Check:
        """As `check`; of another host, of an image, of a template, or of a domain: whether libvirt answers."""
        mine = self._mine(settings)
        if not self.makes_guests(mine):
            return self.check_answer(mine)
        lan = self.lab.lan
        if reason := lan.unavailable():
            return Check(False, f"a guest of {self.title} gets a network of its own, and {reason}", lan.advice())
        return self.check_domain(mine, f"check-{self.kind}-{os.getpid()}")

    def prepare(self, settings: Settings) -> None:
        """Build the root file system. Raises EnvironmentFailed where this host cannot have these settings."""
        mine = self._mine(settings)
        connection = self.connection(mine)
        self.program_file()
        if mine.domain is not None:
            self.running(connection, mine)
            return
        if connection.driver in BY_IMAGE:
            _require_address(connection, mine)
        else:
            require_host(connection, mine)
        checked_template(connection.driver, mine)
        if connection.driver not in BY_IMAGE:
            require_limits(mine, self.lab.processors)
            mine.prepare_root(self.lab, mine.agent(self.lab))

    def start(self, settings: Settings, guest_id: str) -> DomainGuest:
        """Start a container, or an agent in one that runs."""
        mine = self._mine(settings)
        connection = self.connection(mine)
        with DomainGuest.starting(self.lab, guest_id, mine) as guest:
            if mine.domain is not None:
                self.entered(guest, connection, mine)
                if guest.stream.read_fd < 0:
                    self._enter(guest, connection, mine)
            elif connection.driver == "lxc":
                self._started(guest, connection, mine)
            else:
                self._from_template(guest, connection, mine)
        return guest

    def try_start(self, settings: AnySettings, guest_id: str) -> None:
        """Start a container and end it."""
        guest = self.start(settings, guest_id)
        guest.grace_s = 0.0
        guest.stop()

    def _mine(self, settings: Settings) -> DomainContainerSettings:
        if not isinstance(settings, DomainContainerSettings):
            raise UsageError(f"{type(settings).__name__} are not settings of {self.kind}")
        return settings

    def _started(self, guest: DomainGuest, connection: Connection, settings: DomainContainerSettings) -> None:
        disk_file = self.lab.disk_file
        with ExitStack() as until_started, self.defining(guest, connection) as words:
            directory = guest.make_directory()
            root = _own_root(settings.make_root(guest, settings.agent(self.lab)).directory, directory)
            namespace = guest.add_network()
            ours, theirs = socket.socketpair()
            until_started.callback(theirs.close)
            guest.stream = Stream(ours.fileno(), ours.detach())
            memory = settings.memory or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            words |= {
                "memory_kib": str(memory >> 10),
                "agent": AGENT,
                "root": str(root),
                "network_process": str(until_started.enter_context(self._process_in(namespace))),
            }
            if settings.cpuset is not None:
                words["processors"] = processor_list(settings.cpuset)
            elements = {
                "quota": domain_xml.quota_element(settings.cpus),
                "data": "" if disk_file is None else domain_xml.directory_element(disk_file.resolve().parent, DATA),
                "labels": domain_xml.labels([one for one in connection.security_models() if one != "dac"], 0, 0),
            }
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            descriptor = theirs.fileno()
            options = ["--pass-fds", str(descriptor)]
            self.define(guest, connection, settings, words, elements, start=options, pass_fds=(descriptor,))
            name, identity = words["name"], words["uuid"]
            guest.on_stop(lambda: kill_domain(name, identity))

    def _from_template(self, guest: DomainGuest, connection: Connection, settings: DomainContainerSettings) -> None:
        """A container of another driver, whose agent starts automatically and answers at an address."""
        address = _require_address(connection, settings)
        with self.defining(guest, connection) as words:
            memory = settings.memory or 512 << 20
            words |= {"memory_kib": str(memory >> 10), "disk_image": settings.disk_image or ""}
            if settings.cpuset is not None:
                words["processors"] = processor_list(settings.cpuset)
            self.define(guest, connection, settings, words, {})
            guest.stream = connected(Way("tcp", address))

    def takes_an_agent(self, connection: Connection, name: str, root: ElementTree.Element) -> bool:
        """In the namespaces of a container of this host."""
        visible = connection.local and connection.driver == "lxc"
        return visible and process_of(name, root.findtext("uuid") or "") is not None

    def _enter(self, guest: DomainGuest, connection: Connection, settings: DomainContainerSettings) -> None:
        """Start an agent in the namespaces of a container that runs. Its file stays on the host: it is a descriptor."""
        with settings.agent(self.lab).open("rb") as agent:
            guest.disk = None
            argv: list[str | Path] = [
                self.program_file(), "--quiet", "--connect", connection.uri, "lxc-enter-namespace",
                str(settings.domain), "--noseclabel", "--", f"/proc/self/fd/{agent.fileno()}", "stdio",
            ]  # fmt: skip
            guest.enter(argv, f"agent in {settings.domain}", (agent.fileno(),))

    @contextmanager
    def _process_in(self, namespace: Path) -> Iterator[int]:
        """A process in a network namespace, by which libvirt finds that: its daemon may see other mounts than we do."""
        libc = ctypes.CDLL(None, use_errno=True)
        with (NAMESPACES / namespace.name).open("rb") as file:

            def go() -> None:
                if libc.setns(file.fileno(), 0) != 0:
                    raise OSError(ctypes.get_errno(), "setns")

            purpose = f"a process in network namespace {namespace.name}"
            process = self.lab.programs.spawn(["sleep", "60"], purpose=purpose, preexec=go)
        try:
            yield process.pid
        finally:
            process.kill()
            process.wait()


def _require_address(connection: Connection, settings: DomainContainerSettings) -> str:
    """Where the agent answers in a container that boots an image. Raises EnvironmentFailed where that is not known."""
    require_image(connection, settings)
    if settings.address is None:
        raise EnvironmentFailed(
            f"a container of the driver {connection.driver} is entered by an address, and address is not set",
            advice="name where its agent answers by the setting address",
        )
    return settings.address


def _own_root(shared: Path, directory: Path) -> Path:
    """A root directory of a guest's own, in which libvirt makes a directory; its files are those of the shared one."""
    root = directory / "rootfs"

    def copy(source: str, target: str) -> str:
        try:
            os.link(source, target)
        except OSError:
            return shutil.copy2(source, target)
        return target

    shutil.copytree(shared, root, symlinks=True, copy_function=copy)
    (root / ".oldroot").mkdir()
    return root
