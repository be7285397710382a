"""Options of `virtometer time` that users know from container engines, as settings of kinds and parameters of commands.

What a command is given itself (user, limits, terminal, privileges) means the same in every environment. What lies
around it (volumes, processors, network, a filter of system calls) is a setting of each kind that can have it.
"""

from __future__ import annotations

import grp
import pwd
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from virtometer.errors import UsageError
from virtometer.model import Kind
from virtometer.model.bind import bind_of
from virtometer.workloads.standing import limits_of

if TYPE_CHECKING:
    from virtometer.runner.campaign.in_image import InImage

_MOST_PROCESSORS = 4096
_NO_NEW_PRIVILEGES = ("no-new-privileges", "no-new-privileges:true", "no-new-privileges=true")
_UNCONFINED = ("seccomp=unconfined", "seccomp:unconfined")
_NETWORKS = ("none", "host", "bridge")


@dataclass(frozen=True, slots=True)
class ContainerOptions:
    """variables: of the user, NAME=VALUE each. parameters: of each command. settings: of every kind that has them."""

    variables: tuple[str, ...]
    parameters: Mapping[str, Any]
    settings: Mapping[str, Any]
    network: str | None
    unconfined: bool
    user: bool

    def of_kind(self, kind: type[Kind]) -> dict[str, Any] | str:
        """Settings of a kind alone, or why it cannot have what was asked for, without its subject."""
        fields = kind.settings_type.model_fields
        made: dict[str, Any] = {}
        if self.user and kind.one_user:
            return kind.one_user
        if "cpuset" in self.settings and "cpuset" not in fields:
            made["processors"] = self.settings["cpuset"]  # the processors of the whole guest
        if "bind" in self.settings and ("bind" not in fields or bool(getattr(kind.settings_type, "no_bind", ""))):
            return "its guests cannot share directories with the host"
        if self.network is not None:
            own = getattr(kind.settings_type, f"{self.network}_network", "")
            word = self.network if self.network == "none" else own
            if "network" not in fields or not word:
                engine = ", which is that of a container engine" if self.network == "bridge" else ""
                return f"its guests cannot have --network {self.network}{engine}"
            made["network"] = word
        if self.unconfined:
            if kind.own_filter:
                return kind.own_filter
            if "seccomp" in fields:
                made["seccomp"] = False
        return made


def container_options(
    *,
    volume: Sequence[str],
    user: str | None,
    cpuset_cpus: str | None,
    ulimit: Sequence[str],
    security_opt: Sequence[str],
    network: str | None,
    tty: bool,
    inside: InImage | None = None,
) -> ContainerOptions:
    """What the options mean. inside: an image, whose user holds. Raises UsageError for a value that is none."""
    ids, variables = _identity(user) if user is not None and inside is None else (None, ())
    ids = ids if inside is None else inside.user
    no_new, unconfined = _security(security_opt)
    if network is not None and network not in _NETWORKS:
        raise UsageError(f"--network is {network}, which is neither none, host nor bridge")
    parameters = {"user": ids, "ulimits": _limits(ulimit), "tty": tty or None, "no_new_privileges": no_new or None}
    settings: dict[str, Any] = {}
    if volume:
        settings["bind"] = [_volume(one) for one in volume]
    if cpuset_cpus is not None:
        settings["cpuset"] = _processors(cpuset_cpus)
    return ContainerOptions(
        variables,
        {name: value for name, value in parameters.items() if value is not None},
        settings,
        network,
        unconfined,
        ids is not None,
    )


def _volume(text: str) -> str:
    """HOST:GUEST with full paths; a relative HOST begins at the current directory, as container engines have it."""
    host, colon, rest = text.partition(":")
    if host.startswith((".", "~")):
        host = str(Path(host).expanduser().absolute())
    shown = f"{host}{colon}{rest}"
    try:
        one = bind_of(shown)
    except ValueError as cause:
        raise UsageError(f"--volume {cause}", advice="for example: --volume /data:/data:ro") from cause
    if not one.host.exists():
        raise UsageError(f"--volume has {one.host}, which does not exist on this host")
    return shown


def _processors(text: str) -> list[int]:
    """Of a list such as 0-2,4."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        ends = [first, last if dash else first]
        if not all(one.isascii() and one.isdigit() and len(one) < 5 for one in ends):
            raise UsageError(f"--cpuset-cpus is {text!r}, which is no list of processors", advice="for example: 0-2,4")
        numbers = range(int(ends[0]), int(ends[1]) + 1)
        if not numbers or numbers[-1] >= _MOST_PROCESSORS:
            raise UsageError(f"--cpuset-cpus has {part}, which names no processors below {_MOST_PROCESSORS}")
        found += [one for one in numbers if one not in found]
    return sorted(found)


def _limits(given: Sequence[str]) -> str | None:
    if not given:
        return None
    if any(len(one.split()) != 1 for one in given):
        raise UsageError("--ulimit takes one limit", advice="for example: --ulimit nofile=1024:2048")
    text = " ".join(given)
    try:
        limits_of(text)
    except ValueError as cause:
        raise UsageError(f"--ulimit {cause}", advice="for example: --ulimit nofile=1024:2048") from cause
    return text


def _security(given: Sequence[str]) -> tuple[bool, bool]:
    """Whether no new privileges are wanted, and whether no filter of system calls."""
    for one in given:
        if one not in (*_NO_NEW_PRIVILEGES, *_UNCONFINED):
            raise UsageError(
                f"--security-opt is {one}, which is neither no-new-privileges nor seccomp=unconfined",
                advice="profiles of one engine alone would compare different filters",
            )
    return any(one in _NO_NEW_PRIVILEGES for one in given), any(one in _UNCONFINED for one in given)


def _identity(text: str) -> tuple[str, tuple[str, ...]]:
    """Numbers of a user and its group, which mean the same everywhere, and variables that fit them.

    The host's own lists are asked: guests of `virtometer time` have its files, but not its servers of names.
    """
    name, colon, group = text.partition(":")
    if not name or (colon and not group) or ":" in group:
        raise UsageError(f"--user is {text!r}, not NAME, UID, NAME:GROUP or UID:GID")
    entry = _entry(name)
    if entry is None and not colon:
        raise UsageError(f"--user {name} is not known here, so that its group is needed", advice=f"--user {name}:GID")
    uid = int(name) if entry is None else entry.pw_uid
    variables = (f"HOME={entry.pw_dir}", f"USER={entry.pw_name}", f"LOGNAME={entry.pw_name}") if entry else ("HOME=/",)
    if not colon:
        # By its number: the agent finds its groups.
        return str(uid), variables
    return f"{uid}:{_group(group)}", variables


def _entry(name: str) -> pwd.struct_passwd | None:
    """Of a name or a number; None for a number that has no entry. Raises UsageError for an unknown name."""
    try:
        return pwd.getpwuid(_number(name)) if _is_number(name) else pwd.getpwnam(name)
    except (KeyError, ValueError) as cause:
        if _is_number(name):
            return None
        raise UsageError(f"there is no user {name}") from cause


def _group(group: str) -> int:
    if _is_number(group):
        return _number(group)
    try:
        return grp.getgrnam(group).gr_gid
    except (KeyError, ValueError) as cause:
        raise UsageError(f"there is no group {group}") from cause


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _number(text: str) -> int:
    if len(text) > 10 or int(text) >= 2**32 - 1:
        raise UsageError(f"--user has {text}, and a number of a user or group is at most {2**32 - 2}")
    return int(text)
