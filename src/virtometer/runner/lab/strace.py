"""What strace is told of the environment of a command that it runs (strace(1) -E)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain


def environment_options(variables: Mapping[str, str], own: Mapping[str, str]) -> list[str]:
    """Options by which a command has these variables, and none of strace's own.

    own: of the laboratory, which strace inherits. The mark by which descendants are found is none of them, and stays.
    """
    given = [("-E", f"{name}={value}") for name, value in variables.items()]
    taken = [("-E", name) for name in own if name not in variables]
    return list(chain(*given, *taken))
