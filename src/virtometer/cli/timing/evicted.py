"""`virtometer time --cache cold`: the files of each command that leave the page cache before its runs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from virtometer.cli.timing.commands import Command
from virtometer.counted import counted
from virtometer.errors import CommandFailed
from virtometer.runner.campaign.opened_files import locked_opened_files


def evicted(
    commands: Sequence[Command], variables: Mapping[str, str], workdir: Path, input_file: Path | None, *, beside: bool
) -> list[dict[str, str]]:
    """The parameter of each command, which runs once natively for that.

    beside: as of HostLock. Raises what `opened_files` raises, and CommandFailed where no file is found: every program
    is a file, so strace saw nothing.
    """
    made = []
    for one in commands:
        files, further = locked_opened_files(
            one.words, variables, workdir, input_file, beside=beside, tell=lambda text: typer.echo(text, err=True)
        )
        if further:
            sentence = f"{counted(further, 'small file')} of {one.name} stay in the page cache"
            typer.echo(f"virtometer: {sentence}", err=True)
        if not files:
            raise CommandFailed(
                f"{one.name}: strace found no file that it reads, so that none can leave the page cache"
            )
        made.append({"evict": shlex.join(map(str, files))})
    return made
