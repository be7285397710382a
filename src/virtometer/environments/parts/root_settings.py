"""Which root directory guests have: the agent alone, the host's own files, or a user land of Debian's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import agent_root
from virtometer.environments.images.debian import PACKAGE, DebianImage, debian_image
from virtometer.environments.parts.binds import BindSettings
from virtometer.environments.parts.guest_root import GuestRoot, host_root, require_host_root
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.host.programs import refusals


def _package(name: str) -> str:
    if not PACKAGE.fullmatch(name):
        raise ValueError("a package must have a name of Debian's, such as stress-ng")
    return name


class RootSettings(BindSettings):
    """Settings of kinds whose guests have a root directory of their own.

    no_host_root: why guests of a kind cannot have the host's, without its subject; empty where they can.
    """

    no_host_root: ClassVar[str] = ""

    root: Literal["agent", "host", "debian"] = Field(
        default="agent",
        description="root directory of guests; agent: the agent, and the programs of the host that workloads run; "
        "host: the files of the host, where guests can reach them; what they write is thrown away; "
        "debian: a user land of Debian's, read-only, whose own programs run",
    )
    image_packages: Annotated[tuple[Annotated[str, AfterValidator(_package)], ...], Field(max_length=64)] = Field(
        default_factory=tuple,
        description="Debian packages that root debian has beside those of workloads and tuning. Without it, none",
    )

    @model_validator(mode="after")
    def _possible_root(self) -> Self:
        if self.image_packages and self.root != "debian":
            raise ValueError(f"image_packages needs root debian, and root is {self.root}")
        if self.bind and self.root != "host":
            raise ValueError(f"bind needs root host, and root is {self.root}")
        if self.root == "host" and self.no_host_root:
            raise ValueError(f"root must be agent or debian here, not host: {self.no_host_root}")
        return self

    def debian(self, lab: LabContext) -> DebianImage | None:
        """The image with a user land, built where it is missing; None with another root.

        Raises EnvironmentFailed, MissingProgram or StorageError where it cannot be built.
        """
        if self.root != "debian":
            return None
        return debian_image(lab.cache, lab.journal, lab.programs, self.image_packages)

    def prepare_root(self, lab: LabContext, agent: Path | None = None) -> None:
        """Build what `make_root` needs. Raises as `debian`; EnvironmentFailed where this host cannot have this root."""
        if self.root == "host":
            require_host_root(lab)
            self.binds()
        else:
            self._shared_root(lab, agent)

    def make_root(self, guest: ProcessGuest, agent: Path | None = None) -> GuestRoot:
        """The root directory of a container, with the agent in it; notes which one. Raises as `debian`."""
        self.note_root(guest)
        if self.root == "host":
            return host_root(guest, agent or guest.lab.agent, self.binds())
        return GuestRoot(self._shared_root(guest.lab, agent))

    def note_root(self, guest: ProcessGuest) -> DebianImage | None:
        """Note which root a guest has, and which of the host's programs that does not have. Returns its image."""
        guest.effective["root"] = self.root
        image = self.debian(guest.lab)
        if image is not None:
            guest.effective["root"] = image.name
            guest.refused_programs = image.refusals(guest.lab.host_programs)
            guest.find_program = image.find
        elif self.root == "host":  # each program lies there with all that it needs
            guest.refused_programs = refusals(one for one in guest.lab.host_programs if one.path is None)
        return image

    def _shared_root(self, lab: LabContext, agent: Path | None) -> Path:
        image = self.debian(lab)
        if image is None:
            return agent_root(lab, agent)
        return image.with_agent(agent or lab.agent, lab.journal, lab.programs)
