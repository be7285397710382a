"""gVisor: a container whose system calls a kernel in user space answers (runsc).

Its files come from the host through the gofer or, with a current runsc, by the sentry's own system calls. O_DIRECT ends
at gVisor's kernel either way: what a guest reads directly, the host reads from its page cache (tests/conformance looks
at the flags of the descriptors that are really open).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field

from virtometer.environments.base import Check, DiskTarget, Environment, Guest, LabContext, Lacks, Settings
from virtometer.environments.entry import GuestEntry, NoEntry, nsenter
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.limits import CgroupLimits, effective_limits, no_limits
from virtometer.environments.parts.oci import add_state, container_of, write_bundle
from virtometer.environments.parts.process_guest import ProcessGuest, check_by_starting
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.host.cpu.accounting import CgroupAccount
from virtometer.host.cpu.parts import GUEST_TIME, STUBS, TRACED, Division
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.journal import Resource
from virtometer.installation import make
from virtometer.programs import Words
from virtometer.visible import one_line

Platform = Literal["systrap", "ptrace", "kvm"]
_TRIED: tuple[Platform, ...] = ("systrap", "ptrace")  # fastest first; kvm may hang, so only on request

_CONTAINER = container_of("runsc")
_DIVISIONS: dict[Platform, Division] = {"systrap": STUBS, "ptrace": TRACED, "kvm": GUEST_TIME}
# runsc takes a namespace with rmem_default in there for the host's own and refuses to give it to a sandbox. Since Linux
# 6.9 every network namespace has that file, and Debian's runsc is older.
_HIDE_HOST_NETWORK: Words = ["mount", "-t", "tmpfs", "none", "/proc/sys/net/core"]
_WARM_UP_S = 0.008  # its kernel's threads look for more work so long, on the processor of the work
# Tasks that wake each other do so faster at first.
WARM_UPS = dict.fromkeys(("os context-switch", "os pipe", "os unix", "os tcp"), 0.024)


class GvisorSettings(RootSettings, CgroupLimits):
    """Limits, the root directory, and options of runsc.

    gso: whether gVisor hands segments of up to 64 KiB to the host, runsc's own default. On recent Linux kernels the
    runsc of Debian 12 loses such segments; without gso it loses fewer. What was lost its TCP sends again two
    segments per timeout of 0.2 s: a stream crawls for seconds, with large buffers for minutes.
    """

    program: str | None = Field(
        default=None,
        min_length=1,
        description="path of the runsc that starts the guests. Without it, the one that `make gvisor` built, else "
        "the one on the PATH",
    )
    platform: Platform | None = Field(
        default=None,
        description="how system calls are intercepted. Without it, the first of systrap and ptrace that works here",
    )
    network: Literal["sandbox", "host", "none"] = Field(
        default="sandbox",
        description="the network stack of gVisor, or the one of the host; none: the loopback alone",
    )
    gso: bool = Field(
        default=True,
        description="hand segments of up to 64 KiB to the host; some runsc lose them on recent kernels",
    )

    @property
    def caches_disk(self) -> str:
        """O_DIRECT ends in gVisor's own kernel."""
        return "writes through the page cache of the host"


