"""YAML in: plain data with lines; everything else is one sentence with file and line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sentences import Said
from virtometer.design.plan.document import MAX_BYTES, MAX_PARTS, read_document
from virtometer.errors import PlanError


def refused(text: str | bytes) -> PlanError:
    with pytest.raises(PlanError) as caught:
        read_document(text, "p.yaml")
    return caught.value


def refusal(text: str | bytes) -> str:
    return refused(text).sentence


def test_values_and_lines() -> None:
    document = read_document("a: 1\nb:\n  - x: 2.5\n    y: text\n  - [true, null, ~]\nc: 'no'\n", "p.yaml")
    assert document.value == {"a": 1, "b": [{"x": 2.5, "y": "text"}, [True, None, None]], "c": "no"}
    assert document.line(("a",)) == 1
    assert document.line(("b", 0, "y")) == 4
    assert document.line(("b", 1, 2)) == 5
    assert document.line(("b", 1, 2, "deeper than there is")) == 5
    assert document.line(("c",)) == 6


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("010", 10),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("1e-3", 0.001),
        ("-7", -7),
        (".5", 0.5),
        ("64M", "64M"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("|\n   two\n   lines", "two\nlines\n"),
        ("", None),
        ("0x10", "0x10"),
    ],
)
def test_scalars_are_read_as_in_yaml_1_2(text: str, value: object) -> None:
    read = read_document(f"a: {text}\n", "p.yaml").value["a"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "fact"),
    [
        pytest.param("", 0, "empty", id="nothing"),
        pytest.param("# only a comment\n", 0, "empty", id="a comment"),
        pytest.param("a: 1\n\tb: 2\n", 2, "tab", id="a tab"),
        pytest.param("a: 1\n\n\na: 2\n", 4, "line 1", id="a field twice"),
        pytest.param("a: 1\n---\nb: 2\n", 2, "second", id="two documents"),
        pytest.param("a: b: c\n", 1, "':'", id="two colons"),
        pytest.param("a: {b: 1\n", 2, "<stream end>", id="no end of a mapping"),
        pytest.param("a: on\n", 1, "'on'", id="on"),
        pytest.param("x: 1\na: .inf\n", 2, ".inf", id=".inf"),
        pytest.param("a: -.INF\n", 1, "-.INF", id="-.INF"),
        pytest.param("a: .nan\n", 1, ".nan", id=".nan"),
        pytest.param("a: 1e999\n", 1, "1e999", id="1e999"),
        pytest.param(f"a: {'9' * 100_000}\n", 1, f" {'9' * 57}... ", id="very many digits"),
        pytest.param("? [a, b]\n: 1\n", 1, "list", id="a list as a name"),
        pytest.param("b: &b {x: 1}\na:\n  <<: *b\n", 3, "'<<'", id="merging"),
        pytest.param("a: !!python/tuple [1]\n", 1, "tag:yaml.org,2002:python/tuple", id="a tag of Python"),
        pytest.param("a: !mine 1\n", 1, "!mine", id="a tag of one's own"),
        pytest.param("a: !!binary aGVsbG8=\n", 1, "tag:yaml.org,2002:binary", id="a binary"),
        pytest.param("a: *nowhere\n", 1, "'nowhere'", id="an alias of nothing"),
        pytest.param("a: 1\nb: \x00\n", 2, "U+0000", id="a zero byte"),
        pytest.param(b"a: 1\nb: \xff\xfe\n", 2, "UTF-8", id="bytes that are no text"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00", 1, "U+007F", id="a program"),
    ],
)
def test_refusals(said: Said, text: str | bytes, line: int, fact: str) -> None:
    error = refused(text)
    assert error.line == line and fact in error.sentence
    said(error.sentence)


def test_size_is_bounded() -> None:
    fits = b"# " + b"x" * (MAX_BYTES - 8) + b"\na: 1\n"
    assert read_document(fits, "p.yaml").value == {"a": 1}
    assert refusal(fits + b"#") == f"p.yaml: the plan has {MAX_BYTES + 1} bytes; at most {MAX_BYTES} are read"


def test_depth_is_bounded() -> None:
    assert refusal("a: " + "[" * 100_000) == "p.yaml:1: nested more than 32 deep"
    assert refusal("\n".join("  " * depth + "a:" for depth in range(300))) == "p.yaml:32: nested more than 32 deep"


def test_parts_are_bounded() -> None:
    assert refusal("\n".join(f"- {number}" for number in range(MAX_PARTS + 1))).endswith(
        f"the plan has more than {MAX_PARTS} parts"
    )


def test_a_bomb_of_aliases_does_not_go_off() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
    )
    assert "aliases written out" in refusal(bomb)
    assert "aliases written out" in refusal("a: &a [*a]\n")


def test_a_byte_order_mark_is_no_matter() -> None:
    assert read_document(b"\xef\xbb\xbfa: 1\n", "p.yaml").value == {"a": 1}


@given(
    st.one_of(
        st.binary(max_size=200), st.text(max_size=200), st.text(alphabet="ab:-[]{}&*!|>#'\"\n \t?,%@`", max_size=60)
    )
)
def test_whatever_comes_is_data_or_a_sentence(text: str | bytes) -> None:
    try:
        read_document(text, "p.yaml")
    except PlanError as error:
        assert error.sentence.startswith("p.yaml:")
        assert "\n" not in error.sentence


def test_what_is_wrong_is_kept_over_changes_and_raised_at_once_in_the_order_of_lines() -> None:
    document = read_document("a: 1\nb: 2\n", "p.yaml")
    document.check()
    document.refuse([(("b", "deep"), "second"), (("a",), "first")])
    changed = replace(document, value={})
    changed.refuse([(("a",), "first")])
    with pytest.raises(PlanError) as caught:
        changed.check()
    assert caught.value.sentence == "p.yaml:1: first\np.yaml:2: second"


PLANS = [file.read_text() for file in sorted((Path(__file__).parents[3] / "plans").glob("*.yaml"))]


def outcome(text: str) -> object:
    """The data with their lines, or the sentence of the refusal."""
    try:
        document = read_document(text, "p.yaml")
    except PlanError as refused_for:
        return refused_for.sentence
    return document.value, document.lines


@given(st.sampled_from(PLANS), st.data())
@settings(max_examples=60)
def test_both_parsers_read_the_same(text: str, data: st.DataObject) -> None:
    """Parts of real plans, with characters that mean something in YAML in the place of others. ?: see `_Quick`."""
    begin = data.draw(st.integers(0, len(text) - 1))
    part = list(text[begin : begin + 400])
    for _ in range(data.draw(st.integers(0, 3))):
        part[data.draw(st.integers(0, len(part) - 1))] = data.draw(st.sampled_from(list(":-,[]{}#&*!|>'\"%@` \t\na0")))
    changed = "".join(part)
    with pytest.MonkeyPatch.context() as patched:
        quick = outcome(changed)
        patched.setattr(yaml, "__with_libyaml__", False)
        assert outcome(changed) == quick
