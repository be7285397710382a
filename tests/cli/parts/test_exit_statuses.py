"""Exit statuses are those of the tree of errors, as drawn and as told."""

from __future__ import annotations

import re

from tests.cli.laboratory import virtometer
from virtometer import errors
from virtometer.cli.parts.exit_statuses import epilog, exit_statuses


def drawn_tree() -> dict[str, int]:
    """Names and statuses as the docstring of errors.py draws them."""
    found = re.findall(r"[├└]── (\w+) +(\d+)", errors.__doc__ or "")
    return {name: int(status) for name, status in found}


def test_the_drawn_tree_the_classes_and_the_help_agree_about_exit_statuses() -> None:
    drawn = drawn_tree()
    assert len(drawn) > 10
    for name, status in drawn.items():
        assert getattr(errors, name).exit_status == status, name
    assert set(exit_statuses()) == {0, 1, 20, 21, *drawn.values()}
    assert not {20, 21} & set(drawn.values()), "which are results of a test"
    shown = virtometer("--help").out
    for status, words in exit_statuses().items():
        assert re.search(rf"^\W*{status}  {re.escape(words[:40])}", shown, re.MULTILINE), status


def test_each_status_has_one_line_in_the_help_and_the_words_of_its_topmost_error() -> None:
    told = exit_statuses()
    assert list(told) == sorted(told)
    assert (told[0], told[1]) == ("it worked", "a fault of Virtometer itself")
    assert told[errors.PlanError.exit_status] == "wrong arguments or settings", "not those of a plan alone"
    lines = epilog().splitlines()
    assert lines[:2] == ["\b", "Exit statuses:"], "which keeps the lines apart"
    assert lines[2:] == [f"{status:>4}  {words}" for status, words in told.items()]
    assert all(words and not words.endswith(".") for words in told.values())
