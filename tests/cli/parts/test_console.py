"""Nothing that a guest, a plan or a file brought acts on the terminal."""

from __future__ import annotations

import io
import sys

import pytest
from rich.table import Table
from rich.text import Text

from virtometer.cli.parts.console import PlainConsole


def printed(monkeypatch: pytest.MonkeyPatch, shown: object, encoding: str = "utf-8") -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "60")
    PlainConsole().print(shown)
    out.flush()
    binary = out.buffer
    assert isinstance(binary, io.BytesIO)
    return binary.getvalue().decode(encoding)


@pytest.mark.parametrize("text", ["[red]a[/red]", "[link=x]", ":smile:", "[/]", "a [bold", "12 'x' True"])
def test_mark_up_and_names_of_emoji_are_text(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert printed(monkeypatch, text) == f"{text}\n"


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\rb", "bell\a", "\x9b2J", "left\u202eright", "a\x00b", "\x7f"])
def test_control_characters_are_shown_and_do_nothing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    for shown in (text, Text(text)):
        out = printed(monkeypatch, shown)
        assert not set(out) & {"\x1b", "\r", "\a", "\x9b", "\u202e", "\x00", "\x7f"}
        assert out.count("\n") == 1


def test_a_table_is_even_where_the_encoding_lacks_its_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("größe", "b")
    table.add_row("5 µs ±1", "x")
    table.add_row(Text("☃ snow", style="red"), "\x1b[2J")
    out = printed(monkeypatch, table, "ascii")
    lines = out.splitlines()
    assert len({len(line) for line in lines}) == 1
    assert "\x1b" not in out and "snow" in out and "5 us" in out
    assert "größe" in printed(monkeypatch, Table("größe"))


def test_it_goes_to_standard_error_where_that_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    PlainConsole(stderr=True).print("to people")
    PlainConsole().print("to programs")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("to programs\n", "to people\n")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_cell_with_control_characters_is_whole(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    table = Table("\x1b\x1b\x1bhead", "b")
    table.add_row("\0" * 5 + "end", Text("\u200b" * 3 + "last", style="red"))
    out = printed(monkeypatch, table, encoding)
    for text in (r"\x1b" * 3 + "head", r"\x00" * 5 + "end", r"\u200b" * 3 + "last"):
        assert text in "".join(out.split())
    assert len({len(line) for line in out.splitlines()}) == 1


def test_the_styles_of_a_text_stay_beside_its_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = Text.assemble(("a\x1b", "red"), "b", ("\u202e", "bold"))
    assert printed(monkeypatch, text) == "\x1b[31ma\\x1b\x1b[0mb\x1b[1m\\u202e\x1b[0m\n"
