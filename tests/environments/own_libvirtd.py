"""A libvirtd of the tests' own: in a mount namespace where its files are its own, so that no daemon of a user's is met.

It listens at a socket in a directory of the tests. Its virtlogd is beside it. Both are ended by their pids.

Where this host lacks a directory to mount them on, it is made, and the last daemon that ends removes it: to remove a
directory takes away what others have mounted on it, in every namespace.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from tests.waiting import wait_until
from virtometer.host.cpu.accounting import all_cgroup_mounts, bare_unified

START_S = 60.0
_PLACES = ("/etc/libvirt", "/var/lib/libvirt", "/var/log/libvirt", "/var/cache/libvirt", "/run/libvirt")
_MADE = ".made-by-the-tests-of-virtometer"
_LOCKED = "/run"  # shared by the daemons that run
_SCRIPT = """
for place in {places}; do mount -t tmpfs -o mode=755 own "$place" || exit 1; done
{hidden}
mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/group" /etc/group || exit 1
cp "$1/qemu.conf" "$1/lxc.conf" "$1/libvirtd.conf" /etc/libvirt/ || exit 1
exec "$2" -c "$3" "$1"
"""
# What the daemon leaves to process 1 is reaped at once here: libvirt takes a dead process for one that runs. Where the
# tests are killed, or the daemon has ended, all that is left is killed.
_REAPER = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
libc.prctl(36, 1, 0, 0, 0)
libc.prctl(1, signal.SIGTERM, 0, 0, 0)
os.environ.pop("LIBVIRT_DEFAULT_URI", None)
daemons = [os.posix_spawnp(name, [name, "--pid-file", sys.argv[1] + "/" + name + ".pid"], os.environ)
           for name in ("virtlogd", "libvirtd")]
signal.signal(signal.SIGTERM, lambda *_: os.kill(daemons[1], signal.SIGTERM))
while os.wait()[0] != daemons[1]:
    pass
while True:
    for pid in open(f"/proc/self/task/{os.getpid()}/children").read().split():
        os.kill(int(pid), signal.SIGKILL)
    try:
        os.wait()
    except ChildProcessError:
        break
"""


_NOBODY = "libvirt-qemu:x:64055:64055::/nonexistent:/usr/sbin/nologin\n"
_GROUPS = "libvirt-qemu:x:64055:\nkvm:x:64054:\n"


def installed() -> bool:
    """Whether this host has what the daemon needs."""
    found = [shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin") for name in ("libvirtd", "virtlogd", "virsh")]
    return os.geteuid() == 0 and None not in found


class OwnLibvirtd:
    """Starts when it is entered; afterwards nothing of it is left."""

    def __init__(self) -> None:
        """Does no work."""
        self.directory = Path()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = -1

    def uri(self, driver: str) -> str:
        """Of one of its drivers, such as qemu."""
        return f"{driver}+unix:///system?socket={self.directory}/libvirt-sock"

    def __enter__(self) -> OwnLibvirtd:
        self.directory = Path(tempfile.mkdtemp(prefix="virtometer-libvirtd-"))
        self._configure()
        self._make_places()
        script = _SCRIPT.format(
            places=" ".join(_PLACES), hidden="\n".join(f"umount --lazy {path}" for path in bare_unified())
        )
        words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", str(self.directory)]
        words += [sys.executable, _REAPER]
        with (self.directory / "log").open("wb") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_until(self._answers, START_S)
        except AssertionError as cause:
            said = (self.directory / "log").read_text(errors="replace")
            self.__exit__(None, None, None)
            raise AssertionError(f"libvirtd does not start: {said[-2000:]}") from cause
        return self

    def _configure(self) -> None:
        """No other user and no profile for its guests; the users that its defaults name are made up."""
        here = self.directory
        passwd, group = Path("/etc/passwd").read_text(), Path("/etc/group").read_text()
        (here / "passwd").write_text(passwd + ("" if "\nlibvirt-qemu:" in passwd else _NOBODY))
        (here / "group").write_text(group + ("" if "\nlibvirt-qemu:" in group else _GROUPS))
        (here / "qemu.conf").write_text('user = "root"\ngroup = "root"\nsecurity_driver = "none"\n')
        (here / "lxc.conf").write_text('security_driver = "none"\n')
        (here / "libvirtd.conf").write_text(
            f'unix_sock_dir = "{here}"\nauth_unix_rw = "none"\nauth_unix_ro = "none"\nlog_level = 3\n'
        )

    def _make_places(self) -> None:
        self._lock = os.open(_LOCKED, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        for place in map(Path, _PLACES):
            with contextlib.suppress(FileExistsError):
                place.mkdir()
                (place / _MADE).touch()

    def _remove_places(self) -> None:
        """Where no other daemon runs. So are the cgroups of domains, of which libvirtd leaves the parents."""
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            made = [Path(place) for place in _PLACES if (Path(place) / _MADE).exists()]
            for place in made:
                (place / _MADE).unlink()
            for place in (*made, *(mount.path / "machine" for mount in all_cgroup_mounts())):
                with contextlib.suppress(OSError):  # a daemon of a user's may use it by now
                    place.rmdir()
        os.close(self._lock)

    def mounted(self) -> bool:
        """Whether all of its own files are where its processes look for them."""
        assert self._process is not None
        mounts = Path(f"/proc/{self._process.pid}/mountinfo").read_text().splitlines()
        return set(_PLACES) <= {line.split()[4] for line in mounts}

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "libvirtd has ended"
        if not (self.directory / "libvirt-sock").exists():
            return False
        asked = ["virsh", "--quiet", "--connect", self.uri("qemu"), "version"]
        return subprocess.run(asked, capture_output=True, timeout=START_S).returncode == 0

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._remove_places()
        shutil.rmtree(self.directory)
