"""The images that guests start from, as a user sees them: which there are, built when asked for, removed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.cache import cache_directory
from virtometer.environments.images.debian import PACKAGE, DebianImage, debian_image, images
from virtometer.environments.images.machines import METAPACKAGES, cached_kernel
from virtometer.environments.images.oci.image import PREFIX, OciImage, oci_image, oci_images, unreadable_images
from virtometer.environments.images.oci.source import is_path
from virtometer.environments.images.root_image import RootImage
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import StorageError, UsageError
from virtometer.host.lock.host_lock import HostLock
from virtometer.host.owned.directories import remove_directory
from virtometer.host.owned.journal import Journal, state_directory
from virtometer.programs import Programs
from virtometer.runner.lab.context import lab_context
from virtometer.runner.lab.doctor import prepare_all

AGENT, DEBIAN, OCI = "agent", "debian", "oci"
NAMES = (AGENT, DEBIAN)
_OF_AGENT = ("kernels", "initramfs", "agent-root-*")


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image in the cache: its name, the bytes that it takes, what it holds in words, where it lies."""

    name: str
    bytes: int
    contents: str
    path: Path


def clean_up() -> list[str]:
    """Remove what laboratories that were killed left behind, such as half an image. One sentence for each."""
    return remove_leftovers(Journal(state_directory()), Programs())


def stored_images() -> list[StoredImage]:
    """All images in this user's cache."""
    cache = cache_directory()
    found = []
    if paths := _of_agent(cache):
        kernels = [kernel.version for one in METAPACKAGES if (kernel := cached_kernel(cache, one))]
        roots = len([path for path in paths if path.name.startswith("agent-root-")])
        contents = f"kernels {', '.join(kernels) or 'none'}; the agent in {roots} root directories"
        found.append(StoredImage(AGENT, sum(map(_size, paths)), contents, cache))
    found += [_stored(one) for one in images(cache)] + [_of_oci(one) for one in oci_images(cache)]
    return found + [_unreadable(path) for path in unreadable_images(cache)]


def add_image(reference: str) -> StoredImage:
    """Fetch and unpack an image of containers, also where an earlier one of this reference is there.

    Raises what `oci_image` raises.
    """
    with lab_context(Path(tempfile.gettempdir())) as lab:
        return _of_oci(oci_image(absolute(reference), lab.cache, lab.journal, lab.programs, again=True))


def absolute(reference: str) -> str:
    """A reference as plans have it, from any directory: without the beginning, and with the full path."""
    reference = reference.removeprefix(PREFIX)
    return str(Path.cwd() / reference) if is_path(reference) and reference else reference


def build_image(name: str, packages: Sequence[str] = (), *, again: bool = False) -> tuple[list[StoredImage], list[str]]:
    """Build an image, where it is not there or `again`. Returns it, and what could not be made ready, in sentences.

    packages: of `debian`, beside the usual ones. Raises UsageError for a name that is none, and what builds raise.
    """
    if name not in NAMES:
        raise UsageError(f"there is no image {name!r} that can be built; there are {', '.join(NAMES)}")
    for package in packages:
        if not PACKAGE.fullmatch(package):
            raise UsageError(f"{package!r} is no name of a Debian package")
    if name == DEBIAN:
        with lab_context(Path(tempfile.gettempdir())) as lab:
            image = debian_image(lab.cache, lab.journal, lab.programs, packages, again=again)
            return [_stored(image)], []
    if packages:
        raise UsageError(f"the image {name} has no packages; give them to the image {DEBIAN}")
    if again:
        remove_image(AGENT, beside=True)
    faults = [f"{kind}: {cause.sentence}" for kind, cause in prepare_all()]
    return [one for one in stored_images() if one.name == AGENT], faults


def remove_image(name: str, *, beside: bool = False) -> list[str]:
    """Remove an image by its name, digest or reference, or all of debian or oci by these names.

    Returns the names of what was removed. beside: also while a laboratory measures, whose guests may lose it. Raises
    UsageError where there is none of this name, HostBusy without `beside`.
    """
    cache = cache_directory()
    with HostLock(beside=beside):
        if name == AGENT:
            paths, names = _of_agent(cache), [AGENT]
        else:
            chosen: list[RootImage] = [one for one in images(cache) if name in (DEBIAN, one.name)]
            chosen += [one for one in oci_images(cache) if name in _names(one) or absolute(name) == one.reference]
            damaged = [path for path in unreadable_images(cache) if name in (OCI, path.name)]
            paths = [*(one.directory for one in chosen), *damaged]
            names = [path.name for path in paths]
        if not paths:
            there = ", ".join(one.name for one in stored_images()) or "none"
            raise UsageError(f"there is no image {name!r} to remove; there are: {there}")
        try:
            for path in paths:
                remove_directory(path)
            for pattern in ("recipe-*", "reference-*"):
                for link in (cache / "images").glob(pattern):
                    if not link.exists():
                        link.unlink()
        except OSError as cause:
            raise StorageError(f"the image {name} cannot be removed: {cause.strerror} ({cause.filename})") from cause
    return names


def _of_agent(cache: Path) -> list[Path]:
    return [path for pattern in _OF_AGENT for path in sorted(cache.glob(pattern)) if path.is_dir()]


def _stored(image: DebianImage) -> StoredImage:
    contents = f"{len(image.packages)} packages of Debian's, as a root directory and as a disk of ext4"
    return StoredImage(image.name, _size(image.directory), contents, image.directory)


def _names(image: OciImage) -> tuple[str, ...]:
    return OCI, image.name, image.digest, image.condition, *([image.manifest] if image.manifest else [])


def _of_oci(image: OciImage) -> StoredImage:
    manifest = f", manifest {image.manifest}" if image.manifest else ""
    contents = f"{image.reference}, {image.digest}{manifest}"
    return StoredImage(image.name, _size(image.directory), contents, image.directory)


def _unreadable(path: Path) -> StoredImage:
    return StoredImage(path.name, _size(path), "its description cannot be read: remove it", path)


def _size(directory: Path) -> int:
    """Bytes that a directory takes on the disk; a file with several names counts once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for parent, _, files in os.walk(directory):
        for name in files:
            found = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - thousands of files
            if (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                total += found.st_blocks * 512
    return total
