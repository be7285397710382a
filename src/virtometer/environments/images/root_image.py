"""What images with a root directory of their own have in common: the directory, with an agent in it, and as a disk."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from virtometer.environments.images.agent_root import AGENT
from virtometer.environments.images.inside import find_program
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.owned.drafts import draft_in
from virtometer.host.owned.journal import Journal
from virtometer.host.programs import HostProgram
from virtometer.programs import Programs

EPOCH = 1_700_000_000
"""Seconds since 1970: nothing that is added to an image is younger."""

_UUID = "76697274-6f6d-6574-6572-646562696100"
_PLACES = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


@dataclass(frozen=True, slots=True)
class RootImage:
    """An image in the cache. directory: its own, with all that is made of it. digest: of its content."""

    directory: Path
    digest: str

    @property
    def name(self) -> str:
        """Its name in lists."""
        return self.directory.name

    @property
    def condition(self) -> str:
        """What says in results which root directory a guest has."""
        return self.name

    @property
    def root(self) -> Path:
        """The root directory, without an agent."""
        return self.directory / "root"

    @property
    def disk(self) -> Path:
        """The same as a disk with the file system ext4."""
        return self.directory / "disk.ext4"

    def missing(self, program: str) -> str:
        """Why a program cannot run that it does not have."""
        return f"the image {self.name} has no program {program}"

    def as_ext4(self, journal: Journal, programs: Programs) -> Path:
        """The disk, made when it is first asked for. Raises StorageError where it cannot be made."""
        return self._made(self.disk, journal, programs, lambda draft: make_disk(self.root, draft, programs))

    def as_qcow2(self, journal: Journal, programs: Programs) -> Path:
        """The disk in the format qcow2, compressed; made when it is first asked for. StorageError where it fails."""
        image = self.directory / "disk.qcow2"
        if image.is_file():
            return image  # and no program is needed
        disk = self.as_ext4(journal, programs)
        converter = programs.find("qemu-img", "qemu-utils")
        how = ["convert", "-c", "-o", "compression_type=zstd", "-f", "raw", "-O", "qcow2"]

        def convert(draft: Path) -> None:
            programs.run([converter, *how, disk, draft], purpose="convert an image", limit_s=600)

        return self._made(image, journal, programs, convert)

    def find(self, program: str, path: str = "") -> str | None:
        """The path of a program in the image; None where it has none. path: where it is looked up, as PATH has it."""
        return find_program(self.root, program, path.split(":") if path else _PLACES)

    def refusals(self, programs: Iterable[HostProgram]) -> dict[str, str]:
        """Of the programs that workloads run, those that the image does not have, with the reason."""
        return {one.name: self.missing(one.name) for one in programs if self.find(one.name) is None}

    def with_agent(self, agent: Path, journal: Journal, programs: Programs) -> Path:
        """The root directory with this agent in it: the same files by other links. StorageError where it fails."""
        with agent.open("rb") as binary:
            key = hashlib.file_digest(binary, "sha256").hexdigest()[:16]

        def link(draft: Path) -> None:
            copy = programs.find("cp", "coreutils")
            programs.run([copy, "-a", "--link", self.root, draft], purpose="link an image", limit_s=120)
            target = draft / AGENT.lstrip("/")
            if os.path.lexists(target):  # of the image, which may be a link to anywhere, and shares its file with it
                target.unlink()
            shutil.copyfile(agent, target)
            target.chmod(0o755)

        return self._made(self.directory / f"with-{key}", journal, programs, link)

    def _made(self, final: Path, journal: Journal, programs: Programs, make: Callable[[Path], None]) -> Path:
        """A file or directory beside the root directory, made in a draft where it is not there."""
        if final.exists():
            return final
        try:
            with draft_in(self.directory, journal, programs) as work:
                draft = work / final.name
                make(draft)
                draft.rename(final)
        except (EnvironmentFailed, OSError) as cause:
            if not final.exists():  # else another laboratory was faster
                reason = cause.strerror if isinstance(cause, OSError) else cause
                raise StorageError(f"{final} of an image cannot be made: {reason}") from cause
        return final


def make_disk(root: Path, disk: Path, programs: Programs) -> None:
    """Make a disk with the file system ext4 and all files of a directory. The same files give the same bytes."""
    entries = [path.lstat() for path in root.rglob("*")]
    size = sum(-(-one.st_size // 4096) * 4096 + 512 for one in entries) * 21 // 20 + (64 << 20)
    size = -(-size // (1 << 20)) << 20
    with disk.open("wb") as file:
        file.truncate(size)
    argv: list[str | Path] = [
        programs.find("env", "coreutils"), f"E2FSPROGS_FAKE_TIME={EPOCH}",
        programs.find("mke2fs", "e2fsprogs"), "-q", "-t", "ext4", "-d", root, "-b", "4096", "-I", "256", "-m", "0",
        "-N", str(len(entries) + 4096), "-U", _UUID, "-L", "virtometer", "-O", "^has_journal,^metadata_csum,^64bit",
        "-E", f"nodiscard,lazy_itable_init=0,root_owner=0:0,hash_seed={_UUID}", disk,
    ]  # fmt: skip
    programs.run(argv, purpose="make the disk of an image", limit_s=600)
    with disk.open("r+b") as file:
        _fix_times(file)


def _fix_times(disk: BinaryIO) -> None:
    """Give each file one time, that of its content: mke2fs copies when files were unpacked on this host."""
    disk.seek(1024)
    block = disk.read(1024)
    inodes, _ = struct.unpack_from("<II", block)
    (log_size,) = struct.unpack_from("<I", block, 0x18)
    (per_group,) = struct.unpack_from("<I", block, 0x28)
    (inode_size,) = struct.unpack_from("<H", block, 0x58)
    (features,) = struct.unpack_from("<I", block, 0x60)
    size = 1024 << log_size
    descriptor = struct.unpack_from("<H", block, 0xFE)[0] if features & 0x80 else 32
    for group in range(-(-inodes // per_group)):
        disk.seek(size * (2 if log_size == 0 else 1) + group * descriptor + 8)
        (table,) = struct.unpack("<I", disk.read(4))
        disk.seek(table * size)
        content = bytearray(disk.read(per_group * inode_size))
        for at in range(0, len(content), inode_size):
            if not content[at] and not content[at + 1]:  # no mode: no file
                continue
            modified = content[at + 0x10 : at + 0x14]
            content[at + 0x08 : at + 0x10] = modified * 2
            content[at + 0x84 : at + 0x90] = bytes(12)  # parts of a second
            content[at + 0x90 : at + 0x98] = modified + bytes(4)
        disk.seek(table * size)
        disk.write(content)
