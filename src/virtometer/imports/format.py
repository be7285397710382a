"""What a format of a tool's results is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from virtometer.imports.content import MOST_PARSED_BYTES, Content
from virtometer.imports.value import LeftOut, Value


@dataclass(frozen=True, slots=True)
class Format:
    """name: what `--format` takes. made_by: how the tool is called. source: where the format is documented.

    recognises: whether a text is in this format; read: its values, and what it leaves out. `read` raises
    UsageError for what is wrong. most_bytes: of a file.
    """

    name: str
    made_by: str
    source: str
    recognises: Callable[[Content], bool]
    read: Callable[[Content], Iterable[Value | LeftOut]]
    most_bytes: int = MOST_PARSED_BYTES
