"""What processes take, and the comparison of two checkouts."""

from __future__ import annotations

import re

from bench.process_cost import Cost, beside, best
from tests.sentences import Said


def test_the_cheapest_of_several_processes_counts_and_the_largest_memory() -> None:
    assert best([Cost(3.0, 2.0, 10), Cost(2.0, 2.5, 30)]) == Cost(2.0, 2.0, 30)


def test_two_checkouts_are_compared_side_by_side(said: Said) -> None:
    found = beside(Cost(1.0, 2.0, 300_000_000), Cost(2.0, 2.5, 400_000_000))
    assert re.findall(r" x (\S+)\b", found) == ["0.50", "0.80", "0.75"]
    said(found)
