"""What an image says of the commands that run in it: program, variables, directory and user.

Source: opencontainers/image-spec, config.md; passwd(5), group(5).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from virtometer.environments.images.inside import inside
from virtometer.errors import EnvironmentFailed
from virtometer.model.command_defaults import CommandDefaults

_MOST = 1 << 20  # bytes of /etc/passwd and /etc/group that are read
_LARGEST = 2**32 - 2


@dataclass(frozen=True, slots=True)
class ImageConfig:
    """Empty where the image does not say it. variables: by name. user: a name or a number, and maybe a group."""

    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    directory: str = ""
    user: str = ""

    def words(self, given: Sequence[str], entrypoint: Sequence[str] | None = None) -> tuple[str, ...]:
        """The command to run, as engines make it: given words stand for the image's own, after its entry point.

        entrypoint: instead of the image's; then the image's own words do not hold either.
        """
        if entrypoint is not None:
            return (*entrypoint, *given)
        return (*self.entrypoint, *(given or self.command))

    def command_defaults(self, whose: Person) -> CommandDefaults:
        """What holds for a command that runs as this user of the image."""
        return CommandDefaults(
            entrypoint=self.entrypoint,
            user=None if whose.is_plain_root else whose.words,
            directory=posixpath.join("/", self.directory),
            variables={"HOME": whose.home, **self.variables},
        )


@dataclass(frozen=True, slots=True)
class Person:
    """Numbers of a user, its group and further groups; where it is at home.

    words: as a command takes it, NAME or UID, maybe with a group: the agent finds the same numbers in the image.
    """

    user: int
    group: int
    further: tuple[int, ...]
    home: str
    words: str

    @property
    def is_plain_root(self) -> bool:
        """Whether it is as whom commands run anyway."""
        return self.user == self.group == 0 and not self.further


def config_of(document: Any) -> ImageConfig:  # noqa: ANN401
    """The part of an image's configuration that is about commands. Raises ValueError where that is none."""
    found = document.get("config") if isinstance(document, dict) else None
    if found is None:
        return ImageConfig()
    if not isinstance(found, dict):
        raise ValueError("its configuration is no table")
    pairs = (one.partition("=") for one in _texts(found, "Env"))
    return ImageConfig(
        _texts(found, "Entrypoint"),
        _texts(found, "Cmd"),
        {name: value for name, equals, value in pairs if name and equals},
        _text(found, "WorkingDir"),
        _text(found, "User"),
    )


def person(root: Path, user: str) -> Person:
    """The user of an image, by its own lists of users and groups. Raises EnvironmentFailed where they lack it."""
    name, _, group = user.partition(":")
    name = name or "0"
    users, groups = _lines(root, "/etc/passwd", 7), _lines(root, "/etc/group", 4)
    number = _number(name)
    of_user = next((line for line in users if (line[0] == name if number is None else line[2] == str(number))), None)
    if number is None:
        number = None if of_user is None else _number(of_user[2])
        if number is None:
            raise EnvironmentFailed(f"the image has no user {name} in its /etc/passwd, and wants to run as that")
    of_entry = None if of_user is None else _number(of_user[3])
    own = of_entry or 0
    further: tuple[int, ...] = ()
    words = f"{name}:{group or own}" if group or of_entry is None else name
    if group:
        found = _number(group)
        if found is None:
            found = next((_number(line[2]) for line in groups if line[0] == group), None)
        if found is None:
            raise EnvironmentFailed(f"the image has no group {group} in its /etc/group, and wants to run in that")
        own = found
    elif of_user is not None:
        listed = (_number(line[2]) for line in groups if of_user[0] in line[3].split(","))
        further = tuple(sorted({one for one in listed if one is not None and one != own}))
    return Person(number, own, further, of_user[5] if of_user is not None and of_user[5] else "/", words)


def _lines(root: Path, path: str, fields: int) -> list[list[str]]:
    """The lines of a list with so many fields; none where there is no such list."""
    file = inside(root, path)
    try:
        if file is None or not file.is_file():
            return []
        with file.open(errors="replace") as text:
            lines = text.read(_MOST).splitlines()
    except OSError:
        return []
    return [parts for line in lines if len(parts := line.split(":")) == fields]


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,10}", text) and int(text) <= _LARGEST else None


def _texts(found: Mapping[str, Any], name: str) -> tuple[str, ...]:
    some = found.get(name) or []
    if not isinstance(some, list) or not all(isinstance(one, str) and "\0" not in one for one in some):
        raise ValueError(f"its {name} is no list of texts")
    return tuple(some)


def _text(found: Mapping[str, Any], name: str) -> str:
    one = found.get(name) or ""
    if not isinstance(one, str) or "\0" in one:
        raise ValueError(f"its {name} is no text")
    return one
