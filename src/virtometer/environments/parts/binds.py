"""Directories and files of the host that guests share for real: what they write there, the host has.

They are mounted over the layer that hides a guest's writing, in the mount namespace of the guest's launcher, and end
with it. Source: mount(8) of util-linux.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from virtometer.environments.base import Settings
from virtometer.environments.images.inside import inside
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.model.bind import Bind, bind_of
from virtometer.programs import Words

BINDS = "bind"
"""Of effective settings: what is bound in a guest, and how."""

_NOTES = "binds"
# $1: of the host, $2: where it is mounted, $3: rw or ro, $4: a file for notes, $5: what to note.
_MOUNT = (
    'if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "${2%/*}" && { [ -e "$2" ] || : >"$2"; }; fi && '
    'mount -o "bind,$3" "$1" "$2" && [ "$1" -ef "$2" ] && '
    'if [ -w "$2" ]; then printf "%s\\0" "$5:rw"; else printf "%s\\0" "$5:ro"; fi >>"$4"'
)


def _bind(text: str) -> str:
    bind_of(text)
    return text


class BindSettings(Settings):
    """Settings of kinds whose guests can share directories with the host.

    no_bind: why guests of a kind cannot, without its subject; empty where they can.
    """

    no_bind: ClassVar[str] = ""

    bind: Annotated[tuple[Annotated[str, AfterValidator(_bind)], ...], Field(max_length=64)] = Field(
        default_factory=tuple,
        description="directories or files of the host that guests share for real, HOST:GUEST each, with :ro for "
        "reading alone: what is written there stays. Without it, none",
    )

    def binds(self, root: Path = Path("/")) -> tuple[Bind, ...]:
        """What guests share, where links lead to. root: the root directory of guests, whose links hold there.

        Raises EnvironmentFailed for what this host does not have.
        """
        found = [bind_of(text) for text in self.bind]
        if missing := next((one.host for one in found if not one.host.exists()), None):
            raise EnvironmentFailed(f"{missing} of bind does not exist on this host")
        # A link in a guest's root directory would lead to the host's own files while its launcher mounts.
        return tuple(Bind(one.host.resolve(), _resolved(one.guest, root), one.writable) for one in found)


def _resolved(guest: Path, root: Path) -> Path:
    """Where a path of guests lies in their root directory, all links followed as a guest follows them."""
    there = inside(root, str(guest))
    if there is None:
        raise EnvironmentFailed(f"links at {guest} of bind lead to each other")
    return Path("/") / there.relative_to(root)


def bind_mounts(guest: ProcessGuest, binds: Sequence[Bind], root: Path) -> list[Words]:
    """Commands for `own_mounts` that share these below a root directory; the guest's effective settings have them."""
    if not binds:
        return []
    notes = guest.make_directory() / _NOTES
    guest.read_back(lambda: {BINDS: _noted(notes)})
    return [
        [
            "sh", "-c", _MOUNT, "sh", one.host, root / one.guest.relative_to("/"), "rw" if one.writable else "ro",
            notes, f"{one.host}:{one.guest}",
        ]
        for one in binds
    ]  # fmt: skip


def native_mounts(guest: ProcessGuest, binds: Sequence[Bind]) -> list[Words]:
    """The same for a process of the host, in a mount namespace of its own; nothing where a path is the same in both.

    Raises EnvironmentFailed where the host has nothing at the path to mount over: nothing is made on it.
    """
    for one in binds:
        if not one.guest.exists() or one.guest.is_dir() != one.host.is_dir():
            what = "directory" if one.host.is_dir() else "file"
            raise EnvironmentFailed(
                f"bind needs a {what} at {one.guest} on the host itself, and there is none",
                advice=f"make it, or give the same path twice: {one.host}:{one.host}",
            )
    moved = [one for one in binds if one.host != one.guest or not one.writable]
    same: list[Any] = [f"{one.host}:{one.guest}:rw" for one in binds if one not in moved]
    if same:
        guest.effective[BINDS] = same
    return bind_mounts(guest, moved, Path("/"))


def _noted(notes: Path) -> list[str]:
    return notes.read_text().split("\0")[:-1]
