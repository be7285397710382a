"""The files of commands that leave the page cache."""

from __future__ import annotations

import shlex
from pathlib import Path

from virtometer.cli.timing.commands import commands
from virtometer.cli.timing.evicted import evicted


def test_each_command_has_its_own_files(tmp_path: Path) -> None:
    for name in ("one", "the other"):
        (tmp_path / name).write_text("x")
    some = commands(["cat one", "cat 'the other'"], ())
    made = [shlex.split(one["evict"]) for one in evicted(some, {"PATH": "/usr/bin:/bin"}, tmp_path, None, beside=True)]
    assert [str(tmp_path / "one") in files for files in made] == [True, False]
    assert str(tmp_path / "the other") in made[1]
