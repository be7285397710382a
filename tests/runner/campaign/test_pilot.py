"""What is refused before a command is run for the first time."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.errors import CommandNotFound, NotExecutable
from virtometer.runner.campaign.pilot import refuse_missing


def test_programs_are_found_as_the_command_would_find_them(tmp_path: Path) -> None:
    program = tmp_path / "own"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    refuse_missing(["own"], {"PATH": str(tmp_path)}, Path("/"))
    refuse_missing(["./own"], {}, tmp_path)
    refuse_missing([str(program)], {}, Path("/"))
    for words, path, there in (
        (["own"], "/usr/bin", tmp_path),
        (["./own"], "", Path("/")),
        (["/no/such"], "", tmp_path),
    ):
        with pytest.raises(CommandNotFound) as missing:
            refuse_missing(words, {"PATH": path}, there)
        assert missing.value.exit_status == 127


def test_what_is_no_program_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    for name in ("./text", str(tmp_path)):
        with pytest.raises(NotExecutable) as refused:
            refuse_missing([name], {}, tmp_path)
        assert refused.value.exit_status == 126
