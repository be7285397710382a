"""What an image of containers says of the commands that run in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandDefaults:
    """Holds where a command itself says nothing else.

    entrypoint: words before the command. user: NAME or UID, maybe with a group; None: root alone. directory: a full
    path. variables: by name; HOME is that of the user.
    """

    entrypoint: tuple[str, ...]
    user: str | None
    directory: str
    variables: Mapping[str, str]
