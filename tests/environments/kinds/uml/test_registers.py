"""Registers that user-mode Linux does not know: which processors have them, and the library that hands them on."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from virtometer.environments.base import LabContext
from virtometer.environments.kinds.uml import registers
from virtometer.errors import EnvironmentFailed, MissingProgram


def with_cache(lab: LabContext, tmp_path: Path) -> LabContext:
    cache = tmp_path / "cache"
    cache.mkdir()
    return replace(lab, cache=cache)


@pytest.mark.parametrize(
    ("flags", "found"),
    [("fpu avx512f pku", False), ("fpu amx_bf16 amx_tile amx_int8", True), ("fpu apx", True), ("", False)],
)
def test_a_processor_with_more_registers_is_known_by_its_flags(flags: str, found: bool) -> None:
    assert registers.unknown(f"model name\t: Xeon amx_tile\nflags\t\t: {flags}\nbugs\t\t: none\n") is found
    assert not registers.unknown("")


def test_the_library_is_compiled_once_and_whoever_runs_guests_may_load_it(lab: LabContext, tmp_path: Path) -> None:
    lab = with_cache(lab, tmp_path)
    first = registers.library(lab)
    made = first.stat()
    assert registers.library(lab) == first and first.stat().st_mtime_ns == made.st_mtime_ns
    assert [path.name for path in lab.cache.iterdir()] == [first.name]
    assert made.st_mode & 0o005 == 0o005
    # It changes nothing else: a program that traces works with it.
    traced = "import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))"
    ended = lab.programs.run(["env", f"LD_PRELOAD={first}", "python3", "-c", traced], purpose="load it")
    assert ended.stdout.strip() == b"0"


def test_without_a_compiler_the_sentence_says_what_to_install(
    lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = with_cache(lab, tmp_path)
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "none"))
    with pytest.raises(EnvironmentFailed, match="no C compiler") as caught:
        registers.library(lab)
    assert isinstance(caught.value.__cause__, MissingProgram)
    assert "gcc" in (caught.value.advice or "")
    assert list(lab.cache.iterdir()) == []
