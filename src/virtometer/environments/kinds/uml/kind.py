"""User-mode Linux: a Linux kernel that runs as a process of the host, started from the package user-mode-linux.

The channel is the kernel's first serial line on a socket pair. Source: Linux Documentation/virt/uml/
user_mode_linux_howto_v2.rst.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import socket
import time
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from virtometer.environments.base import Check, DiskTarget, Environment, Guest, Lacks, Settings
from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.environments.images.machines import initramfs
from virtometer.environments.kinds.uml import registers
from virtometer.environments.parts.formatted_disk import DIRECTORY, formatted_disk, mounted_file
from virtometer.environments.parts.guest_root import host_root, layer_over, require_host_root
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.errors import EnvironmentFailed, LinkError, LinkTimeout, UsageError, VirtometerError
from virtometer.host.cpu.parts import TRACED
from virtometer.host.own_mounts import own_mounts
from virtometer.host.programs import HostProgram, fitting, refusals
from virtometer.link.channel import Channel, Stream
from virtometer.link.session import Session
from virtometer.model import parse_size

_LOOK_S = 0.5
SILENT_S = 5.0  # its kernel's longest silence at boot is a tenth of this
CHECK_S = 15.0
_UNLIKE = "processes of user-mode Linux cost more for some hundredths of a second after a pause"
_ADVICE = "see whether this host allows ptrace, and memory in /dev/shm that can be executed"


_AT_ONCE = 1024
"""Bytes of its serial line: what comes while 4096 wait to be read stops it, and the kernel does not let it go on."""


def _one(value: object) -> object:
    if value != 1:
        raise ValueError("user-mode Linux has 1 processor: its kernel has no SMP")
    return value


class UmlSettings(RootSettings):
    """Settings of user-mode Linux."""

    cpus: Annotated[int, BeforeValidator(_one), Field(ge=1, le=1)] = Field(
        default=1, description="virtual processors: 1, because its kernel has no SMP"
    )
    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=64 << 20, le=1 << 38, multiple_of=1 << 20)] = Field(
        default=512 << 20, description="bytes of memory of the guest"
    )
    network: Literal["bridge", "none"] = Field(
        default="bridge", description="bridge: a tap device on the laboratory's bridge; none: the loopback alone"
    )

    @property
    def caches_disk(self) -> str:
        """Its disks are opened without O_DIRECT."""
        return "writes through the page cache of the host"


class UserModeLinux(Environment):
    """A Linux kernel as a process, with the agent as its first program."""

    kind = "uml"
    unlike_in_slices = MappingProxyType({"os fork": _UNLIKE, "os exec": _UNLIKE})
    title = "user-mode Linux"
    meaning = "a Linux kernel that runs as a process, with one processor"
    usual_start_s = 1.6
    own_memory = 16 << 20
    usual_overhead_s = 0.5
    program = "linux.uml"
    package = "user-mode-linux"
    settings_type = UmlSettings
    machine = True
    kernel_memory = 20 << 20  # 27 to 42 MiB with the page descriptions in guests of 64 to 512 MiB

    def lacks(self) -> Lacks:
        """A network where the user may make no tap; more than one processor, whatever the host has."""
        reason = self.lab.lan.unavailable()
        return Lacks(
            network=f"user-mode Linux needs a tap device: {reason}" if reason else "",
            cpu_limit="its kernel has one processor: user-mode Linux has no SMP",
        )

    def check(self) -> Check:
        """Boot a guest until its agent says hello; on a slow host be content with a kernel that goes on booting."""
        begin = time.monotonic()
        try:
            guest = self._boot(UmlSettings(), f"check-uml-{os.getpid()}", verbose=True)
        except VirtometerError as cause:
            return Check(False, cause.sentence, cause.advice)
        try:
            return self._watched(guest, begin)
        finally:
            guest.grace_s = 0.0
            guest.stop()

    def _watched(self, guest: ProcessGuest, begin: float) -> Check:
        """What becomes of a guest that prints what its kernel does. begin: when it was started."""
        session = Session(Channel(guest.stream), "the guest")
        printed, heard = "", begin
        while True:
            try:
                session.greet(_LOOK_S)
            except LinkTimeout:
                now, tail = time.monotonic(), guest.stderr_tail()
                if tail != printed:
                    printed, heard = tail, now
                last = (printed.splitlines() or ["it prints nothing"])[-1]
                if now - heard > SILENT_S:
                    return Check(
                        False, f"a guest of user-mode Linux does not boot, it stands still at: {last}", _ADVICE
                    )
                if now - begin > CHECK_S:
                    found = {"booting": f"not yet at the agent after {CHECK_S:g} s, at: {last}"}
                    return Check(True, "a guest was still booting when the check's time was over", found=found)
            except LinkError as cause:
                last = (guest.stderr_tail().splitlines() or [cause.sentence])[-1]
                return Check(False, f"a guest of user-mode Linux does not boot: {last}", _ADVICE)
            else:
                found = {"boot_ms": f"{(time.monotonic() - begin) * 1000:.0f}"}
                return Check(True, "a guest booted and its agent answered", found=found)

    def prepare(self, settings: Settings) -> None:
        """Make the initramfs, and what another root directory needs."""
        mine = self._mine(settings)
        image = mine.image(self.lab)
        if mine.root == "host":
            require_host_root(self.lab)
            mine.binds()
        elif image is not None and mine.layered:
            mine.require_own_layer(self.lab, image.root)
        elif image is not None:
            mine.require_own_layer(self.lab, image.root)
            image.as_ext4(self.lab.journal, self.lab.programs)
        initramfs(self.lab, programs=self._carried(mine))
        self._with_registers()

    def _carried(self, settings: UmlSettings) -> tuple[HostProgram, ...]:
        """The programs of the host that guests carry: none where their root has its own."""
        return fitting(self.lab.host_programs, settings.memory) if settings.root == "agent" else ()

    def start(self, settings: Settings, guest_id: str) -> ProcessGuest:
        """Start a guest; returns while its kernel boots."""
        return self._boot(self._mine(settings), guest_id, verbose=False)

    def _mine(self, settings: Settings) -> UmlSettings:
        if not isinstance(settings, UmlSettings):
            raise UsageError(f"{type(settings).__name__} are not settings of {self.kind}")
        return settings

    def _boot(self, settings: UmlSettings, guest_id: str, *, verbose: bool) -> ProcessGuest:
        program = self.program_file()
        carried = self._carried(settings)
        image = initramfs(self.lab, programs=carried)
        for path in (image, self.lab.cache, self.lab.scratch, self.lab.disk_file or image):
            if any(mark in str(path) for mark in ", :"):
                raise EnvironmentFailed(f"user-mode Linux takes no path with a comma, colon or blank in it: {path}")
        free = shutil.disk_usage("/dev/shm").free if Path("/dev/shm").is_dir() else 0
        if free < settings.memory:
            raise EnvironmentFailed(
                f"user-mode Linux keeps its guest's {settings.memory >> 20} MiB of memory in /dev/shm, "
                f"where {free >> 20} MiB are free",
                advice="mount a larger tmpfs on /dev/shm, or set less memory",
            )
        preloading = self._with_registers()
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            guest.divide_cpu(TRACED)
            ours, theirs = socket.socketpair()
            fd = ours.detach()
            guest.stream = Stream(fd, fd, _AT_ONCE)
            guest.refused_programs = refusals(carried)
            user_land = settings.note_root(guest)
            of_host = host_root(guest, self.lab.agent, settings.binds()) if settings.root == "host" else None
            if user_land is not None and settings.layered:
                of_host = layer_over(guest, user_land.root, settings.binds(user_land.root))
                user_land = None
            directory = guest.make_directory()
            with theirs:
                argv: list[str | Path] = [
                    *(own_mounts(self.lab.programs, of_host.mounts) if of_host else ()),
                    *self._together(), *self._memory_in_memory(), *self._without_a_gap(), *preloading,
                    program, f"mem={settings.memory >> 20}M", f"initrd={image}",
                    "con=null", "con0=null,fd:1", "ssl=null", f"ssl0=fd:{theirs.fileno()}",
                    # Here it keeps its pid file and its console's socket, otherwise in the user's home directory.
                    f"uml_dir={directory}", f"umid={guest_id}",
                    "panic=-1", "virtometer.channel=serial:/dev/ttyS0",
                    *self._disk(guest, directory), *(self._network(guest) if settings.network == "bridge" else ()),
                ]  # fmt: skip
                if user_land is not None:
                    argv += [
                        f"ubd1r={user_land.as_ext4(self.lab.journal, self.lab.programs)}",
                        "virtometer.root=/dev/ubdb",
                    ]
                if of_host is not None:
                    argv.append(f"virtometer.root=hostfs:{of_host.directory}")
                if not verbose:
                    argv.append("quiet")
                guest.launch(
                    argv,
                    purpose=f"guest {guest_id}",
                    stream=guest.stream,
                    pass_fds=(theirs.fileno(),),
                    namespace=guest.network.namespace if guest.network else None,
                )
            guest.effective |= {"memory_bytes": settings.memory, "cpus": 1, "network": settings.network}
            if preloading:
                guest.effective["registers"] = "handed on by a library"
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """None."""
        return NoEntry("has a console for its kernel alone (mconsole), which starts no program")

    def _together(self) -> list[str | Path]:
        """Words before the program that make its processes end with it, whatever ends it.

        Without these words the helpers of user-mode Linux outlive it when it is killed, and hold the channel open. In a
        process namespace they cannot; an ordinary user may have one inside a user namespace, if the host allows that.
        """
        unshare = self.lab.programs.find("unshare", "util-linux")
        words: list[str | Path] = [unshare, "--pid", "--fork", "--kill-child"]
        if os.geteuid() == 0:
            return words
        words += ["--user", "--map-current-user"]
        tried = self.lab.programs.run([*words, "true"], purpose="try a process namespace", check=False)
        return words if tried.returncode == 0 else []

    def _memory_in_memory(self) -> list[str | Path]:
        """Keep the guest's memory in /dev/shm: where one of these variables names a disk, it would be a file there."""
        named = [name for name in ("TMPDIR", "TMP", "TEMP") if name in os.environ]
        if not named:
            return []
        return [self.lab.programs.find("env", "coreutils"), *(word for name in named for word in ("-u", name))]

    def _without_a_gap(self) -> list[str | Path]:
        """Leave out the random gap, up to 1 GiB, that the host puts between a program and its heap, if that is allowed.

        User-mode Linux takes it for physical memory and keeps page structures for it, out of the requested memory: of
        128 MiB the guest would have 100 to 114, other ones at every start. The guest still makes its own layouts.
        """
        words: list[str | Path] = [self.lab.programs.find("setarch", "util-linux"), "--addr-no-randomize"]
        tried = self.lab.programs.run([*words, "true"], purpose="try a fixed layout", check=False)
        return words if tried.returncode == 0 else []

    def _with_registers(self) -> list[str | Path]:
        """Load a library before the C library, where the processor has registers that its kernel does not know."""
        if not registers.unknown(Path("/proc/cpuinfo").read_text()):
            return []
        return [self.lab.programs.find("env", "coreutils"), f"LD_PRELOAD={registers.library(self.lab)}"]

    def _disk(self, guest: ProcessGuest, directory: Path) -> list[str]:
        file = self.lab.disk_file
        if file is None:
            return []
        conditions = {
            "disk_path": "ubd",
            "host_cache": "yes",
            "host_cache_reason": "user-mode Linux opens its disks without O_DIRECT",
        }
        device = "/dev/ubda"
        if self.lab.room is None:
            guest.disk = DiskTarget(device, conditions, file)
            return [f"ubd0={file}"]
        image = formatted_disk(self.lab, directory)
        guest.disk = DiskTarget(mounted_file(self.lab), conditions | {"disk_path": "ext4 on ubd"}, image)
        return [f"ubd0={image}", f"virtometer.mount={device}:{DIRECTORY}"]

    def _network(self, guest: ProcessGuest) -> list[str]:
        lan = self.lab.lan
        if lan.unavailable():
            return []
        guest.on_stop(lambda: lan.detach(guest.guest_id))
        tap, path = lan.attach_tap(guest.guest_id)
        guest.network = dataclasses.replace(path, guest_interface="vec0")
        number = int(path.guest_address.rpartition(".")[2])
        return [f"vec0:transport=tap,ifname={tap},depth=128,gro=1,mac=52:54:00:4d:01:{number:02x}"]
