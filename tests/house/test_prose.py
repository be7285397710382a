"""Documents and messages are read once: short sentences, and no word that has a better one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house.prose import (
    LONGEST,
    avoided,
    better,
    comments,
    docstrings_and_comments,
    long_sentences,
    messages,
    plain,
    sentences,
    words,
    words_to_avoid,
)
from tests.house.tracked import ROOT, tracked

DOCUMENTS = [file for file in tracked() if file.suffix == ".md"]
CODE = [file for file in tracked() if file.suffix == ".py" and file.name != "prose.py"]
OTHERS = {".rs": "//", ".yaml": "#", ".toml": "#", ".sh": "#"}  # what begins a comment
PRODUCT = [file for file in CODE if file.is_relative_to(ROOT / "src")]

# Strings that are no sentences, or that a table has (its cells are not counted): why.
NO_SENTENCES = {
    "src/virtometer/report/machine/": "declarations of fields, which become tables",
    "src/virtometer/model/": "descriptions of fields, which become tables",
    "src/virtometer/design/reference/page.py": "lists of a page, which is checked as a document",
    "src/virtometer/environments/": "descriptions of settings, which become tables, and scripts",
    "src/virtometer/store/sample_rows.py": "a query",
    "src/virtometer/report/findings/clocks.py": "an expression of a plot",
}
# Words that are looked for, where they mean something else: why.
ALLOWED = {
    ("src/virtometer/report/machine/groups.py", "together"): "a value in a declaration of fields",
}


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_sentences_of_documents_are_short(file: Path) -> None:
    assert not long_sentences(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_documents_have_no_word_that_has_a_better_one(file: Path) -> None:
    assert not avoided(file.read_text(encoding="utf-8"))


def test_sentences_of_messages_are_short() -> None:
    assert not [
        f"{name(file)}:{line}: {words(sentence)} words: {sentence}"
        for file in PRODUCT
        if not any(name(file).startswith(excuse) for excuse in NO_SENTENCES)
        for line, text in messages(file.read_text(encoding="utf-8"))
        for sentence in sentences(text)
        if words(sentence) > LONGEST
    ]


@pytest.mark.parametrize(
    ("of", "files"),
    [(docstrings_and_comments, CODE), (messages, PRODUCT)],  # strings of tests are plans as well
    ids=["docstrings and comments", "messages"],
)
def test_code_has_no_word_that_has_a_better_one(of: Callable[[str], list[tuple[int, str]]], files: list[Path]) -> None:
    found = {
        (name(file), line, word)
        for file in files
        for line, text in of(file.read_text(encoding="utf-8"))
        for word in words_to_avoid(text)
        if (name(file), word) not in ALLOWED
    }
    assert not [f"{file}:{line}: {word!r}: {better(word)}" for file, line, word in sorted(found)]


def test_comments_of_other_languages_have_no_word_that_has_a_better_one() -> None:
    files = [file for file in tracked() if file.suffix in OTHERS]
    assert {file.suffix for file in files} == OTHERS.keys()
    assert not [
        f"{name(file)}:{line}: {word!r}: {better(word)}"
        for file in files
        for line, text in comments(file.read_text(encoding="utf-8"), OTHERS[file.suffix])
        for word in words_to_avoid(text)
    ]


def test_comments_of_rust_have_no_examples_because_cargo_does_not_run_them() -> None:
    files = [file for file in tracked() if file.suffix == ".rs"]
    assert not [name(file) for file in files for _, text in comments(file.read_text(), "//") if "```" in text]


def test_every_excuse_is_needed() -> None:
    files = [name(file) for file in PRODUCT]
    assert all(any(file.startswith(excuse) for file in files) for excuse in NO_SENTENCES)
    assert all(word in (ROOT / file).read_text(encoding="utf-8") for file, word in ALLOWED)


def test_long_sentences_and_words_are_found() -> None:
    long = "One " + "word and " * 13 + "the end."
    assert long_sentences(f"# Title\n\nShort. {long}\n") == [f"line 3: 29 words: {long[:110]}"]
    assert not long_sentences(f"| {long} |\n\n    {long}\n\n```\n{long}\n```\n")
    assert not long_sentences("- " + "one item;\n- " * 30)
    assert avoided("A crowd of guests.") == ["line 1: 'crowd': group"]
    assert not avoided("`crowd` and [x](crowd.md) and a `together` scenario")
    assert plain("[a](b) **c** `d e`") == "a c `code`"
    assert messages('def f():\n    """No message of five words."""\n    return f"there is no {x} of them"\n') == [
        (3, "there is no X of them")
    ]
    assert [text for _, text in docstrings_and_comments('"""A."""\n# b\n')] == ["b", "A."]
