"""Counts of a run, and the file that keeps them."""

from __future__ import annotations

import json

import pytest

from tests.analysis.profile_campaigns import COUNTS, counts
from virtometer.analysis.profile.counts import Counts
from virtometer.errors import StorageError

TEXT = Counts.text_of({"a": COUNTS})


def test_a_file_keeps_all() -> None:
    assert Counts.read_all(TEXT, "x") == {"a": COUNTS}


def test_numbers_of_a_run() -> None:
    assert COUNTS.system_calls == 100_004
    assert COUNTS.slowed == pytest.approx(50)
    assert COUNTS.busy_processors == 1
    reads = counts(classes={"reads": 10}, read_by_calls=40_000)
    assert reads.read_size == 4_096
    assert [counts(classes={"reads": 1}, read_by_calls=many).read_size for many in (0, 1 << 30)] == [8, 1 << 16]


@pytest.mark.parametrize(
    "change",
    [
        {"wall_s": 0}, {"user_s": -1}, {"waits": "many"}, {"waits": True}, {"classes": 3}, {"waits": {"a": 1}},
        {"classes": {"reads": -1}}, {"counted_s": float("inf")}, {"calls": {"read": None}},
    ],
)  # fmt: skip
def test_what_is_no_profile_is_refused(change: dict[str, object]) -> None:
    whole = json.loads(TEXT)
    whole["commands"]["a"] |= change
    with pytest.raises(StorageError):
        Counts.read_all(json.dumps(whole), "x")


@pytest.mark.parametrize("text", ["", "[]", "{}", "1", '{"profile": 2}', '{"profile": 1, "commands": {"a": {}}}'])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(StorageError):
        Counts.read_all(text, "x")
