"""What benches of whole campaigns share: a file of rows that grows, shares, kinds for a while."""

from pathlib import Path

import pytest

from bench.campaigns import add_rows, extra_kinds, next_number, read_rows, share_text
from bench.stalls import Stopped
from virtometer.environments.registry import KINDS


def test_rows_are_appended_and_a_second_call_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    assert read_rows(file) == [] and next_number([]) == 1
    add_rows(file, [{"campaign": 1, "ratio": 0.5}, {"campaign": 1, "ratio": ""}])
    add_rows(file, [{"campaign": 2, "ratio": 0.25}])
    assert [row["ratio"] for row in read_rows(file)] == ["0.5", "", "0.25"]
    assert next_number(read_rows(file)) == 3


def test_rows_of_another_bench_are_not_appended(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    add_rows(file, [{"campaign": 1, "ratio": 0.5}])
    with pytest.raises(ValueError, match="choose another file"):
        add_rows(file, [{"campaign": 2, "ratio": 0.5}, {"campaign": 2, "share": 0.5}])
    assert len(read_rows(file)) == 1


def test_a_share_has_wilsons_interval() -> None:
    assert share_text(95, 100) == "95 of 100 (95%, 89% to 98%)"  # Newcombe 1998 has the same limits for 95 of 100
    assert share_text(0, 10) == "0 of 10 (0%, 0% to 28%)"
    assert share_text(0, 0) == "0 of 0"


def test_a_kind_of_a_bench_is_gone_at_its_end() -> None:
    with pytest.raises(KeyError, match="planned"), extra_kinds(Stopped):
        assert KINDS["stopped"] is Stopped
        raise KeyError("planned")
    assert "stopped" not in KINDS
