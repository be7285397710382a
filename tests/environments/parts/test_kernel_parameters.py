"""Words for the command line of a guest's kernel."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from virtometer.environments.parts.kernel_parameters import KernelParameters

PARAMETERS: TypeAdapter[str] = TypeAdapter(KernelParameters)


@pytest.mark.parametrize("words", ["", "nohz=off", "mitigations=off nohz=off isolcpus=0,1"])
def test_words_are_taken_as_they_are(words: str) -> None:
    assert PARAMETERS.validate_python(words) == words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("init=/bin/sh", "the kernel parameter init is the laboratory's own"),
        ("quiet panic=5", "the kernel parameter panic is the laboratory's own"),
        ("virtometer.channel=x", r"the kernel parameter virtometer\.channel is the laboratory's own"),
        (" quiet", "words with one blank between them"),
        ("a  b", "words with one blank between them"),
        ("a=<x/>", "words with one blank between them"),
        ("x" * 501, "at most 500 characters"),
    ],
)
def test_what_the_laboratory_needs_itself_is_refused(words: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        PARAMETERS.validate_python(words)
