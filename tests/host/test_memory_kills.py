"""The count of processes that the kernel has killed for memory."""

from __future__ import annotations

from pathlib import Path

from virtometer.host.memory_kills import memory_kills


def test_the_count_is_that_of_its_own_line(tmp_path: Path) -> None:
    table = tmp_path / "vmstat"
    table.write_text("drop_slab 3\noom_kill 12\nswap_ra 0\n")
    assert memory_kills(table) == 12
    table.write_text("oom_killer 12\n")
    assert memory_kills(table) is None
    assert memory_kills(tmp_path / "none") is None
    assert isinstance(memory_kills(), int)
