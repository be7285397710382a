"""A dockerd of the tests' own: with all its files in a directory of theirs, so that no daemon of a user's is met.

It makes no rule of a firewall, and a bridge only in a network namespace of its own. It sees no cgroup2 beside cgroups
of v1. Its containerd is its child.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from tests.waiting import wait_until
from virtometer.host.cpu.accounting import all_cgroup_mounts, bare_unified, cgroup_processes
from virtometer.processes import kill_all, tree_of

START_S = 60.0
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
RUNTIMES = {"crun": "crun", "sandbox": "runsc"}
"""Those that it knows beside its own, where this host has the programs: their names, and the programs."""

# What Debian's runsc needs on recent kernels, and where a host lacks a controller.
_OPTIONS = {"runsc": "--network=none --ignore-cgroups"}

_SCRIPT = """
{hidden}
exec "$@"
"""


def installed() -> bool:
    """Whether this host has what the daemon needs."""
    found = [shutil.which(name, path=PATH) for name in ("dockerd", "containerd", "docker")]
    return os.geteuid() == 0 and None not in found


class OwnDockerd:
    """Starts when it is entered; afterwards nothing of it is left."""

    def __init__(self, *, bridge: bool = False) -> None:
        """Does no work. bridge: it has its usual bridge, in a network namespace that ends with it."""
        self._bridge = bridge
        self.directory = Path()
        self._process: subprocess.Popen[bytes] | None = None
        self._had: set[Path] = set()

    @property
    def address(self) -> str:
        """As DOCKER_HOST has it."""
        return f"unix://{self.directory}/docker.sock"

    def docker(self, *words: str) -> str:
        """Run one command of docker at this daemon; returns what it printed."""
        program = shutil.which("docker", path=PATH)
        argv = [str(program), "--host", self.address, *words]
        return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=START_S).stdout.strip()

    def __enter__(self) -> OwnDockerd:
        self.directory = Path(tempfile.mkdtemp(prefix="virtometer-dockerd-"))
        self._had = set(_parents())
        self.start()
        return self

    def start(self) -> None:
        """Start it again after `stop`, with all that it had."""
        here = self.directory
        script = _SCRIPT.format(hidden="\n".join(f"umount --lazy {path}" for path in bare_unified()))
        apart = ["--net"] if self._bridge else []
        words = ["unshare", "--mount", *apart, "--propagation", "private", "sh", "-c", script, "sh", "dockerd"]
        words += [f"--data-root={here}/data", f"--exec-root={here}/exec", f"--pidfile={here}/pid"]
        words += [
            f"--host={self.address}",
            "--iptables=false",
            "--ip-forward=false",
            "--storage-driver=overlay2",
            *([] if self._bridge else ["--bridge=none"]),
        ]
        words += ["--exec-opt=native.cgroupdriver=cgroupfs", f"--config-file={here}/daemon.json"]
        for name, program in RUNTIMES.items():
            if (path := shutil.which(program, path=PATH)) is not None:
                called = here / name
                called.write_text(f'#!/bin/sh\nexec {path} {_OPTIONS.get(program, "")} "$@"\n')
                called.chmod(0o755)
                words.append(f"--add-runtime={name}={called}")
        (here / "daemon.json").write_text("{}")
        with (here / "log").open("wb") as log:
            self._process = subprocess.Popen(
                words,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=_end_with_the_tests,
                env={**os.environ, "PATH": PATH},
            )
        try:
            wait_until(self._answers, START_S)
        except AssertionError as cause:
            said = (here / "log").read_text(errors="replace")
            self.__exit__(None, None, None)
            raise AssertionError(f"dockerd does not start: {said[-2000:]}") from cause

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "dockerd has ended"
        if not (self.directory / "docker.sock").exists():
            return False
        try:
            self.docker("version")
        except subprocess.CalledProcessError:
            return False
        return True

    def stop(self) -> None:
        """End it, with its containers. What it has on the disk stays."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            pid = self._process.pid
            kill_all(lambda: tree_of(pid))
            self._process.wait()
        self._process = None

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self.directory)
        for directory in set(_parents()) - self._had:
            if not cgroup_processes(directory):
                directory.rmdir()


def _end_with_the_tests() -> None:
    """In the child: where the tests are killed the daemon ends, with its containers."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)


def _parents() -> list[Path]:
    """The groups in which daemons make those of containers that name no other."""
    return [path for mount in all_cgroup_mounts() if (path := mount.path / "docker").is_dir()]
