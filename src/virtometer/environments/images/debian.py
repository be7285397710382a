"""The image `debian`: a user land of Debian's with the external tools, as a directory and as a disk with ext4.

It is built without mounting an image, named after its content, and shared read-only by all guests. Two builds from the
same packages have the same name and the same bytes: nothing in it depends on the time of the build, on this host's name
or on the mirror. Sources: mmdebstrap(1), mke2fs(8), the layout of ext4 in Linux Documentation/filesystems/ext4.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from virtometer.environments.images.agent_root import AGENT
from virtometer.environments.images.machines import kept_alone
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.drafts import draft_in
from virtometer.host.owned.journal import Journal
from virtometer.host.programs import HostProgram
from virtometer.programs import Programs

PACKAGES = ("apache2-utils", "ethtool", "fio", "iproute2", "kmod", "procps")
"""What the image has beside the packages without which no Debian is one: the tools of workloads and of tuning."""

PACKAGE = re.compile(r"[a-z0-9][a-z0-9.+-]{1,60}")

NEEDED = 3 << 30
"""Bytes that a build may take at most, with all that it throws away."""

_RECIPE = 1  # count up when the same packages are to give another image
_EPOCH = 1_700_000_000  # seconds since 1970: nothing in an image is younger
_UUID = "76697274-6f6d-6574-6572-646562696100"
_BUILD_S = 1_800.0
_PLACES = ("usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin")
_LEFT_OUT = ("/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*", "/usr/share/man/*")
# What differs between two builds, or names the mirror; /data is where guests have their disk.
_CLEAN = (
    'rm -rf "$1"/etc/apt/sources.list* "$1"/etc/apt/apt.conf.d/99mmdebstrap "$1"/var/lib/apt/lists/* '
    '"$1"/var/cache/* "$1"/var/log/* "$1"/var/lib/dpkg/*-old "$1"/etc/*- && '
    'mkdir -p "$1"/data && : >"$1"/etc/machine-id && echo virtometer >"$1"/etc/hostname && '
    'rm -f "$1"/etc/resolv.conf && : >"$1"/etc/resolv.conf'
)


@dataclass(frozen=True, slots=True)
class DebianImage:
    """A built image. digest: the begin of the SHA-256 of all files in it. packages: version by name."""

    directory: Path
    digest: str
    packages: dict[str, str]

    @property
    def name(self) -> str:
        """Its name in lists."""
        return f"debian-{self.digest}"

    @property
    def root(self) -> Path:
        """The root directory, without an agent."""
        return self.directory / "root"

    @property
    def disk(self) -> Path:
        """The same as a disk with the file system ext4."""
        return self.directory / "disk.ext4"

    def as_qcow2(self, journal: Journal, programs: Programs) -> Path:
        """The disk in the format qcow2, compressed; made when it is first asked for. StorageError where it fails."""
        image = self.directory / "disk.qcow2"
        if image.is_file():
            return image
        converter = programs.find("qemu-img", "qemu-utils")
        how = ["convert", "-c", "-o", "compression_type=zstd", "-f", "raw", "-O", "qcow2"]
        try:
            with draft_in(self.directory, journal, programs) as work:
                draft = work / image.name
                programs.run([converter, *how, self.disk, draft], purpose="convert an image", limit_s=600)
                draft.rename(image)
        except (EnvironmentFailed, OSError) as cause:
            raise StorageError(f"the image {image} cannot be made: {cause}") from cause
        return image

    def find(self, program: str) -> str | None:
        """The path of a program in the image; None where it has none."""
        if "/" in program:
            return program if os.path.lexists(self.root / program.lstrip("/")) else None
        return next((f"/{place}/{program}" for place in _PLACES if (self.root / place / program).is_file()), None)

    def refusals(self, programs: Iterable[HostProgram]) -> dict[str, str]:
        """Of the programs that workloads run, those that the image does not have, with the reason."""
        found = {}
        for one in programs:
            if self.find(one.name) is None:
                found[one.name] = f"the image {self.name} has no program {one.name}; add its package to image_packages"
        return found

    def with_agent(self, agent: Path, journal: Journal, programs: Programs) -> Path:
        """The root directory with this agent in it: the same files by other links. StorageError where it fails."""
        with agent.open("rb") as binary:
            key = hashlib.file_digest(binary, "sha256").hexdigest()[:16]
        root = self.directory / f"with-{key}"
        if root.is_dir():
            return root
        try:
            with draft_in(self.directory, journal, programs) as work:
                draft = work / root.name
                copy = programs.find("cp", "coreutils")
                programs.run([copy, "-a", "--link", self.root, draft], purpose="link an image", limit_s=120)
                target = draft / AGENT.lstrip("/")
                shutil.copyfile(agent, target)
                target.chmod(0o755)
                draft.rename(root)
        except OSError as cause:
            if not root.is_dir():  # else another laboratory was faster
                raise StorageError(f"the root directory {root} cannot be made: {cause.strerror}") from cause
        return root


def wanted_packages(more: Sequence[str]) -> tuple[str, ...]:
    """All packages of an image with `more` packages than usual, in order."""
    return tuple(sorted({*PACKAGES, *more}))


def cached_image(cache: Path, more: Sequence[str] = ()) -> DebianImage | None:
    """The image with these packages that was built last, or None."""
    link = recipe_link(cache, more)
    try:
        return _read(link.parent / link.readlink())
    except OSError:
        return None


def images(cache: Path) -> list[DebianImage]:
    """All images that are built."""
    found = [_read(path) for path in sorted((cache / "images").glob("debian-*")) if path.is_dir()]
    return [one for one in found if one is not None]


def debian_image(
    cache: Path, journal: Journal, programs: Programs, more: Sequence[str] = (), *, again: bool = False
) -> DebianImage:
    """The image with these packages; it is built where there is none, which takes a minute or two, or `again`.

    Raises MissingProgram without mmdebstrap, EnvironmentFailed where it cannot be built, StorageError without room.
    """
    if not again and (found := cached_image(cache, more)) is not None:
        return found
    for program, package in (("mmdebstrap", "mmdebstrap"), ("mke2fs", "e2fsprogs"), ("tar", "tar")):
        programs.find(program, package)
    if os.geteuid() != 0:
        raise EnvironmentFailed(
            "the image debian has files of several users, which only root can make", advice="run as root"
        )
    place = cache / "images"
    try:
        with kept_alone(place):
            if again or (found := cached_image(cache, more)) is None:  # else somebody built it while we waited
                found = _build(place, cache, journal, programs, more)
    except OSError as cause:
        raise StorageError(f"no image can be kept in {place}: {cause.strerror}") from cause
    return found


def recipe_link(cache: Path, more: Sequence[str]) -> Path:
    """The link to the image with these packages that was built last."""
    recipe = json.dumps([_RECIPE, _EPOCH, _CLEAN, wanted_packages(more)])
    return cache / "images" / f"recipe-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"


def _read(directory: Path) -> DebianImage | None:
    try:
        index = json.loads((directory / "image.json").read_bytes())
        return DebianImage(directory, index["digest"], dict(index["packages"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def debian_sources(programs: Programs) -> tuple[str, str]:
    """The name of this host's Debian release, and its archives as lines of a sources.list, as apt knows them.

    Raises EnvironmentFailed where apt knows none.
    """
    apt = programs.find("apt-get", "apt")
    fields = "$(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)"
    argv: list[str | Path] = [apt, "indextargets", "--format", fields, "Created-By: Packages", "Origin: Debian"]
    listed = programs.run(argv, purpose="ask apt for its archives", whole=True).stdout.decode().splitlines()
    found = sorted({tuple(line.split()) for line in listed if len(line.split()) == 4})
    suites = [codename for codename, _, release, _ in found if release == codename]
    if not suites:
        raise EnvironmentFailed(
            "apt knows no archive of Debian", advice="run apt-get update as root, or use a Debian machine"
        )
    lines = [f"deb {uri} {release} {part}" for codename, uri, release, part in found if codename.startswith(suites[0])]
    return suites[0], "".join(f"{line}\n" for line in lines)


def _build(place: Path, cache: Path, journal: Journal, programs: Programs, more: Sequence[str]) -> DebianImage:
    """Build an image beside its final place. The lock is held."""
    if (free := shutil.disk_usage(place).free) < NEEDED:
        raise StorageError(
            f"an image needs {NEEDED >> 30} GiB in {place} while it is built, and {free >> 30} GiB are free",
            advice="make room, or choose another cache with XDG_CACHE_HOME",
        )
    suite, sources = debian_sources(programs)
    with draft_in(place, journal, programs) as work:
        archive, kept = work / "root.tar", work / "kept"
        kept.mkdir()
        _bootstrap(archive, suite, sources, programs, more)
        with archive.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()[:16]
        final = place / f"debian-{digest}"
        if _read(final) is None:
            root = kept / "root"
            root.mkdir()
            tar = programs.find("tar", "tar")
            programs.run([tar, "-C", root, "--numeric-owner", "-xpf", archive], purpose="unpack an image", limit_s=300)
            archive.unlink()
            (root / "dev").mkdir(mode=0o755)  # left out with the devices in it
            for directory in (root / "dev", root):
                os.utime(directory, (_EPOCH, _EPOCH))
            make_disk(root, kept / "disk.ext4", programs)
            index = {"digest": digest, "suite": suite, "packages": installed(root)}
            (kept / "image.json").write_text(json.dumps(index, indent=1, sort_keys=True))
            _sync(kept)
            shutil.rmtree(final, ignore_errors=True)
            kept.rename(final)
        link = work / "link"
        link.symlink_to(final.name)
        link.rename(recipe_link(cache, more))
    found = _read(final)
    if found is None:
        raise EnvironmentFailed(f"the image {final} cannot be read", advice=f"remove {final}")
    return found


def _bootstrap(archive: Path, suite: str, sources: str, programs: Programs, more: Sequence[str]) -> None:
    program = programs.find("mmdebstrap", "mmdebstrap")
    argv: list[str | Path] = [
        *own_mounts(programs, []),  # it mounts /proc, /sys and devices into the new root directory
        programs.find("env", "coreutils"), f"SOURCE_DATE_EPOCH={_EPOCH}", f"TMPDIR={archive.parent}", "LC_ALL=C",
        program, "--quiet", "--variant=minbase", "--mode=root", "--format=tar", "--skip=output/dev",
        f"--include={','.join(wanted_packages(more))}", '--aptopt=Apt::Install-Recommends "false"',
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in _LEFT_OUT),
        # Some packages link their pages there, and fail without the directory.
        '--essential-hook=mkdir -p "$1"/usr/share/man/man1', f"--customize-hook={_CLEAN}",
        suite, archive, "-",
    ]  # fmt: skip
    try:
        programs.run(argv, purpose="build the image debian", limit_s=_BUILD_S, input_bytes=sources.encode())
    except EnvironmentFailed as cause:
        raise EnvironmentFailed(
            f"the image debian cannot be built: {cause.sentence.rpartition('failed with ')[2]}",
            advice="check the network, run apt-get update, and whether Debian has all of image_packages",
        ) from cause


def installed(root: Path) -> dict[str, str]:
    """The packages of a root directory with their versions, as dpkg's own list has them."""
    found = {}
    for paragraph in (root / "var/lib/dpkg/status").read_text(errors="replace").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if re.match(r"(Package|Version): ", line))
        if "Package" in fields:
            found[fields["Package"]] = fields.get("Version", "")
    return found


def make_disk(root: Path, disk: Path, programs: Programs) -> None:
    """Make a disk with the file system ext4 and all files of a directory. The same files give the same bytes."""
    entries = [path.lstat() for path in root.rglob("*")]
    size = sum(-(-one.st_size // 4096) * 4096 + 512 for one in entries) * 21 // 20 + (64 << 20)
    size = -(-size // (1 << 20)) << 20
    with disk.open("wb") as file:
        file.truncate(size)
    argv: list[str | Path] = [
        programs.find("env", "coreutils"), f"E2FSPROGS_FAKE_TIME={_EPOCH}",
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


def _sync(kept: Path) -> None:
    """Write the image to the disk, but not file by file: there are thousands."""
    for path in (kept / "image.json", kept / "disk.ext4"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    os.sync()
