"""`plan show` of a sequential design: both stages, with their times and what will be found."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.laboratory import line_with, virtometer
from tests.cli.plan.test_design import eight, shown
from tests.sentences import Said


def test_show_says_what_both_stages_take(said: Said, tmp_path: Path) -> None:
    outcome = shown(eight(tmp_path, "{type: sequential}"))
    assert (outcome.status, outcome.err) == (0, "")
    assert "6 blocks, 16 of 256 combinations for 9 numbers\n" in outcome.out
    assert "  resolution: IV, " in outcome.out
    assert " = 102 trials" in outcome.out
    time = line_with("time of the first stage: about ", outcome.out)
    assert time.endswith(" of measuring where every environment works")
    chosen = re.compile(r"design: |  resolution: |size: |second stage: |  \d factors? |  more factors |power: ")
    lines = [line for line in outcome.out.splitlines() if chosen.match(line)]
    said("\n".join(re.sub("about .* more$", "about TIME more", line) for line in lines))
    found = re.findall(r"^  (\d) factors? kept: at most (\d+) \w+ in (\d+) blocks, ", outcome.out, re.M)
    assert found == [
        ("1", "2", "48"), ("2", "4", "24"), ("3", "8", "12"), ("4", "16", "8"), ("5", "16", "8"), ("6", "32", "8"),
        ("7", "32", "8"),
    ]  # fmt: skip
    assert "  more factors take more than 32 combinations: " in outcome.out
    assert "budget" not in outcome.out


def test_show_says_how_small_an_effect_both_stages_find(said: Said, tmp_path: Path) -> None:
    out = shown(eight(tmp_path, "{type: sequential}"), "--noise", "3%").out
    found = re.findall(r"^power: (\d) .* effects of ([0-9.]+) %(?:, \w+ of ([0-9.]+) %)? or more", out, re.M)
    assert [one[0] for one in found] == list("1234567")
    assert all(float(main) >= 5 for _, main, _ in found), "what is below the margin may be dropped first"
    assert not found[0][2] and all(4 < float(pair) < 11 for _, _, pair in found[1:])
    lines = [line for line in out.splitlines() if line.startswith("power: ")]
    said("\n".join(re.sub(r"(effects|interactions) of [0-9.]+ %", r"\1 of SIZE %", line) for line in lines))


def test_a_budget_is_no_choice_of_a_sequential_design(said: Said, tmp_path: Path) -> None:
    outcome = virtometer("plan", "show", eight(tmp_path, "{type: sequential}"), "--budget", "1h")
    assert outcome.status == 2
    assert outcome.err.startswith("virtometer: --budget ")
    said(outcome.err)
