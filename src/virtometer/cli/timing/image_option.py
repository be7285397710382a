"""The image of containers that `virtometer time` runs commands in."""

from __future__ import annotations

from virtometer.cli.parts.notice import notice
from virtometer.errors import UsageError
from virtometer.runner.campaign.in_image import InImage, in_image


def opened(reference: str | None, entrypoint: str | None, user: str | None, packages: str | None) -> InImage | None:
    """The image of --image, unpacked; None without one. entrypoint, user: instead of those of the image.

    packages: of Debian, separated by commas. Raises UsageError for options of an image without one.
    """
    if reference is None:
        for option, value in (("--entrypoint", entrypoint), ("--image-packages", packages)):
            if value is not None:
                raise UsageError(f"{option} is about an image, and there is no --image")
        return None
    wanted = [one for one in (packages or "").split(",") if one]
    with notice("looking for the image ..."):
        return in_image(reference, None if entrypoint is None else [one for one in (entrypoint,) if one], user, wanted)
