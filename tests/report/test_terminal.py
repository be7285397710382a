"""The table fits any width, loses nothing without colour, and takes names as they are."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from tests.analysis.simulated_campaigns import Place, simulate
from tests.report.showcase import ODD, showcase
from virtometer.analysis import analyse
from virtometer.model import Campaign, Failure, FailureKind, Finding
from virtometer.report.terminal import ResultTable


def printed(of: Campaign | tuple[Finding, ...], width: int, *, colour: bool = False) -> str:
    out = io.StringIO()
    table = ResultTable(analyse(of).findings if isinstance(of, Campaign) else of)
    Console(file=out, width=width, force_terminal=colour, color_system="truecolor" if colour else None).print(table)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 72, 80, 100, 132, 160, 200, 300])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width: int) -> None:
    text = printed(showcase(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    flat = " ".join(text.split())
    for finding in analyse(showcase()).findings:
        assert finding.workload in flat
    assert flat.count("equivalent") >= 3 and "slower*" in flat and "faster*" in flat


def test_names_with_brackets_are_no_markup() -> None:
    assert ODD in printed(showcase(), 300)
    assert ODD in printed(showcase(), 80)


def test_without_colour_there_is_no_escape_and_with_it_the_words_are_the_same() -> None:
    plain, coloured = printed(showcase(), 120), printed(showcase(), 120, colour=True)
    assert "\x1b" not in plain and "\x1b" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_footnotes_are_numbered_in_reading_order_and_said_once() -> None:
    lines = printed(showcase(), 300).splitlines()
    notes = [line for line in lines if re.match("[⁰¹²³⁴⁵⁶⁷⁸⁹]+ ", line)]
    numbers = [line.split()[0].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")) for line in notes]
    assert numbers == [str(number) for number in range(1, len(notes) + 1)]
    texts = [line.split(" ", 1)[1].strip() for line in notes]
    assert len(set(texts)) == len(texts)
    assert sum("KVM is emulated here" in text for text in texts) == 1


def test_the_baseline_shows_its_value_and_the_others_their_cost() -> None:
    text = printed(showcase(), 200)
    assert "GFLOP/s" in text and "µs" in text and "cpu ×12" in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_baseline_without_a_value_is_not_shown_as_1(width: int) -> None:
    campaign = simulate(
        [Place("native", fails={"memory triad 64 MB": Failure(FailureKind.AGENT, "no space")}), Place("runc")]
    )
    before, told, _ = printed(campaign, width).partition("no value")
    assert told and not re.search(r"\b1\b", before)


def test_one_environment_and_no_measurement_at_all() -> None:
    assert "Nothing was compared" in printed(simulate([Place("native")]), 80)
    assert "nothing has been measured" in printed((), 80)


def test_few_blocks_are_told() -> None:
    text = " ".join(printed(simulate([Place("native"), Place("runc")], blocks=1), 80).split())
    assert "interval over 1 block;" in text
    assert "1 complete block; an interval and a verdict take 6" in text


def test_headings_of_long_words_are_not_cut() -> None:
    places = [Place(f"bus={bus}, cache={cache}") for bus in ("ide", "virtio") for cache in ("none", "writeback")]
    text = printed(simulate(places, seed=3, samples=1), 80)
    assert "…" not in text and text.count("cache=writeback") >= 2


def test_the_legend_says_what_cpu_is_only_where_it_stands() -> None:
    places = [Place("native", cost=None), Place("box", cost=None)]
    assert "cpu:" not in " ".join(printed(simulate(places, samples=1), 120).split())
    assert "cpu:" in " ".join(printed(showcase(), 120).split())
