"""What a file is: text, JSON, JSON lines, or nothing that can be read."""

from pathlib import PurePath

import pytest

from virtometer.errors import UsageError
from virtometer.imports.content import MOST_PARSED_BYTES, Content, decoded


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\x1f\x8b\x08rest", "compressed"),
        (b"PK\x03\x04rest", "compressed"),
        (b"\xff\xd8\xff\xe0", "not text in UTF-8"),
        (b"a\0b", "zero bytes"),
    ],
)
def test_other_files_are_one_sentence(raw: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        decoded(raw, "x")


def test_text_with_marks() -> None:
    assert decoded(b"\xef\xbb\xbf{}", "x") == "{}"
    assert decoded("{}".encode("utf-16"), "x") == "{}"


@pytest.mark.parametrize(
    "text", ['{"a": 1', "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "{} {}"], ids=["cut", "deep", "digits", "two"]
)
def test_wrong_json_has_a_sentence(text: str) -> None:
    content = Content(PurePath("x"), text)
    assert content.document is None and content.begins_as_json
    with pytest.raises(UsageError, match=r"x.*JSON"):
        content.refuse_json()


def test_json_lines_one_after_another() -> None:
    """Only line feeds end a line: texts of JSON may have other separators in them."""
    text = '# comment\n\n{"a": "\u2028"}\r\n{"a": 2}\n{"a"'
    found = Content(PurePath("x"), text).each_object()
    assert [next(found).place, next(found).place] == ["x:3", "x:4"]
    with pytest.raises(UsageError, match="x:5"):
        next(found)
    long = '{"a": 1}\n' + " " * MOST_PARSED_BYTES + '{"a": 2}'
    with pytest.raises(UsageError, match="x:2"):
        [*Content(PurePath("x"), long).each_object()]


def test_json_lines() -> None:
    assert len(Content(PurePath("x"), '# comment\n\n{"a": 1}\n{"a": 2}\n').objects) == 2
    assert Content(PurePath("x"), "[1]\n[2]\n").objects == ()
    with pytest.raises(UsageError, match="x:2"):
        Content(PurePath("x"), '{"a": 1}\n{"a"').objects  # noqa: B018
