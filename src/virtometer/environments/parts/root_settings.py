"""Which root directory guests have: the agent alone, the host's files, a user land of Debian's, or an OCI image."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import agent_root
from virtometer.environments.images.debian import PACKAGE, debian_image
from virtometer.environments.images.oci.image import PREFIX, OciImage, oci_image
from virtometer.environments.images.oci.source import is_path
from virtometer.environments.images.root_image import RootImage
from virtometer.environments.parts.binds import BindSettings
from virtometer.environments.parts.guest_root import GuestRoot, host_root, layer_over, require_host_root, require_layer
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.programs import refusals


def _package(name: str) -> str:
    if not PACKAGE.fullmatch(name):
        raise ValueError("a package must have a name of Debian's, such as stress-ng")
    return name


def root_name(root: str, words: Collection[str]) -> str:
    """A root directory as plans name it: one of these words, or oci: and an image. Raises ValueError for anything else.

    An image is oci:/PATH, oci:/PATH:TAG, oci:docker:NAME, oci:podman:NAME or oci:docker://HOST/NAME:TAG.
    """
    reference = root.removeprefix(PREFIX)
    if root in words:
        return root
    if not (root.startswith(PREFIX) and reference and reference.isprintable()):
        raise ValueError(f"a root directory must be {', '.join(words)} or oci: and an image of containers")
    if is_path(reference) and not reference.startswith("/"):
        raise ValueError(f"the image must have a full path, such as oci:/srv/image, not {reference}")
    return root


def _root(root: str) -> str:
    return root_name(root, ("agent", "host", "debian"))


class RootSettings(BindSettings):
    """Settings of kinds whose guests have a root directory of their own.

    no_host_root: why guests of a kind cannot have the host's, without its subject; empty where they can.
    """

    no_host_root: ClassVar[str] = ""

    root: Annotated[str, AfterValidator(_root)] = Field(
        default="agent",
        max_length=4096,
        description="root directory of guests; agent: the agent, and the programs of the host that workloads run; "
        "host: the files of the host, where guests can reach them; what they write is thrown away; "
        "debian: a user land of Debian's, read-only, whose own programs run; "
        "oci:PATH, oci:PATH:TAG, oci:docker:NAME, oci:podman:NAME, oci:docker://HOST/NAME:TAG: an image of containers",
    )
    image_packages: Annotated[tuple[Annotated[str, AfterValidator(_package)], ...], Field(max_length=64)] = Field(
        default_factory=tuple,
        description="Debian packages that root debian has beside those of workloads and tuning. Without it, none",
    )

    @model_validator(mode="after")
    def _possible_root(self) -> Self:
        if self.image_packages and self.root != "debian":
            raise ValueError(f"image_packages needs root debian, and root is {self.root}")
        if self.bind and self.no_bind:
            raise ValueError(f"bind is not possible here: {self.no_bind}")
        if self.bind and self.root in ("agent", "debian"):
            raise ValueError(f"bind needs root host or an image of containers, and root is {self.root}")
        if self.root == "host" and self.no_host_root:
            raise ValueError(f"root must be agent, debian or an image here, not host: {self.no_host_root}")
        return self

    def image(self, lab: LabContext) -> RootImage | None:
        """The image with a user land, built or unpacked where it is missing; None with another root.

        Raises EnvironmentFailed, MissingProgram or StorageError where it cannot be built.
        """
        if self.of_containers:
            return oci_image(self.root.removeprefix(PREFIX), lab.cache, lab.journal, lab.programs)
        if self.root != "debian":
            return None
        return debian_image(lab.cache, lab.journal, lab.programs, self.image_packages)

    def prepare_root(self, lab: LabContext, agent: Path | None = None) -> None:
        """Build what `make_root` needs. Raises as `image`; EnvironmentFailed where this host cannot have this root."""
        shared = self.shared_root(lab, agent)
        if shared is None:
            require_host_root(lab)
            self.binds()
        else:
            self.require_own_layer(lab, shared)

    def shared_root(self, lab: LabContext, agent: Path | None = None) -> Path | None:
        """The directory that guests share, built where it is missing; None: the host's. Raises as `image`."""
        return None if self.root == "host" else self._shared_root(lab, agent)

    def make_root(self, guest: ProcessGuest, agent: Path | None = None) -> GuestRoot:
        """The root directory of a container, with the agent in it; notes which one. Raises as `image`."""
        self.note_root(guest)
        if self.root == "host":
            return host_root(guest, agent or guest.lab.agent, self.binds())
        shared = self._shared_root(guest.lab, agent)
        return layer_over(guest, shared, self.binds(shared)) if self.layered else GuestRoot(shared)

    def require_own_layer(self, lab: LabContext, shared: Path) -> None:
        """Raise EnvironmentFailed where guests should write into a layer over this directory and cannot have one."""
        if self.layered:
            require_layer(lab, shared, "an image of containers needs a writable layer")
            self.binds(shared)
        elif self.bind:
            raise EnvironmentFailed(
                "bind in an image of containers needs a writable layer, which only root can mount", advice="run as root"
            )

    @property
    def of_containers(self) -> bool:
        """Whether the root directory is an image of containers."""
        return self.root.startswith(PREFIX)

    @property
    def layered(self) -> bool:
        """Whether guests write into a layer over a shared root: images of containers expect that; it needs root."""
        return self.of_containers and not self.no_host_root and os.geteuid() == 0

    def note_root(self, guest: ProcessGuest) -> RootImage | None:
        """Note which root a guest has, and which of the host's programs that does not have. Returns its image."""
        guest.effective["root"] = self.root
        image = self.image(guest.lab)
        if image is not None:
            guest.effective["root"] = image.condition
            guest.refused_programs = image.refusals(guest.lab.host_programs)
            guest.find_program = image.find
            if isinstance(image, OciImage):
                guest.command_defaults = image.command_defaults
        elif self.root == "host":  # each program lies there with all that it needs
            guest.refused_programs = refusals(one for one in guest.lab.host_programs if one.path is None)
        return image

    def _shared_root(self, lab: LabContext, agent: Path | None) -> Path:
        image = self.image(lab)
        if image is None:
            return agent_root(lab, agent)
        return image.with_agent(agent or lab.agent, lab.journal, lab.programs)
