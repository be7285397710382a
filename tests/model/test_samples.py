"""Samples in columns are the samples themselves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtometer.model import NO_SLICE, Excluded, Sample, Samples, columns_of, texts_of
from virtometer.model.samples import first_slice, reason_code

NUMBERS = st.integers(-(2**62), 2**62)
SAMPLES = st.lists(
    st.builds(
        Sample,
        NUMBERS,
        NUMBERS,
        NUMBERS,
        st.text(max_size=3),
        st.none() | st.sampled_from(Excluded),
        st.text(max_size=3),
        st.none() | st.integers(-3, 9),
    ),
    max_size=12,
)


def in_columns(samples: Sequence[Sample]) -> Samples:
    return Samples(columns_of(samples), lambda: [(one.check, one.mark) for one in samples])


@given(SAMPLES, st.integers(-14, 14), st.integers(-14, 14))
def test_they_are_equal_to_a_tuple_of_the_same_samples(made: list[Sample], start: int, stop: int) -> None:
    found, expected = in_columns(made), tuple(made)
    assert found == expected
    assert expected == found
    assert (len(found), list(found), repr(found), hash(found)) == (len(made), made, repr(expected), hash(expected))
    assert found[start:stop] == expected[start:stop]
    assert [found[at] for at in range(-len(made), len(made))] == [*made, *made]
    assert columns_of(found) is found.columns
    assert found != made, "a tuple is no list either"


@given(SAMPLES)
def test_columns_say_what_the_samples_say(made: list[Sample]) -> None:
    of = columns_of(made)
    assert of.reasons == [one.excluded for one in made]
    assert of.used.tolist() == [one.used for one in made]
    assert of.unused.tolist() == [one.unused for one in made]
    assert of.in_long_windows.tolist() == [(one.slice or 0) < 0 for one in made]
    assert of.only_long_windows == all((one.slice or 0) < 0 for one in made if one.used)
    for reason in Excluded:
        assert of.excluded_by(reason).tolist() == [one.excluded is reason for one in made]
    assert of.work_of(of.used) == sum(one.work for one in made if one.used), "not cut at 64 bits"
    for samples in (tuple(made), in_columns(made)):
        assert list(texts_of(samples)) == [(one.check, one.mark) for one in made]
        assert first_slice(samples) == (made[0].slice if made else None)


@pytest.mark.parametrize("index", [2, -3])
def test_there_is_no_sample_beyond_the_last(index: int) -> None:
    found = in_columns([Sample(0, 1, 1, ""), Sample(1, 2, 1, "")])
    with pytest.raises(IndexError):
        found[index]


def test_a_sample_can_be_read_without_the_texts_of_the_others_being_changed() -> None:
    of = columns_of([Sample(0, 10, 3, "", slice=4)])
    assert of.lasted_s(1.5).tolist() == [10 * 1.5 * 1e-9]
    with pytest.raises(ValueError, match="read-only"):
        of.work[0] = 5


def test_a_number_of_more_than_64_bits_is_an_error() -> None:
    with pytest.raises(OverflowError):
        columns_of([Sample(0, 1, 2**63, "")])
    assert columns_of([Sample(0, 1, 2**63 - 1, "")]).work.tolist() == [2**63 - 1]


def test_codes_tell_reasons_apart_and_no_slice_is_no_number_of_a_slice() -> None:
    assert len({reason_code(reason) for reason in (None, *Excluded)}) == len(Excluded) + 1
    assert reason_code(None) < 0
    assert NO_SLICE == -(2**63)
