"""YAML in: plain data with lines; everything else is one sentence with file and line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtometer.design.plan.document import MAX_BYTES, MAX_PARTS, read_document
from virtometer.errors import PlanError


def refusal(text: str | bytes) -> str:
    with pytest.raises(PlanError) as caught:
        read_document(text, "p.yaml")
    return caught.value.sentence


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
    ("text", "sentence"),
    [
        ("", "p.yaml: the plan is empty"),
        ("# only a comment\n", "p.yaml: the plan is empty"),
        ("a: 1\n\tb: 2\n", "p.yaml:2: a tab stands where YAML wants spaces"),
        ("a: 1\n\n\na: 2\n", "p.yaml:4: the field 'a' is here twice; the first is in line 1"),
        ("a: 1\n---\nb: 2\n", "p.yaml:2: a plan is one YAML document; a second one begins here"),
        ("a: b: c\n", "p.yaml:1: a second ':' stands on this line; put the text in quotes"),
        ("a: {b: 1\n", "p.yaml:2: this is not YAML: expected ',' or '}', but got '<stream end>'"),
        ("a: on\n", "p.yaml:1: write true or false, or 'on' in quotes where it is a name"),
        ("x: 1\na: .inf\n", "p.yaml:2: .inf is not a number that a plan can use"),
        ("a: -.INF\n", "p.yaml:1: -.INF is not a number that a plan can use"),
        ("a: .nan\n", "p.yaml:1: .nan is not a number that a plan can use"),
        ("a: 1e999\n", "p.yaml:1: 1e999 is not a number that a plan can use"),
        (f"a: {'9' * 100_000}\n", f"p.yaml:1: {'9' * 57}... is not a number that a plan can use"),
        ("? [a, b]\n: 1\n", "p.yaml:1: the name of a field must be a word, not a list or a mapping"),
        ("b: &b {x: 1}\na:\n  <<: *b\n", "p.yaml:3: '<<' (merging) is not part of plans; write the fields out"),
        (
            "a: !!python/tuple [1]\n",
            "p.yaml:1: the tag tag:yaml.org,2002:python/tuple is not part of plans; write plain values",
        ),
        ("a: !mine 1\n", "p.yaml:1: the tag !mine is not part of plans; write plain values"),
        (
            "a: !!binary aGVsbG8=\n",
            "p.yaml:1: the tag tag:yaml.org,2002:binary is not part of plans; write plain values",
        ),
        ("a: *nowhere\n", "p.yaml:1: this is not YAML: found undefined alias 'nowhere'"),
        ("a: 1\nb: \x00\n", "p.yaml:2: the character U+0000 cannot stand in a plan; a plan is a YAML text file"),
        (b"a: 1\nb: \xff\xfe\n", "p.yaml:2: this is not text in UTF-8; a plan is a YAML file"),
        (
            b"\x7fELF\x02\x01\x01\x00",
            "p.yaml:1: the character U+007F cannot stand in a plan; a plan is a YAML text file",
        ),
    ],
)
def test_refusals(text: str | bytes, sentence: str) -> None:
    assert refusal(text) == sentence


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
