"""The user's cache: kept files are read again, and no other file is trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.cache import cache_directory, kept

TEXT = "größer ☃\n" * 1000


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the text of the tests is kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_directory() / "text"


def never() -> str:
    raise AssertionError("it was kept")


def test_a_text_is_made_once(path: Path) -> None:
    assert kept("text", lambda: TEXT) == TEXT
    assert kept("text", never) == TEXT
    assert [one.name for one in path.parent.iterdir()] == ["text"]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"", b"\n", b"abc\ntext", b"\xff" * 100])
def test_a_damaged_file_is_made_anew(path: Path, damage: bytes) -> None:
    kept("text", lambda: TEXT)
    path.write_bytes(damage)
    assert kept("text", lambda: TEXT) == TEXT
    assert kept("text", never) == TEXT


def test_one_flipped_bit_is_damage(path: Path) -> None:
    kept("text", lambda: TEXT)
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    assert kept("text", lambda: TEXT) == TEXT


def test_what_others_may_write_is_made_anew(path: Path) -> None:
    kept("text", lambda: TEXT)
    path.chmod(0o666)
    assert kept("text", lambda: "fresh") == "fresh"
    assert kept("text", never) == "fresh"


def test_a_link_is_replaced_and_what_it_leads_to_stays(path: Path, tmp_path: Path) -> None:
    kept("text", lambda: TEXT)
    other = path.rename(tmp_path / "other")
    path.symlink_to(other)
    assert kept("text", lambda: "fresh") == "fresh"
    assert not path.is_symlink() and TEXT in other.read_text()


def test_without_a_place_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert kept("text", lambda: TEXT) == TEXT
    assert kept("text", lambda: "again") == "again"
