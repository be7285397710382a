"""The profile in a results directory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis.profile_campaigns import COUNTS, priced
from tests.cli.laboratory import stored
from virtometer.analysis.profile.counts import Counts
from virtometer.cli.parts.profiled import COUNTS as FILE
from virtometer.cli.parts.profiled import OPERATIONS, profiled_in
from virtometer.errors import StorageError


def test_without_both_parts_there_is_none(tmp_path: Path) -> None:
    assert profiled_in(tmp_path) is None
    (tmp_path / FILE).write_text(Counts.text_of({"a": COUNTS}))
    assert profiled_in(tmp_path) is None


def test_a_cut_campaign_of_operations_is_no_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor one that has no trial yet. What finishes it is said once."""
    whole = priced(computing=1.0)
    for number in (0, len(whole.trials) - 1, len(whole.trials)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE).write_text(Counts.text_of({"one": COUNTS}))
        stored(replace(whole, trials=whole.trials[:number]), folder / OPERATIONS)
        found, said = profiled_in(folder), capsys.readouterr().err
        assert (found is not None) == (number == len(whole.trials))
        assert said.count(f"virtometer resume {folder / OPERATIONS}") == (found is None)
    assert found is not None and found.prices


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]"])
def test_what_is_no_profile_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    (tmp_path / OPERATIONS).mkdir()
    (tmp_path / OPERATIONS / "ledger.sqlite").touch()
    with pytest.raises(StorageError):
        profiled_in(tmp_path)
