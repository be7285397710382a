"""The measurement of `analyse`: a table that can be read, in random order, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.analyse_speed import BASELINE, main, write
from virtometer.analysis.table.elsewhere import compare
from virtometer.analysis.table.long_table import read


def test_the_table_has_every_treatment_in_each_block_in_random_order(tmp_path: Path) -> None:
    write(tmp_path / "table.csv", 40, 3)
    table = read((tmp_path / "table.csv").read_bytes(), "table.csv")
    assert len(table.treatments) == 40
    found = compare(table, BASELINE, 0.05)
    assert all(one.ratio.n == 3 for one in found)
    assert not [note for one in found if one.subject == BASELINE for note in one.notes]


@pytest.mark.slow
def test_both_forms_are_measured_beside_another_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = str(Path(__file__).parents[2])
    words = ["analyse_speed", "--treatments", "20", "--repeat", "1", "--against", checkout]
    monkeypatch.setattr(sys, "argv", words)
    main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["table", "json", "a file without end"]
    assert all("; there " in line and "OTHER" not in line for line in lines)


def test_what_is_no_checkout_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["analyse_speed", "--against", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
