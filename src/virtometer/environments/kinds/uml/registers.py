"""Registers of processors that user-mode Linux does not know: a library that hands them on to its processes.

Before Linux 6.12 its kernel keeps 2,696 bytes of registers for each process: all up to AVX-512 and protection keys. The
system of a host whose processor has more of them (AMX) takes all of them or none, so that no process could start.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from virtometer.environments.base import LabContext
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.host.owned.drafts import draft_in

SOURCE = Path(__file__).with_name("registers.c")
_UNKNOWN = frozenset({"amx_tile", "apx"})
"""Flags of /proc/cpuinfo: processors with such registers."""
_REASON = "this processor has registers that user-mode Linux does not know (AMX)"


def unknown(cpuinfo: str) -> bool:
    """Whether the processor has registers that its kernel does not know. cpuinfo: the text of /proc/cpuinfo."""
    lines = (line for line in cpuinfo.splitlines() if line.startswith("flags"))
    return not _UNKNOWN.isdisjoint(next(lines, "").split())


def library(lab: LabContext) -> Path:
    """The library, compiled once and kept in the cache.

    Raises EnvironmentFailed where no C compiler makes it, and where no program can load it.
    """
    source = SOURCE.read_bytes()
    kept = lab.cache / f"uml-registers-{hashlib.sha256(source).hexdigest()[:16]}.so"
    if not kept.exists():
        _compile(lab, kept)
    env, true = lab.programs.find("env", "coreutils"), lab.programs.find("true", "coreutils")
    loaded = lab.programs.run([env, f"LD_PRELOAD={kept}", true], purpose="load a library", check=False)
    if loaded.returncode != 0 or loaded.stderr:  # the loader goes on without it, and says so
        raise EnvironmentFailed(
            f"{_REASON}, and {kept}, which hands them on, cannot be loaded",
            advice="remove this file, and see whether programs of its folder may be executed (noexec)",
        )
    return kept


def _compile(lab: LabContext, kept: Path) -> None:
    try:
        compiler = lab.programs.find("cc", "gcc")
        with draft_in(lab.cache, lab.journal, lab.programs) as work:
            draft = work / kept.name
            argv: list[str | Path] = [compiler, "-O2", "-shared", "-fPIC", "-o", draft, SOURCE]
            lab.programs.run(argv, purpose="compile a library for user-mode Linux")
            draft.chmod(0o755)
            draft.rename(kept)
    except (MissingProgram, EnvironmentFailed) as cause:
        raise EnvironmentFailed(
            f"{_REASON}, and no C compiler makes the library that hands them on",
            advice="install the Debian packages gcc and libc6-dev",
        ) from cause
