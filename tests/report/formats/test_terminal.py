"""The table fits any width, loses nothing without colour, and takes names as they are."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from tests.analysis.simulated_campaigns import Place, Work, simulate
from tests.report.showcase import ODD, in_turns, showcase
from virtometer.analysis import analyse
from virtometer.model import Campaign, Estimate, Failure, FailureKind, Finding
from virtometer.report.findings.summary import method_sentences
from virtometer.report.formats.terminal import ResultTable
from virtometer.report.parts import words


def printed(of: Campaign | tuple[Finding, ...], width: int, *, colour: bool = False) -> str:
    out = io.StringIO()
    if isinstance(of, Campaign):
        analysis = analyse(of)
        table = ResultTable(analysis.findings, analysis.sweeps, method=("how it was concluded",))
    else:
        table = ResultTable(of, method=())
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


def test_the_three_notes_at_the_most_verdicts_are_shown_and_the_others_counted() -> None:
    findings = analyse(showcase()).findings
    out = io.StringIO()
    Console(file=out, width=300).print(ResultTable(findings, budget="the noise"))
    lines = [line.strip() for line in out.getvalue().splitlines()]
    notes = [line for line in lines if re.match("[⁰¹²³⁴⁵⁶⁷⁸⁹]+ ", line)]
    assert len(notes) == 3
    assert sum("not comparable: " in note for note in notes) == 2, "each star has its note"
    (left,) = [line for line in lines if line.endswith("more notes: --notes")]
    everything = [line for line in printed(showcase(), 300).splitlines() if re.match("[⁰¹²³⁴⁵⁶⁷⁸⁹]+ ", line)]
    assert int(left.split()[0]) == len(everything) - 3
    headline = next(at for at, line in enumerate(lines) if "comparisons with native" in line)
    assert lines[headline + 1] == "the noise", "counts, then noise and budget, then the legend"
    assert "how it was concluded" not in out.getvalue() and "how it was concluded" in printed(showcase(), 300)


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


def test_few_blocks_are_reported() -> None:
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


def swept(*others: Place, count: int = 3) -> Campaign:
    """Memory over sizes, linpack over orders and threads, and one workload that is no sweep."""
    sizes = [
        Work(f"read {k} KiB", "memory", "read", "B/s", 8e9 / k, of="read", levels={"size": k << 10})
        for k in range(1, count + 1)
    ]
    orders = [
        Work(f"solve {n} {threads}", "linpack", "classic", "FLOP/s", 1e9 * threads, threads=threads, of="solve",
             levels={"size": n, "threads": threads})
        for n in (500, 1000) for threads in (1, 2)
    ]  # fmt: skip
    return simulate([Place("native"), *others], [*sizes, Work("alone"), *orders], samples=1)


def rows(text: str) -> list[list[str]]:
    """Cells of each line, as they are divided by two blanks."""
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.strip()]


def test_a_sweep_has_a_row_for_each_level_and_a_column_for_each_environment() -> None:
    found = rows(printed(swept(Place("half", efficiency={"": 0.5}), Place("same")), 100))
    at = found.index(["read"])
    assert found[at + 1] == ["size", "native", "half", "same"]
    assert found[at + 3 : at + 6] == [
        ["1 KiB", "8.00 GB/s", "0.50 ±0.00 slower", "1.0 ±0.0 equivalent¹"],
        ["2 KiB", "4.00 GB/s", "0.50 ±0.00 slower", "1.0 ±0.0 equivalent¹"],
        ["3 KiB", "2.67 GB/s", "0.50 ±0.00 slower", "1.0 ±0.0 equivalent¹"],
    ]
    text = printed(swept(Place("half", efficiency={"": 0.5}), Place("same")), 100)
    assert "read 1 KiB" not in text, "a combination of levels has no row of its own beside"
    assert text.index("alone") < text.index("read")


def test_of_two_factors_each_has_a_column_and_a_level_that_repeats_is_left_out() -> None:
    found = rows(printed(swept(Place("half", efficiency={"": 0.5})), 100))
    at = found.index(["solve"])
    assert found[at + 1] == ["size", "threads", "native", "half"]
    assert [row[:-2] for row in found[at + 3 : at + 7]] == [["500", "1"], ["2"], ["1000", "1"], ["2"]]


MANY = [Place(name, efficiency={"": 0.9}) for name in ("runc", "gVisor", "QEMU (emulated)", "user-mode Linux")]


@pytest.mark.parametrize("width", [60, 72, 80, 100, 132, 160])
def test_the_table_of_a_sweep_fits_and_has_each_environment_with_its_ratio(width: int) -> None:
    text = printed(swept(*MANY), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    sweep = text[text.index("\nread") : text.index("\nsolve")]
    assert sweep.count("0.90") == 3 * len(MANY)
    assert all(sweep.count(place.name) == 1 for place in MANY)
    assert sweep.count("\nread") == sweep.count("native") == sweep.count("1 KiB"), "each part has levels and baseline"


def test_an_environment_that_has_none_of_the_levels_is_named_behind_the_table() -> None:
    gone = Place("KVM", "kvm", works=False, reason="there is no /dev/kvm")
    found = rows(printed(swept(Place("half", efficiency={"": 0.5}), gone), 100))
    at = found.index(["read"])
    assert found[at + 1] == ["size", "native", "half"]
    assert found[at + 6] == ["KVM: not available here¹"]


def test_a_level_without_a_value_says_so_in_its_cell() -> None:
    failure = Failure(FailureKind.UNAVAILABLE, "no memory", 0)
    places = (Place("box", fails={"read 2 KiB": failure}), Place("same"))
    found = rows(printed(swept(*places), 120))
    assert ["2 KiB", "4.00 GB/s", "not available here²", "1.0 ±0.0 equivalent¹"] in found


def test_where_verdicts_are_about_the_typical_ratio_the_table_shows_that_one_and_the_method_says_so() -> None:
    analysis = analyse(in_turns(verdict="typical"))
    (native, half) = analysis.findings
    other = replace(half, ratio=replace(half.ratio, estimate=Estimate(0.25, 0.24, 0.26, 6)))
    text = printed((native, other), 160)
    assert "0.50" in text and "0.25" not in text
    assert words.TYPICAL in method_sentences(analysis)
    assert words.TYPICAL not in method_sentences(analyse(in_turns(verdict="total")))


def test_the_legend_of_sweeps_alone_is_without_cpu_time() -> None:
    text = printed(swept(Place("box", cost=2.0)), 120)
    assert "cpu:" in text
    campaign = swept(Place("box", cost=2.0))
    analysis = analyse(campaign)
    of_sweeps = [one for one in analysis.findings if one.workload != "alone"]
    out = io.StringIO()
    Console(file=out, width=120).print(ResultTable(of_sweeps, analysis.sweeps))
    assert "cpu:" not in out.getvalue()


@pytest.mark.parametrize("width", [60, 80])
def test_a_level_that_is_too_long_is_folded_and_not_cut(width: int) -> None:
    calls = [
        Work(f"call {number}", "os", "system-call", "s", 1e-7, of="call", levels={"call": call})
        for number, call in enumerate(("aword " * 9, "one-word-" * 9))
    ]
    text = printed(simulate([Place("native"), *MANY], calls, samples=1), width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("aword") >= 9
    assert "…" not in text
