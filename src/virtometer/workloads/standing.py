"""As whom a command runs and within which limits, in a user's words and as the agent takes them. PURE.

Source: getrlimit(2) of Linux's manual, whose limits have these names in shells and in container engines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

LIMITS = (
    "as", "core", "cpu", "data", "fsize", "locks", "memlock", "msgqueue", "nice", "nofile", "nproc", "rss", "rtprio",
    "rttime", "sigpending", "stack",
)  # fmt: skip
"""Names of limits."""

_UNLIMITED = ("-1", "unlimited")
_MOST = 2**63 - 1
_USER = re.compile(r"[^:\s\0]+(:[^:\s\0]+)?")


def _user(text: str) -> str:
    if not _USER.fullmatch(text):
        raise ValueError(f"must be NAME, UID, NAME:GROUP or UID:GID, not {text!r}")
    return text


def _as_text(given: object) -> object:
    """A mapping or a list as one text, which is a plain value as parameters are; else what was given."""
    if isinstance(given, Mapping):
        given = [f"{name}={_values(value)}" for name, value in given.items()]
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return " ".join(given)
    return given


def _values(value: object) -> object:
    """Of a soft and a hard limit: 20:30 without quotation marks is one number for YAML, so that a list is taken too."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ":".join(map(str, value))
    return value


def _limits(text: str) -> str:
    limits_of(text)
    return text


def limits_of(text: str) -> dict[str, list[int | None]]:
    """Soft and hard value of each limit of a text NAME=SOFT[:HARD] ...; None is no limit. Raises ValueError."""
    found: dict[str, list[int | None]] = {}
    for one in text.split():
        name, equals, values = one.partition("=")
        parts = values.split(":")
        if not equals or len(parts) > 2:
            raise ValueError(f"has {one!r}, which must be NAME=SOFT or NAME=SOFT:HARD")
        if name not in LIMITS:
            raise ValueError(f"has {name!r}, which is none of {', '.join(LIMITS)}")
        if name in found:
            raise ValueError(f"has {name} twice")
        soft, hard = _number(one, parts[0]), _number(one, parts[-1])
        if hard is not None and (soft is None or soft > hard):
            raise ValueError(f"has {one!r}, whose soft limit is above the hard one")
        found[name] = [soft, hard]
    if not found:
        raise ValueError("has no limit, such as nofile=1024:2048")
    return found


def _number(one: str, text: str) -> int | None:
    if text in _UNLIMITED:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= _MOST and len(text) < 20):
        raise ValueError(f"has {one!r}, where {text!r} is no whole number from 0 to {_MOST}, and no -1 for unlimited")
    return int(text)


def asked_limits(text: str) -> str:
    """As the agent takes them."""
    return json.dumps(limits_of(text))


User = Annotated[str, AfterValidator(_user)]
Ulimits = Annotated[str, BeforeValidator(_as_text), AfterValidator(_limits)]
