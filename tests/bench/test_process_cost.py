"""What processes take, and the comparison of two checkouts."""

from __future__ import annotations

from bench.process_cost import Cost, beside, best


def test_the_cheapest_of_several_processes_counts_and_the_largest_memory() -> None:
    assert best([Cost(3.0, 2.0, 10), Cost(2.0, 2.5, 30)]) == Cost(2.0, 2.0, 30)


def test_two_checkouts_are_compared_side_by_side() -> None:
    found = beside(Cost(1.0, 2.0, 300_000_000), Cost(2.0, 2.5, 400_000_000))
    assert found == "; there 2.00 s (2.50 s of processor time), 400 MB: time x 0.50, processor x 0.80, memory x 0.75"
