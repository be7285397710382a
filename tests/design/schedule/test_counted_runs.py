"""How many runs a block has where a plan counts them."""

from __future__ import annotations

import pytest

from virtometer.design.schedule.counted_runs import runs_in_block
from virtometer.model import Plan


def plan(runs: int | None, blocks: int = 6) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1, "name": "p", "blocks": blocks, "environments": [{"name": "native", "kind": "native"}],
            "workloads": [{"name": "w", "workload": "command", "op": "time", "runs": runs}],
        }
    )  # fmt: skip


@pytest.mark.parametrize(("runs", "blocks"), [(6, 6), (10, 6), (11, 6), (13, 6), (1, 1), (100, 7)])
def test_blocks_share_all_runs_and_no_block_has_two_more_than_another(runs: int, blocks: int) -> None:
    shares = [runs_in_block(plan(runs, blocks), "w", block) for block in range(blocks)]
    known = [one for one in shares if one is not None]
    assert (len(known), sum(known)) == (blocks, runs)
    assert max(known) - min(known) <= 1


def test_further_blocks_have_as_many_as_the_first_ones() -> None:
    assert [runs_in_block(plan(8), "w", block) for block in (0, 5, 6, 11)] == [2, 1, 2, 1]


def test_where_the_window_decides_there_is_no_number() -> None:
    assert runs_in_block(plan(None), "w", 0) is None
