"""Which root directory guests have: the agent alone, or a user land of Debian's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from virtometer.environments.base import LabContext, Settings
from virtometer.environments.images.agent_root import agent_root
from virtometer.environments.images.debian import PACKAGE, DebianImage, debian_image
from virtometer.environments.parts.process_guest import ProcessGuest


def _package(name: str) -> str:
    if not PACKAGE.fullmatch(name):
        raise ValueError("a package must have a name of Debian's, such as stress-ng")
    return name


class ImageSettings(Settings):
    """Settings of kinds whose guests have a root directory of their own."""

    image: Literal["minimal", "debian"] = Field(
        default="minimal",
        description="root directory of guests; minimal: the agent, and the programs of the host that workloads run; "
        "debian: a user land of Debian's, read-only, whose own programs run",
    )
    image_packages: Annotated[tuple[Annotated[str, AfterValidator(_package)], ...], Field(max_length=64)] = Field(
        default_factory=tuple,
        description="Debian packages that image debian has beside those of workloads and tuning. Without it, none",
    )

    @model_validator(mode="after")
    def _packages_of_debian(self) -> Self:
        if self.image_packages and self.image != "debian":
            raise ValueError(f"image_packages needs image debian, and image is {self.image}")
        return self

    def debian(self, lab: LabContext) -> DebianImage | None:
        """The image with a user land, built where it is missing; None where the image is minimal.

        Raises EnvironmentFailed, MissingProgram or StorageError where it cannot be built.
        """
        if self.image != "debian":
            return None
        return debian_image(lab.cache, lab.journal, lab.programs, self.image_packages)

    def root(self, lab: LabContext, agent: Path | None = None) -> Path:
        """The root directory of a container, with the agent in it. Raises as `debian`."""
        image = self.debian(lab)
        if image is None:
            return agent_root(lab, agent)
        return image.with_agent(agent or lab.agent, lab.journal, lab.programs)

    def use_image(self, guest: ProcessGuest) -> DebianImage | None:
        """Note which image a guest has, and which of the host's programs that does not have. Returns it."""
        image = self.debian(guest.lab)
        if image is not None:
            guest.effective["image"] = image.name
            guest.refused_programs = image.refusals(guest.lab.host_programs)
            guest.find_program = image.find
        return image
