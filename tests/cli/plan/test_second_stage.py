"""`plan show` of a sequential design: both stages, with their times and what will be found."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.laboratory import virtometer
from tests.cli.plan.test_design import eight, shown


def test_show_says_what_both_stages_take(tmp_path: Path) -> None:
    outcome = shown(eight(tmp_path, "{type: sequential}"))
    assert (outcome.status, outcome.err) == (0, "")
    assert "design: sequential; the first stage in 6 blocks, 16 of 256 combinations for 9 numbers\n" in outcome.out
    assert "  resolution: IV, main effects are free of interactions" in outcome.out
    assert "size: 6 blocks x (16 environments + control) x 1 workload = 102 trials" in outcome.out
    assert re.search(
        r"^time of the first stage: about .* of measuring where every environment works$", outcome.out, re.M
    )
    assert (
        "second stage: the factors whose 95 % interval reaches 5.0 % in any workload, with all interactions and "
        "levels, in fresh blocks\n" in outcome.out
    )
    found = re.findall(
        r"^  (\d) factors? kept: at most (\d+) combinations in (\d+) blocks, about .* more$", outcome.out, re.M
    )
    assert found == [
        ("1", "2", "48"), ("2", "4", "24"), ("3", "8", "12"), ("4", "16", "8"), ("5", "16", "8"), ("6", "32", "8"),
        ("7", "32", "8"),
    ]  # fmt: skip
    assert "  more factors take more than 32 combinations: those with the least evidence are dropped\n" in outcome.out
    assert "power: --noise 3% or --pilot DIR" in outcome.out
    assert "budget" not in outcome.out


def test_show_says_how_small_an_effect_both_stages_find(tmp_path: Path) -> None:
    out = shown(eight(tmp_path, "{type: sequential}"), "--noise", "3%").out
    found = re.findall(
        r"^power: (\d) factors? kept: effects of ([0-9.]+) %(?:, interactions of ([0-9.]+) %)? or more", out, re.M
    )
    assert [one[0] for one in found] == list("1234567")
    assert all(float(main) >= 5 for _, main, _ in found), "what is below the margin may be dropped first"
    assert not found[0][2] and all(4 < float(pair) < 11 for _, _, pair in found[1:])


def test_a_budget_is_no_choice_of_a_sequential_design(tmp_path: Path) -> None:
    outcome = virtometer("plan", "show", eight(tmp_path, "{type: sequential}"), "--budget", "1h")
    assert outcome.status == 2
    assert "a sequential design finds its second stage automatically" in outcome.err
