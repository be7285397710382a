"""The image of containers that `virtometer time` runs commands in."""

from __future__ import annotations

from virtometer.cli.parts.notice import notice
from virtometer.errors import UsageError
from virtometer.runner.campaign.in_image import InImage, in_image


def opened(reference: str | None, entrypoint: str | None, user: str | None) -> InImage | None:
    """The image of --image, unpacked; None without one. entrypoint, user: instead of those of the image.

    Raises UsageError for an entry point without an image.
    """
    if reference is None:
        if entrypoint is not None:
            raise UsageError("--entrypoint is about an image, and there is no --image")
        return None
    with notice("looking for the image ..."):
        return in_image(reference, None if entrypoint is None else [one for one in (entrypoint,) if one], user)