class Gvisor(Environment):
    """runsc under a plain OCI bundle; stdin and stdout of the container are the channel."""

    kind: ClassVar[str] = "gvisor"
    title: ClassVar[str] = "gVisor"
    meaning: ClassVar[str] = "a container whose system calls a kernel in user space answers"
    usual_start_s: ClassVar[float] = 0.4
    unlike_in_slices: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "os select": "it is 4 % slower there, and why is not known",
            **dict.fromkeys(
                ("net request-response", "net udp-request-response"),
                "requests of native are faster at the beginning of a slice, and those of gVisor are not",
            ),
        }
    )
    by_launcher: ClassVar[bool] = True
    own_memory: ClassVar[int] = 64 << 20  # 27 MiB idle (proportional set size)
    usual_overhead_s: ClassVar[float] = 0.5
    program: ClassVar[str] = "runsc"
    package: ClassVar[str] = "runsc"
    check_settings: ClassVar[tuple[str, ...]] = ("program",)
    resources: ClassVar[tuple[Resource, ...]] = (_CONTAINER,)
    settings_type: ClassVar[type[Settings]] = GvisorSettings

    def __init__(self, lab: LabContext) -> None:
        """Only keeps the context."""
        super().__init__(lab)
        self._tried: set[tuple[Path, Platform]] = set()
        self._versions: dict[Path, str] = {}

    def program_file(self) -> Path:
        """The runsc that `make gvisor` built, else the one on the PATH. Raises MissingProgram."""
        built = self.lab.cache / "gvisor" / "runsc"
        return built if os.access(built, os.X_OK) else super().program_file()

    def lacks(self) -> Lacks:
        """Limits, where this user cannot make cgroups."""
        return Lacks(cpu_limit=no_limits(), memory_limit=no_limits())

    def check(self) -> Check:
        """Find the platform that works, by starting a container on each until one does."""
        return self.check_with(GvisorSettings())

    def check_with(self, settings: Settings) -> Check:
        """As `check`, with the runsc that these settings name."""
        assert isinstance(settings, GvisorSettings)
        if reason := self.lab.lan.unavailable():
            return Check(False, f"a container of gVisor gets a network of its own, and {reason}", self.lab.lan.advice())
        return self._first_that_works(settings.program)

    def _first_that_works(self, program: str | None) -> Check:
        try:
            self._runsc(program)
        except VirtometerError as cause:
            return Check(False, cause.sentence, cause.advice)
        refused = []
        for platform in _TRIED:
            check = self._try(program, platform)
            if check.works:
                self._remember(program, platform)
                return Check(True, check.reason, found={**check.found, "platform": platform})
            refused.append(f"{platform}: {check.reason}")
        advice = f"for a current runsc {make('gvisor')}, or install the Debian package runsc"
        if closed := _closed_above(self.lab.scratch):
            advice = f"other users cannot enter {closed}: set TMPDIR to a directory that its sandbox can reach"
        return Check(False, "; ".join(refused), advice)

    def prepare(self, settings: Settings) -> None:
        """Build the root file system. Raises EnvironmentFailed when the requested platform does not work here."""
        assert isinstance(settings, GvisorSettings)
        runsc, platform = self._runsc(settings.program), settings.platform
        settings.prepare_root(self.lab)
        if platform is None or (runsc, platform) in self._tried or self.lab.lan.unavailable():
            return
        check = self._try(settings.program, platform)
        if not check.works:
            raise EnvironmentFailed(
                f"its platform {platform} cannot be used: {check.reason}",
                advice=f"take another platform ({', '.join(get_args(Platform))}) or another runsc",
            )

    def _runsc(self, program: str | None) -> Path:
        """The runsc that a setting names, else that of `program_file`. Raises EnvironmentFailed or MissingProgram."""
        if program is None:
            return self.program_file()
        path = Path(program)
        if not (path.is_absolute() and path.is_file() and os.access(path, os.X_OK)):
            what = f"the setting program of gVisor names {program}, which is not the full path of a program"
            raise EnvironmentFailed(what, advice="name a runsc, or leave the setting out")
        return path

    def _version(self, runsc: Path) -> str:
        """What it says of itself. It is asked once."""
        if runsc not in self._versions:
            run = self.lab.programs.run([runsc, "--version"], purpose="version of runsc", check=False, whole=True)
            self._versions[runsc] = one_line(run.stdout.decode(errors="replace").partition("\n")[0])
        return self._versions[runsc].removeprefix("runsc version ")

    def _try(self, program: str | None, platform: Platform) -> Check:
        """Start a container on a platform."""
        try:
            one = self._runsc(program), platform
        except VirtometerError as cause:
            return Check(False, cause.sentence, cause.advice)
        self._tried.add(one)
        check = check_by_starting(self, GvisorSettings(program=program, platform=platform))
        if not check.works:
            self._tried.discard(one)
        return check

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start `runsc run` in the foreground."""
        assert isinstance(settings, GvisorSettings)
        runsc = self._runsc(settings.program)
        platform = settings.platform or self._platform(settings.program)
        disk_file = self.lab.disk_file
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            guest.divide_cpu(_DIVISIONS[platform])
            root = settings.make_root(guest)
            directory = guest.make_directory()
            state = add_state(self.lab, guest, runsc, _CONTAINER, directory)
            namespace = None if settings.network == "none" else guest.add_network()
            account = guest.account
            write_bundle(
                directory,
                root=root,
                disk_directory=disk_file.parent if disk_file else None,
                namespace=namespace,
                cgroups_path=account.container_path() if isinstance(account, CgroupAccount) else None,
                resources=settings.resources() if settings.limited() else {},
            )
            if disk_file:
                guest.disk = DiskTarget(f"{DATA}/{disk_file.name}", _DISK, disk_file)
            guest.warm_up_s, guest.warm_ups = _WARM_UP_S, WARM_UPS
            guest.effective |= {"platform": platform, "network": settings.network, "gso": settings.gso}
            guest.effective |= {"program": str(runsc), "version": self._version(runsc)}
            flags = [f"--root={state}", f"--platform={platform}", f"--network={settings.network}", "--overlay2=none"]
            if not settings.gso:
                flags.append("--gso=false")
            if settings.limited():
                guest.read_back(lambda: effective_limits(account))
            else:
                flags.append("--ignore-cgroups")  # runsc wants every controller on the host, whether it needs it or not
            argv = [
                *own_mounts(self.lab.programs, [*root.mounts, _HIDE_HOST_NETWORK]),
                runsc,
                *flags,
                "run",
                f"--bundle={directory}",
                f"virtometer-{guest_id}",
            ]
            guest.launch(argv, purpose=f"gVisor guest {guest_id}", namespace=namespace.name if namespace else None)
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """`runsc exec`, in the network namespace of `runsc run`, in which the sandbox listens."""
        assert isinstance(guest, ProcessGuest) and isinstance(settings, GvisorSettings)
        assert guest.process is not None
        words: Words = [*nsenter(self.lab.programs, guest.process.pid, ["net"]), self._runsc(settings.program)]
        words = [*words, f"--root={guest.directory / 'state'}"]
        words += [] if settings.limited() else ["--ignore-cgroups"]
        return GuestEntry("nsenter, runsc exec", [*words, "exec", f"virtometer-{guest.guest_id}"], AGENT)

    def _platform(self, program: str | None) -> Platform:
        """The platform found before for this very runsc, else found now. Raises EnvironmentFailed when none works."""
        try:
            known = json.loads(self.platform_file(program).read_text())["platform"]
        except (OSError, ValueError, KeyError, TypeError):
            known = None
        for platform in _TRIED:
            if platform == known:
                return platform
        check = self._first_that_works(program)
        if not check.works:
            raise EnvironmentFailed(f"gVisor does not work here: {check.reason}", advice=check.advice)
        return "systrap" if check.found["platform"] == "systrap" else "ptrace"

    def _remember(self, program: str | None, platform: Platform) -> None:
        file = self.platform_file(program)
        draft = file.with_suffix(f".{os.getpid()}.draft")
        draft.write_text(json.dumps({"platform": platform}))
        draft.replace(file)

    def platform_file(self, program: str | None = None) -> Path:
        """A file in the cache for this very runsc: its path, size and time of change."""
        runsc = self._runsc(program)
        found = runsc.stat()
        name = hashlib.sha256(f"{runsc} {found.st_size} {found.st_mtime_ns}".encode()).hexdigest()[:16]
        return self.lab.cache / f"gvisor-platform-{name}.json"


_DISK: dict[str, Any] = {
    "host_cache": "yes",
    "host_cache_reason": "gVisor ends O_DIRECT in its own kernel and reads the host's file through the page cache",
    "disk_path": "gvisor",
}


def _closed_above(directory: Path) -> Path | None:
    """The directory above the one in which laboratories work that others cannot enter, where there is one.

    The sandbox of runsc 20221219 does not start below such a directory.
    """
    above = directory.resolve().parent.parents
    return next((one for one in above if not one.stat().st_mode & stat.S_IXOTH), None)
