"""Text from outside as data."""

from __future__ import annotations

import unicodedata

import pytest
from rich.table import Table

from tests.cli.laboratory import virtometer
from tests.design.reading import parsed
from tests.sentences import Said
from virtometer.cli.parts.console import PlainConsole
from virtometer.errors import PlanError, VirtometerError
from virtometer.visible import bounded, one_line, shortened, visible

CASES = {
    "\x1b[2J": r"\x1b[2J",
    "a\0b\x7f": r"a\x00b\x7f",
    "\x9b31m": r"\x9b31m",
    "\u202edcba\u202c": r"\u202edcba\u202c",
    "\u2066a\u2069\u200e\u061c": r"\u2066a\u2069\u200e\u061c",
    "a\u2028b\u2029": r"a\u2028b\u2029",
    "\ufeff\u200b": r"\ufeff\u200b",
    "\ud800": r"\ud800",
    "\U000e0041": r"\U000e0041",
    "a\nb\tc\r": r"a\nb\tc\r",
}


@pytest.mark.parametrize(("text", "shown"), CASES.items())
def test_hidden_characters_become_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown
    assert shown.isprintable()


@pytest.mark.parametrize("text", ["", "plain", "naïve", "漢字 µs ±", "C:\\new [red]", "e\u0301"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


def test_every_control_of_unicode_is_hidden() -> None:
    every = map(chr, range(0x110000))
    stays = {one for one in every if unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs") and visible(one) == one}
    assert stays == set()
    bidi = {one for one in map(chr, range(0x3000)) if unicodedata.bidirectional(one) in
            ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN")}  # fmt: skip
    assert not [one for one in bidi if visible(one) == one]


def test_lines_are_kept_where_that_is_asked_for() -> None:
    assert visible("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"
    assert one_line("first\n\n  second\x1b[2J ") == r"first second\x1b[2J"
    assert one_line("x" * 400) == "x" * 300
    assert shortened("x" * 400, 100) == "x" * 96 + " ..."


def test_sentences_of_errors_are_visible() -> None:
    error = VirtometerError("a\x1b[2J\nb", advice="do\x07")
    assert (error.sentence, error.advice, str(error)) == ("a\\x1b[2J\nb", "do\\x07", "a\\x1b[2J\nb")


PLAN = """\
virtometer: 1
name: "{}"
baseline: "n\\e[31m"
environments: [{{name: "n\\e[31m", kind: native}}]
workloads: [{{name: "[red]w\\u202e", workload: linpack, op: classic, parameters: {{{}}}}}]
"""


def test_names_of_a_plan_are_visible() -> None:
    plan = parsed(PLAN.format("p\\e[2J", ""), "plan.yaml")
    assert plan.name == r"p\x1b[2J"
    assert plan.baseline == plan.environments[0].name == r"n\x1b[31m"
    assert plan.workloads[0].name == r"[red]w\u202e"


@pytest.mark.parametrize(
    ("name", "parameters", "character"),
    [
        pytest.param("p\\0", "", "U+0000", id="name"),
        pytest.param("p", '"si\\eze": 4', "U+001B", id="key"),
        pytest.param("p", 'variant: "f\\x9bast"', "U+009B", id="value"),
    ],
)
def test_nul_and_controls_elsewhere_in_a_plan_are_refused(
    said: Said, name: str, parameters: str, character: str
) -> None:
    with pytest.raises(PlanError, match=r"^plan\.yaml:\d: ") as caught:
        parsed(PLAN.format(name, parameters), "plan.yaml")
    assert character in caught.value.sentence
    said(caught.value.sentence)


def test_a_console_writes_no_control_character_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    console = PlainConsole()
    console.print("[red]a\x1b[2J\u202e :skull:")
    table = Table("\x9bhead")
    table.add_row("[bold]cell\x07")
    console.print(table)
    said = capsys.readouterr().out
    assert "[red]a\\x1b[2J\\u202e :skull:" in said
    assert "[bold]cell" in said
    assert all(one.isprintable() or one == "\n" for one in said)


def test_an_error_on_the_command_line_is_visible() -> None:
    outcome = virtometer("doctor", "nat\x1b[2Jive")
    assert outcome.status == 2
    assert "\x1b" not in outcome.err


def test_of_a_long_line_the_middle_is_left_out_and_counted() -> None:
    assert bounded("a" * 1000) == "a" * 1000
    found = bounded("first\n" + "9" * 100_000 + "\nlast")
    first, middle, last = found.split("\n")
    assert (first, last) == ("first", "last")
    assert middle == "9" * 666 + " ... (99,001 characters left out) ... " + "9" * 333
    assert len(VirtometerError("\0" * 100_000, advice="\0" * 100_000).sentence) < 1100
