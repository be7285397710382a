"""Which files a command reads, by the real strace."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.errors import MissingProgram
from virtometer.programs import Programs
from virtometer.runner.campaign import opened_files as module
from virtometer.runner.campaign.opened_files import opened_files

PATH = {"PATH": "/usr/bin:/bin"}


def found(tmp_path: Path, *words: str, given: Path | None = None) -> list[Path]:
    return opened_files(words, PATH, tmp_path, given, Programs())[0]


def test_the_program_its_libraries_its_files_and_those_of_its_children_are_found(tmp_path: Path) -> None:
    data, odd, given = tmp_path / "data", tmp_path / "ü \\ \"x'", tmp_path / "given"
    for file in (data, odd, given):
        file.write_text("x" * 10)
    script = 'cat data; (cd /; cat "$1"); cat /no/such /dev/null /proc/self/stat; echo y > made; rm made; cat'
    files = found(tmp_path, "sh", "-c", script, "sh", str(odd), given=given)
    assert {data, odd, given, Path("/bin/cat").resolve(), Path("/bin/sh").resolve()} <= set(files)
    assert any(one.name.startswith("libc.so") for one in files)
    assert not any(str(one).startswith(("/proc", "/dev", "/no")) or one.name == "made" for one in files)
    sizes = [one.stat().st_size for one in files]
    assert sizes == sorted(sizes, reverse=True)


def test_a_command_that_fails_has_read_files_too(tmp_path: Path) -> None:
    assert Path("/bin/false").resolve() in found(tmp_path, "false")


def test_what_has_no_room_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"file{number}").write_text("x")
    monkeypatch.setattr(module, "MOST_FILES", 2)
    files, further = opened_files(["sh", "-c", "cat file*"], PATH, tmp_path, None, Programs())
    assert len(files) == 2 and further >= 5


def test_without_strace_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(MissingProgram) as missing:
        found(tmp_path, "true")
    assert "strace" in missing.value.advice
