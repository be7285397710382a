"""Sizes and shares as people write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sentences import Said
from virtometer.model import parse_share, parse_size, rounded_size, size_text

SIZES = json.loads((Path(__file__).parents[2] / "contract" / "sizes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "expected"), SIZES["valid"].items())
def test_sizes_are_those_of_the_contract(text: str, expected: int) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", SIZES["invalid"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^a size is "):
        parse_size(text)


def test_a_size_beyond_a_signed_number_of_64_bits_is_refused() -> None:
    assert parse_size("8388607T") == 8388607 << 40
    assert parse_size(str((1 << 63) - 1)) == (1 << 63) - 1
    for text in ("8388608T", str(1 << 63), "9999999999999999999T"):
        with pytest.raises(ValueError, match="a size is less than 8388608T"):
            parse_size(text)


@pytest.mark.parametrize("value", [7, -7, 1.5, None, True, [1], {"a": 1}])
def test_what_is_no_text_passes_unchanged(value: object) -> None:
    assert parse_size(value) is value
    assert parse_share(value) is value


@given(st.integers(0, (1 << 63) - 1))
def test_a_size_that_is_written_is_read_again(size: int) -> None:
    assert parse_size(size_text(size)) == size


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0"), (1, "1"), (1023, "1023"), (1024, "1K"), (64 << 20, "64M"), (3 << 39, "1536G")]
)
def test_a_size_is_written_with_its_largest_whole_unit(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("5 %", 0.05), ("0%", 0.0), ("100%", 1.0), ("0.5%", 0.005), ("12.25 %", 0.1225)]
)
def test_a_percentage_is_the_nearest_number_to_its_share(text: str, share: float) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["", "%", "5", "0.05", "-5%", "5%%", ".5%", "5.%", "1e1%", "nan%", "5  %", "٥%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^a share is "):
        parse_share(text)


def test_the_refusal_says_what_a_share_is(said: Said) -> None:
    with pytest.raises(ValueError, match=r"0\.05.* 5%$") as caught:
        parse_share("5")
    said(str(caught.value))


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0"), (512, "512"), (1024, "1K"), (1500, "1500"), (10_241, "10K"), (9 << 20, "9M"), (3 << 29, "1536M"),
     (10 << 30, "10G"), (11 << 40, "11T")],
)  # fmt: skip
def test_a_size_is_in_the_largest_unit_of_which_it_has_ten_or_that_it_is_whole_in(size: int, shown: str) -> None:
    assert rounded_size(size) == shown
