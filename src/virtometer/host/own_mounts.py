"""Programs of the host in a mount namespace of their own: what they mount there, or do not see, the host never has.

Such a namespace ends with its last process, with all that was mounted in it, also after SIGKILL.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from virtometer.host.cpu.accounting import bare_unified
from virtometer.programs import Programs, Words


def own_mounts(programs: Programs, commands: Sequence[Words]) -> Words:
    """The words that run what follows them in a mount namespace of its own, after `commands`. Raises MissingProgram.

    A command that fails ends the start, and its own words are the reason.
    """
    script = "".join(f"{shlex.join(map(str, command))} && " for command in commands)
    unshare: list[str | Path] = [programs.find("unshare", "util-linux"), "--mount", "--propagation", "private"]
    return [*unshare, "sh", "-c", f'{script}exec "$@"', "sh"]


def with_mounts(programs: Programs, commands: Sequence[Words]) -> Words:
    """As `own_mounts`; no words where there are no commands."""
    return own_mounts(programs, commands) if commands else []


def without_bare_cgroup2(programs: Programs) -> Words:
    """The words that run what follows them where no cgroup2 is mounted beside v1; none where the host has none."""
    return with_mounts(programs, hide_bare_cgroup2())


def hide_bare_cgroup2() -> list[Words]:
    """The commands that take a cgroup2 beside v1 away, for `own_mounts`."""
    return [["umount", "--lazy", path] for path in bare_unified()]
