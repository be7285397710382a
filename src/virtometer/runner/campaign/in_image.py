"""The user's own commands in an image of containers: what the image says of them, as container engines obey it."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.images.inside import is_directory, mode_of
from virtometer.environments.images.oci.config import Person, person
from virtometer.environments.images.oci.image import PREFIX, OciImage, oci_image
from virtometer.errors import CommandNotFound, NotExecutable, UsageError
from virtometer.runner.lab.context import lab_context
from virtometer.runner.lab.image_store import absolute
from virtometer.workloads.command import ENVIRONMENT


@dataclass(frozen=True, slots=True)
class InImage:
    """image: unpacked. reference: with a full path. entrypoint: instead of the image's own; None: that one."""

    image: OciImage
    reference: str
    person: Person
    entrypoint: tuple[str, ...] | None

    @property
    def root(self) -> str:
        """As the setting `root` of environments has it."""
        return f"{PREFIX}{self.reference}"

    @property
    def user(self) -> str | None:
        """As the parameter `user` of commands has it; None for root alone, as which commands run anyway."""
        return None if self.person.is_plain_root else self.person.words

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables of commands: those of the image, with a PATH and a HOME where it has none."""
        return {"PATH": ENVIRONMENT["PATH"], "HOME": self.person.home, **self.image.config.variables}

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
                raise CommandNotFound(f"there is no program {program} on the PATH of the image")
            return
        path = posixpath.join(directory, program)
        if mode_of(root, path) is None:
            raise CommandNotFound(f"there is no program {program} in the image")
        if self.image.find(path) is None:
            raise NotExecutable(f"{program} of the image cannot be executed")


def in_image(reference: str, entrypoint: Sequence[str] | None = None, user: str | None = None) -> InImage:
    """Unpack an image where the cache does not have it. Raises what `oci_image` and `person` raise.

    entrypoint, user: instead of those of the image.
    """
    full = absolute(reference)
    with lab_context(Path(tempfile.gettempdir())) as lab:
        image = oci_image(full, lab.cache, lab.journal, lab.programs)
    whose = person(image.root, image.config.user if user is None else user)
    return InImage(image, full, whose, None if entrypoint is None else tuple(entrypoint))
