"""Commands that do harm end within their limit, with a sentence, and leave nothing."""

from __future__ import annotations

import pytest

from bench.hostile_commands import FAST_KINDS, ROWS, Ending, all_rows, faults, left_on_host, table

QUICK = (
    "the same, each in a session of its own", "a daemon without variables", "stops itself", "kills its group",
    "kills its parent", "changes its group", "takes too much memory", "a missing interpreter",
    "a child holds its output",
)  # fmt: skip


def test_the_quick_ones_natively() -> None:
    rows = [row for row in ROWS if row.name in QUICK]
    assert len(rows) == len(QUICK)
    found = {FAST_KINDS[0]: all_rows(FAST_KINDS[0], rows, 1.0)}
    assert faults(rows, found, 1.0) == []
    assert left_on_host() == []


@pytest.mark.parametrize("kind", FAST_KINDS)
def test_all_of_them_in_each_fast_kind(kind: str) -> None:
    found = {kind: all_rows(kind, ROWS, 6.0)}
    assert faults(ROWS, found, 6.0) == []


def test_what_is_wrong_is_found() -> None:
    rows = [row for row in ROWS if row.name == "fails"]
    assert faults(rows, {"a": {"fails": Ending("failed", 1.0, "why")}}, 1.0) == []
    for wrong in (
        Ending("done", 1.0, ""),
        Ending("failed", 1.0, ""),
        Ending("failed", 99.0, "why"),
        Ending("failed", 1.0, "why", (1, 0)),
        Ending("failed", 1.0, "why", (0, 1)),
    ):
        assert len(faults(rows, {"a": {"fails": wrong}}, 1.0)) == 1
    assert table(rows, {"a": {"fails": Ending("failed", 1.0, "why")}}).splitlines()[-1] == "| fails | failed 1.0 |"
