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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.images.machines import kept_alone
from virtometer.environments.images.root_image import EPOCH, RootImage, make_disk
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.drafts import draft_in
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs

PACKAGES = ("apache2-utils", "ethtool", "fio", "iproute2", "kmod", "procps")
"""What the image has beside the packages without which no Debian is one: the tools of workloads and of tuning."""

PACKAGE = re.compile(r"[a-z0-9][a-z0-9.+-]{1,60}")

NEEDED = 3 << 30
"""Bytes that a build may take at most, with all that it throws away."""

_RECIPE = 1  # count up when the same packages are to give another image
_BUILD_S = 1_800.0
_LEFT_OUT = ("/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*", "/usr/share/man/*")
# What differs between two builds, or names the mirror; /data is where guests have their disk.
_CLEAN = (
    'rm -rf "$1"/etc/apt/sources.list* "$1"/etc/apt/apt.conf.d/99mmdebstrap "$1"/var/lib/apt/lists/* '
    '"$1"/var/cache/* "$1"/var/log/* "$1"/var/lib/dpkg/*-old "$1"/etc/*- && '
    'mkdir -p "$1"/data && : >"$1"/etc/machine-id && echo virtometer >"$1"/etc/hostname && '
    'rm -f "$1"/etc/resolv.conf && : >"$1"/etc/resolv.conf'
)


@dataclass(frozen=True, slots=True)
class DebianImage(RootImage):
    """A built image. digest: the begin of the SHA-256 of all files in it. packages: version by name."""

    packages: dict[str, str]

    def missing(self, program: str) -> str:
        """With what would add it."""
        return f"the image {self.name} has no program {program}; add its package to image_packages"


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
    recipe = json.dumps([_RECIPE, EPOCH, _CLEAN, wanted_packages(more)])
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
                os.utime(directory, (EPOCH, EPOCH))
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
        programs.find("env", "coreutils"), f"SOURCE_DATEEPOCH={EPOCH}", f"TMPDIR={archive.parent}", "LC_ALL=C",
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


def _sync(kept: Path) -> None:
    """Write the image to the disk, but not file by file: there are thousands."""
    for path in (kept / "image.json", kept / "disk.ext4"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    os.sync()
