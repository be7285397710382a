"""Images of containers as root directories: unpacked once, kept in the cache by digest, found by their references."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.environments.images.machines import kept_alone
from virtometer.environments.images.oci.config import ImageConfig, person
from virtometer.environments.images.oci.source import source_of, state_of
from virtometer.environments.images.oci.unpacking import unpack
from virtometer.environments.images.root_image import RootImage
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.owned.directories import remove_directory
from virtometer.host.owned.drafts import draft_in
from virtometer.host.owned.journal import Journal
from virtometer.model.command_defaults import CommandDefaults
from virtometer.programs import Programs

PREFIX = "oci:"
"""How a root directory is named in plans that is an image of containers."""

_RECIPE = 2  # count up when the same image is to give another root directory


@dataclass(frozen=True, slots=True)
class OciImage(RootImage):
    """reference: by which it was first found. digest: of its content, as sha256:HEX. manifest: digest of the first."""

    reference: str
    config: ImageConfig
    manifest: str

    @property
    def condition(self) -> str:
        """Its digest, whatever it was called."""
        return f"{PREFIX}{self.digest}"

    def command_defaults(self, user: str | None) -> CommandDefaults:
        """What it says of commands as this user, or as its own. Raises EnvironmentFailed where it lacks the user."""
        return self.config.command_defaults(person(self.root, self.config.user if user is None else user))


def oci_image(reference: str, cache: Path, journal: Journal, programs: Programs, *, again: bool = False) -> OciImage:
    """The image of a reference; fetched and unpacked where the cache does not have it, or `again`.

    Raises EnvironmentFailed where there is no such image, or none for this host; StorageError without room;
    MissingProgram without skopeo or umoci.
    """
    place = cache / "images"
    link = _link(place, reference, state_of(reference, programs))
    if not again and (found := _followed(link)) is not None:
        return found
    try:
        with kept_alone(place):
            if again or (found := _followed(link)) is None:  # else somebody unpacked it while we waited
                found = _unpacked(reference, link, journal, programs)
    except OSError as cause:
        raise StorageError(f"the image {reference} cannot be kept in {place}: {cause.strerror}") from cause
    return found


def oci_images(cache: Path) -> list[OciImage]:
    """All images of containers in the cache."""
    return [one for path in _directories(cache) if (one := _read(path)) is not None]


def unreadable_images(cache: Path) -> list[Path]:
    """Directories of images whose description is gone or damaged. The image is unpacked anew where it is needed."""
    return [path for path in _directories(cache) if _read(path) is None]


def _directories(cache: Path) -> list[Path]:
    return [path for path in sorted((cache / "images").glob("oci-*")) if path.is_dir()]


def _unpacked(reference: str, link: Path, journal: Journal, programs: Programs) -> OciImage:
    """Fetch and unpack an image beside its final place. The lock is held."""
    source, owners = source_of(reference), os.geteuid() == 0
    with draft_in(link.parent, journal, programs) as work:
        made = unpack(source, work, programs, owners=owners)
        final = link.parent / f"oci-{made.digest.partition(':')[2][:16]}{'' if owners else '-user'}"
        if _read(final) is None:
            remove_directory(final)  # damaged
            kept = work / "kept"
            kept.mkdir()
            (work / "root").rename(kept / "root")
            index = {
                "digest": made.digest,
                "manifest": made.manifest,
                "reference": reference,
                "config": dataclasses.asdict(made.config),
            }
            (kept / "image.json").write_text(json.dumps(index, indent=1, sort_keys=True))
            os.sync()
            kept.rename(final)
        new = work / "link"
        new.symlink_to(final.name)
        new.rename(link)
    found = _read(final)
    if found is None:
        raise EnvironmentFailed(f"the image {final} cannot be read", advice=f"virtometer image remove {final.name}")
    return found


def _link(place: Path, reference: str, state: str) -> Path:
    """The link to the image that a reference stood for in this state."""
    key = json.dumps([_RECIPE, reference, state, os.geteuid() == 0])
    return place / f"reference-{hashlib.sha256(key.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _followed(link: Path) -> OciImage | None:
    try:
        return _read(link.parent / link.readlink())
    except OSError:
        return None


def _read(directory: Path) -> OciImage | None:
    try:
        index = json.loads((directory / "image.json").read_bytes())
        parts: dict[str, Any] = {
            name: tuple(one) if isinstance(one, list) else one for name, one in index["config"].items()
        }
        return OciImage(directory, index["digest"], index["reference"], ImageConfig(**parts), index.get("manifest", ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
