"""A file's format, by its content, and its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from virtometer.errors import UsageError
from virtometer.imports.content import MOST_PARSED_BYTES, Content, decoded
from virtometer.imports.format import Format
from virtometer.imports.registry import FORMATS
from virtometer.imports.value import LeftOut, Value


@dataclass(frozen=True, slots=True)
class Imported:
    """environment: as the user named it, or empty. values: in the order of the file. left_out: each result once."""

    environment: str
    path: PurePath
    format: Format
    values: Sequence[Value]
    left_out: Sequence[LeftOut] = ()


def named(name: str) -> Format:
    """The format of this name. Raises UsageError where there is none."""
    for one in FORMATS:
        if one.name == name:
            return one
    raise UsageError(f"there is no format {name}", advice=f"formats are {', '.join(one.name for one in FORMATS)}")


def read(raw: bytes, path: PurePath, environment: str, wanted: Format | None = None) -> Imported:
    """All values of a file. wanted: the format that the user named.

    Raises UsageError where the file is in no known format, in another one, cut, too large to be parsed, or without any
    value.
    """
    content = Content(path, decoded(raw, str(path)))
    format = _format(content, wanted, len(raw))
    values: list[Value] = []
    left_out: dict[LeftOut, None] = {}
    for one in format.read(content):
        if isinstance(one, LeftOut):
            left_out[one] = None
        else:
            values.append(one)
    if not values:
        reason = f": {next(iter(left_out)).reason}" if left_out else ""
        raise UsageError(f"{path} has no values of {format.name} that can be compared{reason}")
    return Imported(environment, path, format, values, [*left_out])


def _format(content: Content, wanted: Format | None, size: int) -> Format:
    asked = FORMATS if wanted is None else (wanted,)
    for one in asked:
        if size <= one.most_bytes and one.recognises(content):
            return one
    if size > MOST_PARSED_BYTES:
        raise UsageError(
            f"{content.name} has more than {MOST_PARSED_BYTES >> 20} MiB, which only logs of requests may have"
        )
    if content.begins_as_json and content.document is None and not content.objects:
        content.refuse_json()
    if wanted is not None:
        raise UsageError(
            f"{content.name} is not in the format {wanted.name}",
            advice=f"{wanted.made_by} writes this format; without --format the content decides",
        )
    raise UsageError(
        f"{content.name} is in no known format", advice="virtometer import --list has all formats, and how to get them"
    )
