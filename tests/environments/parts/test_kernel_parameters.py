"""Words for the command line of a guest's kernel."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.sentences import Said
from virtometer.environments.parts.kernel_parameters import KernelParameters

PARAMETERS: TypeAdapter[str] = TypeAdapter(KernelParameters)


@pytest.mark.parametrize("words", ["", "nohz=off", "mitigations=off nohz=off isolcpus=0,1"])
def test_words_are_taken_as_they_are(words: str) -> None:
    assert PARAMETERS.validate_python(words) == words


@pytest.mark.parametrize(
    "words",
    [
        "init=/bin/sh",
        "quiet panic=5",
        "virtometer.channel=x",
        " quiet",
        "a  b",
        "a=<x/>",
        pytest.param("x" * 501, id="501 letters"),
    ],
)
def test_what_the_laboratory_needs_itself_is_refused(said: Said, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        PARAMETERS.validate_python(words)
    [error] = refused.value.errors()
    said(error["msg"].removeprefix("Value error, "))
