"""Every registered kind runs through the same tests. What does not work on this host is skipped, and says why."""

from __future__ import annotations

import dataclasses
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.conformance import traces
from tests.conformance.conversation import Talk
from tests.conformance.lxc_like import LxcLike
from tests.conftest import nothing_is_left
from tests.environments import own_dockerd, own_libvirtd
from tests.environments.own_dockerd import OwnDockerd
from tests.environments.own_libvirtd import OwnLibvirtd
from tests.waiting import wait_until
from virtometer.cache import cache_directory
from virtometer.environments.base import Check, Environment, Guest, LabContext
from virtometer.environments.registry import KINDS
from virtometer.errors import VirtometerError
from virtometer.host.network.lan import Lan
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs

DISK_BYTES = 8 << 20
DOMAINS = frozenset({"libvirt", "libvirt-lxc"})
"""Kinds whose guests a daemon makes, which the tests start themselves."""

OF_DOCKERD = "docker"
"""The same, of another daemon."""

ON_DEBIAN_AS_ROOT = (
    frozenset({"runc", "crun", "podman", "nspawn", "lxc", "bubblewrap", "gvisor", "uml", "qemu", LxcLike.kind})
    | (DOMAINS if own_libvirtd.installed() else set())
    | ({OF_DOCKERD} if own_dockerd.installed() else set())
)

# The registry with one line more: what a new kind needs beside its file.
REGISTRY: dict[str, type[Environment]] = {**KINDS, LxcLike.kind: LxcLike}


BARE_UML = "mem=64M rootfstype=hostfs ro init=/bin/true con=null con0=null,fd:1 ssl=null panic=-1"


@cache
def uml_runs_any_program() -> bool:
    """Whether a kernel of user-mode Linux reaches a program on this host at all, without anything of ours.

    It stands still before that on some processors.
    """
    words = ["unshare", "--pid", "--fork", "--kill-child", "linux.uml", *BARE_UML.split()]
    with tempfile.TemporaryDirectory() as directory:
        printed = Path(directory, "printed")
        with printed.open("wb") as out:
            bare = subprocess.Popen(
                [*words, f"uml_dir={directory}"], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL
            )
        try:
            wait_until(lambda: b"Attempted to kill init" in printed.read_bytes() or bare.poll() is not None, 20)
            return b"Attempted to kill init" in printed.read_bytes()
        except AssertionError:
            return False
        finally:
            bare.kill()
            bare.wait()


def may_be_skipped(kind: str) -> bool:
    """On Debian as root all kinds but KVM work; native works everywhere."""
    if kind == "uml" and not uml_runs_any_program():
        return True
    try:
        debian = platform.freedesktop_os_release().get("ID") == "debian"
    except OSError:
        debian = False
    return kind != "native" and not (debian and os.geteuid() == 0 and kind in ON_DEBIAN_AS_ROOT)


