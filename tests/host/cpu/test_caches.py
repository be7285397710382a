"""The last-level cache is the host's own, as Linux reports it."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.host.cpu.caches import last_cache_bytes


def caches(folder: Path, *rows: tuple[str, str, str]) -> Path:
    for number, (kind, level, size) in enumerate(rows):
        index = folder / f"index{number}"
        index.mkdir()
        for name, text in (("type", kind), ("level", level), ("size", size)):
            (index / name).write_text(f"{text}\n")
    return folder


def test_it_is_the_highest_level_that_holds_data(tmp_path: Path) -> None:
    rows = (("Data", "1", "48K"), ("Instruction", "1", "32K"), ("Unified", "3", "32768K"), ("Unified", "2", "1M"))
    assert last_cache_bytes(caches(tmp_path, *rows)) == 32 << 20


@pytest.mark.parametrize("size", ["", "0K", "many", "-1K", "32G"])
def test_a_size_that_says_nothing_is_unknown(tmp_path: Path, size: str) -> None:
    assert last_cache_bytes(caches(tmp_path, ("Unified", "3", size))) is None


def test_a_host_that_reports_none_has_none(tmp_path: Path) -> None:
    assert last_cache_bytes(tmp_path) is None
    assert last_cache_bytes(caches(tmp_path, ("Instruction", "1", "32K"))) is None
    (tmp_path / "index1").mkdir()
    assert last_cache_bytes(tmp_path) is None


def test_of_this_host_it_is_that_of_linux() -> None:
    found = [
        int(size.read_text().strip().removesuffix("K")) << 10
        for size in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    ]
    assert last_cache_bytes() == (max(found) if found else None)
