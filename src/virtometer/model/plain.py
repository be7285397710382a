"""What plans are made of: frozen models, names, sizes, shares, levels."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

Level = str | int | float | bool
"""A plain value that a factor takes."""


class Frozen(BaseModel):
    """A part of a plan: unknown fields are refused, and numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"0*([0-9]{1,19})(?:([KMGT])(?:I?B)?|B)?", re.IGNORECASE | re.ASCII)
_PERCENTAGE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?%", re.ASCII)
_MOST_BYTES = (1 << 63) - 1


def parse_size(value: object) -> object:
    """Bytes of a size such as `64M`, `64MB` or `64MiB`: all are 64 * 1024**2. What is no text passes unchanged.

    The agent's command line has the same grammar: contract/sizes.json holds examples that both test suites read.
    Raises ValueError for other texts.
    """
    if not isinstance(value, str):
        return value
    found = _SIZE.fullmatch(value)
    if found is None:
        raise ValueError("a size is a whole number of bytes, or one with K, M, G or T behind it, such as 64M")
    size = int(found[1]) * _FACTORS[(found[2] or "").upper()]
    if size > _MOST_BYTES:
        raise ValueError("a size is less than 8388608T")
    return size


def size_text(size: int) -> str:
    """A size as one would write it in a plan: 67108864 is 64M."""
    for suffix in "TGMK":
        if size and size % _FACTORS[suffix] == 0:
            return f"{size // _FACTORS[suffix]}{suffix}"
    return str(size)


def parse_share(value: object) -> object:
    """The share that a percentage is: `5%` is 0.05. What is no text passes unchanged. ValueError for other texts."""
    if not isinstance(value, str):
        return value
    found = _PERCENTAGE.fullmatch(value)
    if found is None:
        raise ValueError("a share is a number such as 0.05, or a percentage such as 5%")
    return float(f"{found[1]}e-2")


def size_schema(low: int, high: int | None) -> WithJsonSchema:
    """The JSON Schema of a size: bytes, or a text such as 64M."""
    bounds = {"minimum": low} | ({} if high is None else {"maximum": high})
    pattern = "^[0-9]+([KMGTkmgt]([Ii]?[Bb])?|[Bb])?$"
    return WithJsonSchema({"anyOf": [{"type": "integer", **bounds}, {"type": "string", "pattern": pattern}]})


def _share_schema(**bounds: float) -> WithJsonSchema:
    pattern = "^[0-9]+(\\.[0-9]+)? ?%$"
    return WithJsonSchema({"anyOf": [{"type": "number", **bounds}, {"type": "string", "pattern": pattern}]})


# A part of a whole, as a number or a percentage. The first may be neither 0 nor 1, the second both.
OpenShare = Annotated[
    float, Field(gt=0, lt=1), BeforeValidator(parse_share), _share_schema(exclusiveMinimum=0, exclusiveMaximum=1)
]
Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(parse_share), _share_schema(minimum=0, maximum=1)]


def _one_line(name: str) -> str:
    if re.search(r"[\n\r\t]", name):
        raise ValueError("a name is one line without tabs")
    return name


Name = Annotated[
    str,
    Field(min_length=1, max_length=60, json_schema_extra={"pattern": r"^[^\n\r\t]+$"}),
    AfterValidator(_one_line),
]


def rounded_size(size: int) -> str:
    """A size in the largest unit of which it has ten or more."""
    for shift, suffix in ((40, "T"), (30, "G"), (20, "M"), (10, "K")):
        if size >= 10 << shift or (size and size % (1 << shift) == 0):
            return f"{size >> shift}{suffix}"
    return str(size)