# Of machines under a daemon that `make test` leaves out: the boots are those of the emulator, which it has elsewhere.
IN_ALL_TESTS = {
    ("libvirt", "test_two_starts_in_a_row_and_bye"),
    ("libvirt", "test_two_guests_at_once"),
    ("libvirt", "test_a_guest_keeps_its_own_processors[libvirt-all]"),
    ("libvirt", "test_after_a_sigkill_of_the_laboratory_the_next_one_cleans_up[libvirt-idle]"),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes too long for every day."""
    for item in items:
        called = getattr(item, "callspec", None)
        kind = None if called is None else called.params.get("kind")
        if {(kind, item.name), (kind, item.name.partition("[")[0])} & IN_ALL_TESTS:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(params=list(REGISTRY), scope="session")
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole product knows the new kind, for one test at a time: other tests of this process must not."""
    monkeypatch.setitem(KINDS, LxcLike.kind, LxcLike)


@pytest.fixture(scope="session")
def daemon() -> Iterator[Callable[[str], None]]:
    """Starts the daemon that a kind needs, when the first test needs it; guests of that kind are then made there."""
    with ExitStack() as until_the_end, pytest.MonkeyPatch.context() as patch:

        def start(kind: str) -> None:
            if kind in DOMAINS and own_libvirtd.installed() and not running:
                running.append(until_the_end.enter_context(OwnLibvirtd()))
                patch.setenv("LIBVIRT_DEFAULT_URI", running[0].uri("qemu"))
            if kind == OF_DOCKERD and own_dockerd.installed() and not dockerds:
                dockerds.append(until_the_end.enter_context(OwnDockerd()))
                patch.setenv("DOCKER_HOST", dockerds[0].address)

        running: list[OwnLibvirtd] = []
        dockerds: list[OwnDockerd] = []
        yield start


@pytest.fixture(scope="session")
def checks(
    agent: Path, tmp_path_factory: pytest.TempPathFactory, daemon: Callable[[str], None]
) -> Callable[[str], Check]:
    """The answer of a kind's check, asked once, after its images were prepared."""
    known: dict[str, Check] = {}

    def ask(kind: str) -> Check:
        daemon(kind)
        if kind not in known:
            with lab_context(agent, tmp_path_factory.mktemp(f"check-{kind}"), None) as lab:
                environment = REGISTRY[kind](lab)
                try:
                    environment.prepare(environment.settings_type())
                    known[kind] = environment.check()
                except VirtometerError as cause:
                    known[kind] = Check(False, cause.sentence, cause.advice)
        return known[kind]

    return ask


@pytest.fixture
def works(kind: str, checks: Callable[[str], Check]) -> None:
    """Skip a kind that does not work here, or fail where it has to work."""
    require(kind, checks)


def require(kind: str, checks: Callable[[str], Check]) -> None:
    check = checks(kind)
    if check.works:
        return
    reason = f"{kind} does not work here: {check.reason} ({check.advice})"
    if may_be_skipped(kind):
        pytest.skip(reason)
    pytest.fail(reason)


class lab_context:
    """A LabContext in a directory, whose network is removed at the end."""

    def __init__(self, agent: Path, directory: Path, disk_file: Path | None) -> None:
        scratch, cache = directory / "scratch", cache_directory()
        scratch.mkdir()
        cache.mkdir(parents=True, exist_ok=True)
        programs, journal = Programs(), Journal(directory / "state")
        self.lab = LabContext(agent, cache, scratch, disk_file, journal, programs, Lan(journal, programs))

    def __enter__(self) -> LabContext:
        return self.lab

    def __exit__(self, *_: object) -> None:
        self.lab.close()


@pytest.fixture(scope="session")
def disk_file(agent: Path) -> Iterator[Path]:
    """The campaign's disk file, filled as KERNELS.md says, alone in its directory."""
    with tempfile.TemporaryDirectory(prefix="virtometer-disk-") as directory:
        path = Path(directory) / "disk.img"
        argv = [str(agent), "measure", "disk", "--op", "fill", "--file", str(path), "--span", str(DISK_BYTES), "--json"]
        subprocess.run(argv, check=True, capture_output=True)
        yield path


@pytest.fixture
def environment(works: None, kind: str, agent: Path, disk_file: Path, tmp_path: Path) -> Iterator[Environment]:
    """A kind on a LabContext of its own. After the test nothing of it is left on the host."""
    interfaces = traces.host_interfaces()
    one = lab_context(agent, tmp_path, disk_file)
    with one as lab:
        yield REGISTRY[kind](lab)
    nothing_is_left(lab)
    assert traces.of(str(tmp_path), lab.lan.name) == []
    assert traces.host_interfaces() == interfaces


@dataclass
class Living:
    """A guest that lives through all tests that only talk to it."""

    kind: str
    lab: LabContext
    guest: Guest
    talk: Talk


@pytest.fixture(scope="session")
def living(
    kind: str, checks: Callable[[str], Check], agent: Path, disk_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Living]:
    """One guest per kind, greeted, with its network configured."""
    require(kind, checks)
    with lab_context(agent, tmp_path_factory.mktemp(f"living-{kind}"), disk_file) as lab:
        environment = REGISTRY[kind](lab)
        settings = environment.settings_type()
        environment.prepare(settings)
        guest = environment.start(settings, f"live-{kind}-{os.getpid()}")
        try:
            talk = Talk(guest)
            talk.greet()
            yield Living(kind, lab, guest, talk)
        finally:
            guest.stop()


@pytest.fixture
def lab(environment: Environment) -> LabContext:
    """The LabContext of the environment under test, instead of the one without a disk."""
    return dataclasses.replace(environment.lab)
