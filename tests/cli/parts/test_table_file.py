"""Tables from files and from standard input."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from virtometer.cli.parts.table_file import table_bytes
from virtometer.errors import UsageError


def test_a_file_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"x,a\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y,b\n")))
    assert (table_bytes(file, 4), table_bytes(Path("-"), 4)) == (b"x,a\n", b"y,b\n")


@pytest.mark.parametrize("name", ["too-large.csv", "missing.csv", "."])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "too-large.csv").write_bytes(b"1" * ((1 << 20) + 1))
    with pytest.raises(UsageError) as caught:
        table_bytes(tmp_path / name, 1 << 20)
    assert str(tmp_path / name) in caught.value.sentence
    assert ("1 MiB" in caught.value.sentence) == (name == "too-large.csv")
