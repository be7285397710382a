"""Marks of what breaks a plan's rules: those of windows stand in test_observer.py."""

from __future__ import annotations

from virtometer.model import HostUse, MarkKind, Rules
from virtometer.runner.watch.rules import of_use, of_watch, swap_pages

QUIET = Rules(min_free_memory_bytes=0)


def test_what_the_plan_allows_has_no_mark() -> None:
    use = HostUse(1.0, 1.0, 0, 0, 1.0, 0, 0, 0, 0, foreign=0.2, run_delay=0.05)
    assert of_use(use, 0, QUIET) == of_watch(None, [], QUIET) == []


def test_each_rule_has_its_mark() -> None:
    use = HostUse(1.0, 1.0, 0, 0, 0.5, 0, 0, 0, 0.5, foreign=0.5, run_delay=0.5)
    found = of_use(use, 5000, QUIET.model_copy(update={"max_swap_pages": 0, "min_free_memory_bytes": 1 << 60}))
    assert [mark.kind for mark in found] == [
        MarkKind.STEAL,
        MarkKind.FOREIGN,
        MarkKind.RUN_DELAY,
        MarkKind.SWAP,
        MarkKind.MEMORY,
    ]
    assert found[3].text == "5000 pages moved (the plan allows 0)"


def test_unknown_use_says_nothing_and_swapping_is_counted_from_the_start_of_the_host() -> None:
    assert of_use(None, 0, QUIET) == []
    assert swap_pages() >= 0
