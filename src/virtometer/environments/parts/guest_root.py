"""The root directory of a guest: where it lies, and what its launcher mounts before.

`host_root` has the host's own files under a writable layer that is thrown away. Its mounts are made in the mount
namespace of the guest's launcher (host/own_mounts.py): the host never has them, and they end with the guest's last
process, also after SIGKILL. What was written lies in the guest's directory, which the journal knows.
Source: Linux Documentation/filesystems/overlayfs.rst.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import AGENT
from virtometer.environments.parts.binds import bind_mounts
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.mount_table import Mount, mount_table
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.drafts import draft_in
from virtometer.model.bind import Bind
from virtometer.programs import Words

LAYERS = "root_layers"
"""Of effective settings: by directory of the host, how guests have the file system that is mounted there."""

# File systems that show the kernel, and no files.
_OF_KERNEL = frozenset(
    {
        "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
        "fusectl", "hugetlbfs", "mqueue", "nfsd", "nsfs", "proc", "pstore", "resctrl", "rpc_pipefs", "securityfs",
        "selinuxfs", "sysfs", "tracefs",
    }
)  # fmt: skip
_REMOTE = ("afs", "ceph", "cifs", "fuse.sshfs", "lustre", "nfs", "smb")
"""How the names of file systems begin whose server may not answer, for which a guest would wait without end."""

_NEVER = ("/dev", "/proc", "/sys")
# Where an overlay is impossible, a file system can still be read. $1: its directory, $2: its number, $3: the guest's.
_BELOW = (
    'cd "$3" && { '
    'mount -t overlay -o "lowerdir=lower-$2,upperdir=upper-$2,workdir=work-$2" overlay "root$1" 2>/dev/null || '
    '{ mount -o bind,ro "$1" "root$1" 2>/dev/null && echo "$2" >>read-only; } || echo "$2" >>missing; }'
)


@dataclass(frozen=True, slots=True)
class GuestRoot:
    """directory: with the agent in it. mounts: commands that make it, for `own_mounts`. writable: by the guest."""

    directory: Path
    mounts: tuple[Words, ...] = ()
    writable: bool = False


def host_root(guest: ProcessGuest, agent: Path, binds: Sequence[Bind] = ()) -> GuestRoot:
    """The host's files under a writable layer of this guest's; notes the layers among its effective settings.

    binds: what lies over the layer, shared with the host.
    """
    directory = guest.make_directory()
    make_layer(directory, Path("/"), "")
    (directory / "root").mkdir()
    copy = directory / "upper" / AGENT.lstrip("/")
    shutil.copyfile(agent, copy)
    copy.chmod(0o755)
    below = mounts_below(mount_table(), current_directory())
    commands = [_overlay(directory)]
    for number, point in enumerate(below):
        make_layer(directory, Path(point), f"-{number}")
        commands.append(["sh", "-c", _BELOW, "sh", point, str(number), directory])
    guest.read_back(lambda: {LAYERS: _layers(directory, below)})
    commands += bind_mounts(guest, binds, directory / "root")
    return GuestRoot(directory / "root", tuple(commands), writable=True)


def layer_over(guest: ProcessGuest, lower: Path, binds: Sequence[Bind] = ()) -> GuestRoot:
    """The files of a directory under a writable layer of this guest's. binds: what lies over it, as of `host_root`."""
    directory = guest.make_directory()
    make_layer(directory, lower, "")
    (directory / "root").mkdir()
    commands = [_overlay(directory), *bind_mounts(guest, binds, directory / "root")]
    return GuestRoot(directory / "root", tuple(commands), writable=True)


def require_host_root(lab: LabContext) -> None:
    """Raise EnvironmentFailed where this user or this host cannot have a writable layer over the host's files."""
    if os.geteuid() != 0:
        raise EnvironmentFailed(
            "root host needs an overlay of the whole host, which only root can mount", advice="run as root"
        )
    require_layer(lab, Path("/"), "root host needs an overlay of the whole host")


def require_layer(lab: LabContext, lower: Path, need: str) -> None:
    """Raise EnvironmentFailed where root cannot have a writable layer over a directory. need: what it is for."""
    try:
        with draft_in(lab.scratch, lab.journal, lab.programs) as work:
            make_layer(work, lower, "")
            (work / "root").mkdir()
            argv: Words = [*own_mounts(lab.programs, [_overlay(work)]), "true"]
            tried = lab.programs.run(argv, purpose="try a writable layer", check=False)
    except OSError as cause:
        raise StorageError(f"no writable layer can be made in {lab.scratch}: {cause.strerror}") from cause
    if tried.returncode != 0:
        words = tried.stderr.decode(errors="replace").strip().splitlines()
        raise EnvironmentFailed(
            f"{need} in {lab.scratch}, which cannot be mounted: {words[0] if words else 'mount says nothing'}",
            advice="choose a directory on another file system for results",
        )


def current_directory() -> str | None:
    """The laboratory's current directory; None where it is gone."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def mounts_below(table: Sequence[Mount], current: str | None) -> list[str]:
    """The mount points below / whose files guests see beside those of /, those that contain others first.

    Left out is what the kernel shows, in /dev, /proc, /sys and elsewhere. Remote file systems are left out too, and
    what daemons keep in memory in /run, unless the current directory lies there.
    """
    last = {one.point: one.kind for one in table if one.point != "/" and not _in(one.point, _NEVER)}
    holding = max((point for point in last if current is not None and _in(current, (point,))), key=len, default=None)
    found = [
        point
        for point, kind in last.items()
        if point == holding or not (_hidden(kind) or (kind == "tmpfs" and _in(point, ("/run",))))
    ]
    return sorted(found)


def _hidden(kind: str) -> bool:
    """Whether guests do not see a file system of this kind."""
    return kind in _OF_KERNEL or kind.startswith(_REMOTE)


def make_layer(directory: Path, lower: Path, suffix: str) -> None:
    """Directories of a layer over `lower`, in a guest's directory. The name `lower` is a link: no path needs quotes."""
    (directory / f"lower{suffix}").symlink_to(lower)
    (directory / f"work{suffix}").mkdir()
    upper = directory / f"upper{suffix}"
    upper.mkdir()
    try:
        like = lower.stat()
    except OSError:  # covered by another mount, or closed even to root: nothing can be mounted over it
        return
    if stat.S_ISDIR(like.st_mode):  # the root of an overlay is that of its upper layer
        if os.geteuid() == 0:
            os.chown(upper, like.st_uid, like.st_gid)
        upper.chmod(stat.S_IMODE(like.st_mode))


def _overlay(directory: Path) -> Words:
    options = "lowerdir=lower,upperdir=upper,workdir=work"
    return ["env", f"--chdir={directory}", "mount", "-t", "overlay", "-o", options, "overlay", "root"]


def _layers(directory: Path, below: list[str]) -> dict[str, str]:
    """What the launcher noted of each file system."""
    found = dict.fromkeys(["/", *below], "overlay")
    for name in ("read-only", "missing"):
        noted = directory / name
        for number in noted.read_text().split() if noted.exists() else ():
            found[below[int(number)]] = name
    return found


def _in(path: str, places: tuple[str, ...]) -> bool:
    return f"{path}/".startswith(tuple(f"{place}/" for place in places))
