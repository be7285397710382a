"""The host's files for a sandbox of an ordinary user: read-only, with writable layers where the kernel allows them.

An ordinary user can mount an overlay in a user namespace, of a directory without mounts below; of / as a whole it is
refused. Source: Linux Documentation/filesystems/overlayfs.rst (userxattr).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.parts.guest_root import LAYERS, current_directory, make_layer
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.programs import Words

_TMP = "/tmp"


@dataclass(frozen=True, slots=True)
class UserLayers:
    """before: words before bwrap, which mount. argv: of bwrap, its root directory with what is writable in it."""

    before: Words
    argv: Words


def user_layers(guest: ProcessGuest, bwrap: Path, agent: Path) -> UserLayers:
    """/tmp and the laboratory's current directory under layers that are thrown away; notes how they could be had.

    Without a layer /tmp is empty, and the current directory read-only.
    """
    directory, current = guest.make_directory(), current_directory()
    argv: list[str | Path] = ["--ro-bind", "/", "/"]
    mounts: list[Words] = []
    layers = {"/": "read-only"}
    for place in dict.fromkeys([_TMP, current or _TMP]):
        if place == "/" or (layers.get(_TMP) == "overlay" and _is_same_mount(place)):
            continue
        mount = _mount(directory, place, f"-{len(layers)}")
        if _works(guest, bwrap, mount):
            mounts.append(mount)
            argv += ["--bind", mount[-1], place]
            layers[place] = "overlay"
        elif place == _TMP:
            argv += ["--tmpfs", _TMP, *_visible(agent), *_visible(current)]
            layers[place] = "empty"
        else:
            layers[place] = "read-only"
    guest.effective[LAYERS] = layers
    return UserLayers(_in_namespace(guest, mounts), [*argv, *_as_user()]) if mounts else UserLayers([], argv)


def _mount(directory: Path, place: str, suffix: str) -> Words:
    """The command that mounts a layer over a place at a directory of the guest's, which is its last word."""
    make_layer(directory, Path(place), suffix)
    at = directory / f"layer{suffix}"
    at.mkdir()
    options = f"userxattr,lowerdir=lower{suffix},upperdir=upper{suffix},workdir=work{suffix}"
    return ["env", f"--chdir={directory}", "mount", "-t", "overlay", "-o", options, "overlay", at]


def _works(guest: ProcessGuest, bwrap: Path, mount: Words) -> bool:
    words: Words = [*_in_namespace(guest, [mount]), bwrap, "--ro-bind", "/", "/", "--unshare-all", *_as_user(), "true"]
    return guest.lab.programs.run(words, purpose="try a writable layer", check=False).returncode == 0


def _in_namespace(guest: ProcessGuest, mounts: Sequence[Words]) -> Words:
    """The words that run what follows them as root of a user namespace, which has the mounts."""
    unshare = guest.lab.programs.find("unshare", "util-linux")
    script = " && ".join([*(shlex.join(map(str, mount)) for mount in mounts), 'exec "$@"'])
    return [unshare, "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]


def _as_user() -> Words:
    """Options of bwrap for the user and the group that this process has, where bwrap runs as root of a namespace."""
    return ["--uid", str(os.geteuid()), "--gid", str(os.getegid())]


def _visible(path: Path | str | None) -> Words:
    """Options of bwrap that let a path of the host's /tmp be seen in an empty one."""
    return ["--ro-bind", path, path] if path is not None and f"{path}/".startswith(f"{_TMP}/") else []


def _is_same_mount(place: str) -> bool:
    """Whether a directory lies in the file system of /tmp, at or below /tmp."""
    path = Path(place)
    between = [one for one in (path, *path.parents) if Path(_TMP) in one.parents]
    return (path == Path(_TMP) or bool(between)) and not any(one.is_mount() for one in between)
