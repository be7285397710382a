"""The profile in a results directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.profile_campaigns import COUNTS
from virtometer.analysis.profile.counts import Counts
from virtometer.cli.parts.profiled import COUNTS as FILE
from virtometer.cli.parts.profiled import OPERATIONS, profiled_in
from virtometer.errors import StorageError


def test_without_both_parts_there_is_none(tmp_path: Path) -> None:
    assert profiled_in(tmp_path) is None
    (tmp_path / FILE).write_text(Counts.text_of({"a": COUNTS}))
    assert profiled_in(tmp_path) is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]"])
def test_what_is_no_profile_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    (tmp_path / OPERATIONS).mkdir()
    (tmp_path / OPERATIONS / "ledger.sqlite").touch()
    with pytest.raises(StorageError):
        profiled_in(tmp_path)
