"""Words that a plan adds to the command line of a guest's kernel."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

_PARAMETERS = re.compile(r"[A-Za-z0-9._-]+(=[A-Za-z0-9._,:/@+*-]+)?( [A-Za-z0-9._-]+(=[A-Za-z0-9._,:/@+*-]+)?)*")
_OURS = ("console", "init", "initrd", "panic", "rdinit", "root")


def _parameters(value: str) -> str:
    if value and not _PARAMETERS.fullmatch(value):
        raise ValueError("kernel_parameters must be words with one blank between them: mitigations=off nohz=off")
    for word in value.split():
        name = word.partition("=")[0]
        if name in _OURS or name.startswith("virtometer."):
            raise ValueError(f"the kernel parameter {name} is the laboratory's own")
    return value


KernelParameters = Annotated[str, Field(max_length=500), AfterValidator(_parameters)]
"""Words with one blank between them, none of which the laboratory itself needs."""
