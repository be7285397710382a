"""The user's own commands in an image of containers: what the image says of them, as container engines obey it."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.images.debian import PACKAGE, debian_image
from virtometer.environments.images.inside import is_directory, mode_of
from virtometer.environments.images.oci.config import Person, person
from virtometer.environments.images.oci.image import PREFIX, OciImage, oci_image
from virtometer.errors import CommandNotFound, NotExecutable, UsageError
from virtometer.runner.lab.context import lab_context
from virtometer.runner.lab.image_store import absolute
from virtometer.workloads.command import ENVIRONMENT

DEBIAN = "debian"
"""The reference of the image that is built of Debian's packages."""


@dataclass(frozen=True, slots=True)
class InImage:
    """image: unpacked. reference: with a full path. entrypoint: instead of the image's own; None: that one.

    advice: what to do where the image lacks a program; empty where there is none.
    """

    image: OciImage
    reference: str
    person: Person
    entrypoint: tuple[str, ...] | None
    advice: str = ""

    @property
    def root(self) -> str:
        """As the setting `root` of environments has it."""
        return f"{PREFIX}{self.reference}"

    @property
    def user(self) -> str | None:
        """As the parameter `user` of commands has it; None for root alone, as which commands run anyway."""
        return self.image.config.command_defaults(self.person).user

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables of commands: those of the image, with a PATH and a HOME where it has none."""
        return {"PATH": ENVIRONMENT["PATH"], **self.image.config.command_defaults(self.person).variables}

    def words(self, given: Sequence[str]) -> tuple[str, ...]:
        """A command with the entry point before it; with nothing given the image's own. UsageError without any."""
        made = self.image.config.words(given, self.entrypoint)
        if not made:
            raise UsageError("the image has no command of its own", advice="give one after --")
        return made

    def directory(self, wanted: str | None) -> str:
        """The directory in which commands run. Raises UsageError where the image lacks the one that is wanted."""
        there = posixpath.join("/", wanted or self.image.config.directory)
        if not is_directory(self.image.root, there):
            raise UsageError(f"--workdir is {wanted}, and the image has no such directory")
        return there

    def refuse_missing(self, words: Sequence[str], variables: Mapping[str, str], directory: str) -> None:
        """Raises CommandNotFound or NotExecutable where the program of a command is not there, or is no program."""
        program, root = words[0], self.image.root
        if "/" not in program:
            if self.image.find(program, variables.get("PATH", "")) is None:
                raise CommandNotFound(f"there is no program {program} on the PATH of the image", advice=self.advice)
            return
        path = posixpath.join(directory, program)
        if mode_of(root, path) is None:
            raise CommandNotFound(f"there is no program {program} in the image")
        if self.image.find(path) is None:
            raise NotExecutable(f"{program} of the image cannot be executed")


def in_image(
    reference: str, entrypoint: Sequence[str] | None = None, user: str | None = None, packages: Sequence[str] = ()
) -> InImage:
    """Unpack an image where the cache does not have it. Raises what `oci_image`, `debian_image` and `person` raise.

    reference: DEBIAN is built, with these packages beside the usual ones. entrypoint, user: instead of those of the
    image.
    """
    built = reference == DEBIAN
    if packages and not built:
        raise UsageError(f"packages are those of the image {DEBIAN}, and the image is {reference}")
    for name in packages:
        if not PACKAGE.fullmatch(name):
            raise UsageError(f"{name!r} is no name of a Debian package")
    with lab_context(Path(tempfile.gettempdir())) as lab:
        directory = debian_image(lab.cache, lab.journal, lab.programs, packages).root if built else None
        full = absolute(reference) if directory is None else str(directory)
        image = oci_image(full, lab.cache, lab.journal, lab.programs)
    whose = person(image.root, image.config.user if user is None else user)
    advice = "name its package in --image-packages" if built else ""
    return InImage(image, full, whose, None if entrypoint is None else tuple(entrypoint), advice)
