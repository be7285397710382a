"""Cells of a study by their fields."""

from __future__ import annotations

from virtometer.studies.data import value
from virtometer.studies.selectors import described, selects, text_of, texts_of

GUEST = value("tsiouprou2010/5.1/r1c3")  # Linux 64 bit, guest, 1000 x 1000


def test_texts_of_fields() -> None:
    assert text_of(GUEST, "bits") == "64"
    assert text_of(GUEST, "options.vcpus") == "1"
    assert text_of(GUEST, "options.nothing") == ""
    assert text_of(value("tsiouprou2010/5.3/r1c1"), "block_bytes") == "4096;32768;262144;1048576;4194304"


def test_selectors_match_all_fields_by_one_pattern_each() -> None:
    assert selects({"item": ["5.*"], "bits": ["32", "64"]}, GUEST)
    assert not selects({"item": ["6.*"]}, GUEST)
    assert not selects({"level": ["?*"]}, GUEST)


def test_a_cell_is_described_by_its_fields_and_options() -> None:
    found = described(GUEST)
    assert (found["bits"], found["load"], found["options.vcpus"]) == ("64", "", "1")


def test_whole_numbers_are_texts_and_one_is_a_list() -> None:
    assert texts_of(64) == ["64"] and texts_of(["a", 2]) == ["a", "2"] and texts_of(True) == [True]
