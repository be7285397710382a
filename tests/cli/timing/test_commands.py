"""The commands of `virtometer time`: splitting, parameters, names."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtometer.cli.timing.commands import MOST, beside, commands, parameters
from virtometer.errors import UsageError


def words(*texts: str, shell: str = "") -> list[tuple[str, ...]]:
    return [one.words for one in commands(texts, (), shell=shell)]


def test_a_text_is_split_as_a_shell_splits_it() -> None:
    assert words("echo 'a b'  c\\ d \"e'f\"") == [("echo", "a b", "c d", "e'f")]
    assert words("gzip -k x", "xz -k x") == [("gzip", "-k", "x"), ("xz", "-k", "x")]
    assert words("python3 -c 'print(1 < 2) # $HOME'") == [("python3", "-c", "print(1 < 2) # $HOME")]


@given(st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1), min_size=1, max_size=5))
def test_quoted_words_are_the_words_whatever_they_are(some: list[str]) -> None:
    assert words(shlex.join(some)) == [tuple(some)]
    (after,) = commands((), some)
    assert after.words == tuple(some)
    assert words(after.line) == [tuple(some)]


@pytest.mark.parametrize("text", ["ls | wc", "a && b", "echo $HOME", "ls *.c", 'echo "$HOME"', "a > b", "echo `id`"])
def test_what_only_a_shell_understands_is_refused_and_a_shell_takes_it(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        words(text)
    assert "-S" in refused.value.advice
    assert words(text, shell="bash") == [("bash", "-c", text)]


def test_a_shell_takes_what_stands_beside_a_command_too() -> None:
    assert beside("sync 'a b'", "") == beside("sync 'a b'", "none") == "sync 'a b'"
    assert beside("sync; true", "bash --norc") == "bash --norc -c 'sync; true'"
    assert beside("sync; true", "default") == "/bin/sh -c 'sync; true'"
    assert beside(None, "bash") is None
    with pytest.raises(UsageError):
        beside("sync; true", "")


@pytest.mark.parametrize("text", ["", "   ", "echo 'a", 'echo "', "A=1 true", "echo \udcff"])
def test_what_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        words(text)


def test_no_command_at_all_is_refused() -> None:
    with pytest.raises(UsageError):
        commands((), ())


def test_each_combination_of_parameters_is_a_command() -> None:
    values = parameters([("tool", "gzip,xz")], [("level", "1", "9")], "4")
    made = commands(["{tool} -{level} file"], ("{tool}", "--version {level}"), values=values)
    assert [one.line for one in made[:6]] == [f"{tool} -{level} file" for tool in ("gzip", "xz") for level in (1, 5, 9)]
    assert made[6].words == ("gzip", "--version 1")
    assert len(made) == 12


def test_values_may_be_fractions_and_texts_stay_as_they_are() -> None:
    assert parameters([], [("x", "0.1", "0.3")], "0.1") == [("x", ["0.1", "0.2", "0.3"])]
    assert parameters([("x", "a b,,c")], [], None) == [("x", ["a b", "", "c"])]


@pytest.mark.parametrize(
    ("listed", "scanned", "step"),
    [
        ([("x", "")], [], None), ([("", "1")], [], None), ([], [], "1"), ([], [("x", "2", "1")], None),
        ([], [("x", "1", "nan")], None), ([], [("x", "1", "2")], "0"), ([], [("x", "1", "inf")], None),
        ([("x",)], [], None), ([], [("x", "1 2")], None), ([], [("x", "a", "2")], None),
        ([], [("x", "0", str(MOST))], None), ([], [("x", "0", "1")], "1e-9"),
    ],
)  # fmt: skip
def test_parameters_without_sense_are_refused(
    listed: list[tuple[str, ...]], scanned: list[tuple[str, ...]], step: str | None
) -> None:
    with pytest.raises(UsageError):
        parameters(listed, scanned, step)


def test_too_many_commands_are_refused() -> None:
    with pytest.raises(UsageError):
        commands(["echo {a} {b}"], (), values=parameters([("a", "1,2,3,4,5,6,7,8,9")], [("b", "1", "9")], None))


def test_names_are_those_that_are_given_and_never_twice_the_same() -> None:
    made = commands(["a", "b", "c"], (), names=["one", "one"])
    assert [one.name for one in made] == ["one", "one #2", "c"]
    long = commands(["x" * 80 + " 1", "x" * 80 + " 2"], ())
    assert len({one.name for one in long}) == 2
    assert all(len(one.name) <= 60 for one in long)
    (lines,) = commands((), ("sh", "-c", "a\nb"))
    assert "\n" not in lines.name
    with pytest.raises(UsageError):
        commands(["a"], (), names=["one", "two"])


def test_the_same_command_may_be_compared_with_itself() -> None:
    assert [one.name for one in commands(["echo a", "echo a"], ())] == ["echo a", "echo a #2"]
