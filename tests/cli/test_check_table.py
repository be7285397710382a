"""`virtometer check-table`: exit statuses, the table and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from virtometer.analysis.plausible.reading import MOST_BYTES

CLEAN = b"x,a,b,sum\nr,1.00,2.00,3.00\ns,4.00,5.50,9.50\nt,1.00,7.00,8.00\n"
WRONG = CLEAN.replace(b"9.50", b"9.75")


def written(folder: Path, content: bytes) -> str:
    path = folder / "table.csv"
    path.write_bytes(content)
    return str(path)


def test_nothing_found_is_status_0(tmp_path: Path) -> None:
    ended = virtometer("check-table", written(tmp_path, CLEAN))
    assert (ended.status, ended.err) == (0, "")
    assert "Nothing" in ended.out


def test_a_finding_is_status_20(tmp_path: Path) -> None:
    ended = virtometer("check-table", written(tmp_path, WRONG))
    assert (ended.status, ended.err) == (20, "")
    assert "9.75" in ended.out and "9.50" in ended.out


def test_json_has_the_findings(tmp_path: Path) -> None:
    ended = virtometer("check-table", written(tmp_path, WRONG), "--json")
    assert ended.status == 20
    (one,) = json.loads(ended.out)["findings"]
    assert (one["row"], one["column"], one["rule"], one["value"]) == ("s", "sum", "sum", 9.75)


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"", "empty"), (b"x,a\n", "no rows"), (b"x,a\nr,\n", "no numbers"), (b"x,a\nr,\0\n", "byte 0"),
        (b"x,a\nr,1\ns,oops\n", ":3"), (b"x,a\nr,1,2\n", ":2"), (b'x,a\n"r,1\n', "quote"), (b"x\n1\n", "one column"),
        (b"1" * (MOST_BYTES + 1), "MiB"), (b"x,a\nr,1\ns,1e400\n", "1e400"),
    ],
)  # fmt: skip
def test_bad_tables_are_status_2(tmp_path: Path, content: bytes, fact: str) -> None:
    ended = virtometer("check-table", written(tmp_path, content))
    assert (ended.status, ended.out) == (2, "")
    assert fact in ended.err
    assert "Traceback" not in ended.err and "Warning" not in ended.err


def test_a_directory_and_a_missing_file_are_status_2(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.csv"):
        ended = virtometer("check-table", str(path))
        assert ended.status == 2
        assert str(path) in ended.err.replace("\n", "")


def test_a_file_that_may_not_be_read_is_status_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, CLEAN)
    monkeypatch.setattr(Path, "open", refused)
    ended = virtometer("check-table", path)
    assert ended.status == 2
    assert "permission denied" in ended.err
