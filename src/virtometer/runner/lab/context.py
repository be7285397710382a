"""Makes the LabContext that environments work with, and takes it away again."""

from __future__ import annotations

import os
import shutil
import stat
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from virtometer.cache import cache_directory
from virtometer.deferred_signals import deferred_signals
from virtometer.environments.base import LabContext, Room
from virtometer.errors import EnvironmentFailed, MissingProgram, StorageError
from virtometer.host.network.lan import Lan
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal, state_directory
from virtometer.host.programs import find_host_program
from virtometer.programs import Programs
from virtometer.runner.lab.agent import agent_path
from virtometer.workloads.base import Workload

_TARGET_32 = "i686-linux"
ROOM = 64 << 20  # for the ledger beside the disk file, and what guests write


@contextmanager
def lab_context(
    scratch_parent: Path,
    disk_span: int = 0,
    tools: Sequence[Workload[Any]] = (),
    disk_files: int = 1,
    room: Room | None = None,
    more_programs: Sequence[str] = (),
) -> Iterator[LabContext]:
    """Give a LabContext whose scratch directory is made under `scratch_parent` and removed at the end.

    disk_span > 0: `disk_files` files of that many bytes are filled there. Raises StorageError when they do not fit.
    tools: their programs are looked up on this host, for guests to get them, as are
    `more_programs`, by name. room: as in LabContext.
    """
    programs = Programs()
    journal = Journal(state_directory())
    name = f"work-{uuid.uuid4().hex[:8]}"
    scratch = scratch_parent.resolve() / name
    cache = cache_directory()
    built = agent_path()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        scratch_parent.mkdir(parents=True, exist_ok=True)
        journal.record(name, DIRECTORY, path=str(scratch))
        scratch.mkdir()
        agent = _own_copy(built, name, journal, cache)
    except OSError as cause:
        shutil.rmtree(scratch, ignore_errors=True)
        journal.forget(name)
        raise StorageError(f"cannot make the working directory {scratch}: {cause.strerror}") from cause
    lab = LabContext(agent, cache, scratch, None, journal, programs, Lan(journal, programs))
    try:
        count = disk_files if disk_span else 0
        files = [_fill(agent, scratch, disk_span, programs, number, count) for number in range(count)]
        carried = tuple(find_host_program(tool.program, tool.package, programs) for tool in tools)
        known = {one.name for one in carried}
        others = [name for name in dict.fromkeys(more_programs) if name not in known]
        carried += tuple(find_host_program(name, f"that has {name}", programs) for name in others)
        disk, more = (files[0] if files else None), tuple(files[1:])
        yield replace(
            lab, disk_file=disk, host_programs=carried, more_disk_files=more, room=room, agent_32=_agent_32(agent)
        )
    finally:
        with deferred_signals():
            try:
                lab.close()
            finally:
                made = [scratch] if agent == built else [scratch, agent.parent]
                for directory in made:
                    shutil.rmtree(directory, ignore_errors=True)
                if not any(directory.exists() for directory in made):  # else the journal keeps it for the next start
                    journal.forget(name)


def _own_copy(agent: Path, name: str, journal: Journal, cache: Path) -> Path:
    """A copy of the agent, so that building it anew does not change the instrument in the middle of a campaign.

    It lies where nobody else can replace it, which the directory of the results need not be. Where there is no such
    place, or programs cannot be executed there: the agent itself.
    """
    for parent in (journal.directory, cache):
        try:
            if os.statvfs(parent).f_flag & os.ST_NOEXEC or not _only_ours(parent.resolve()):
                continue
            directory = parent.resolve() / name
            journal.record(name, DIRECTORY, path=str(directory))
            directory.mkdir(mode=0o700)
            try:
                return Path(shutil.copy(agent, directory / agent.name))
            except OSError:
                shutil.rmtree(directory, ignore_errors=True)
                raise
        except OSError:  # no space, for example
            continue
    return agent


def _agent_32(agent: Path) -> Path | None:
    """The agent of 32 bits where it is built, as a copy beside that of the other agent; None where it is not built."""
    try:
        built = agent_path(_TARGET_32)
    except MissingProgram:
        return None
    try:
        return Path(shutil.copy(built, agent.with_name(f"{agent.name}-32"))) if agent != agent_path() else built
    except OSError:
        return built


def _only_ours(directory: Path) -> bool:
    """Whether nobody but this user and root can replace what lies in a directory, or a directory above it."""
    for one in (directory, *directory.parents):
        found = one.stat()
        sticky = found.st_mode & stat.S_ISVTX and one != directory
        if found.st_uid not in (0, os.geteuid()) or (found.st_mode & 0o022 and not sticky):
            return False
    return True


def _fill(agent: Path, scratch: Path, span: int, programs: Programs, number: int, count: int) -> Path:
    """Make one of `count` files behind disk workloads, with the contents that KERNELS.md defines."""
    free = shutil.disk_usage(scratch).free
    needed = span * (count - number) + ROOM
    if free < needed:
        what = "the disk file" if count == 1 else f"{count - number} disk files"
        raise StorageError(
            f"{what} and the ledger need {needed >> 20} MiB in {scratch.parent}, and {free >> 20} MiB are free",
            advice="make room, choose another directory with --out, or set a smaller disk_span in the plan",
        )
    directory = scratch / ("disk" if number == 0 else f"disk-{number + 1}")
    directory.mkdir()
    path = directory / "disk.img"
    argv: list[str | Path] = [agent, "measure", "disk", "--op", "fill", "--file", path, "--span", str(span), "--json"]
    try:
        programs.run(argv, purpose="fill the disk file", limit_s=600)
    except EnvironmentFailed as cause:
        raise StorageError(f"the disk file could not be filled: {cause.sentence}") from cause
    return path
