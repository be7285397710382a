"""The text of a file, and what its form is: JSON, JSON lines, or other text."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, NoReturn

from virtometer.errors import UsageError
from virtometer.imports.node import Node

MOST_BYTES = 48 << 20
"""Of a log, each line of which is a request."""

MOST_PARSED_BYTES = 8 << 20
"""Of any other file: it is parsed as a whole, which takes up to fifty times as much memory."""


@dataclass(frozen=True)
class Content:
    """path: as the user named the file; some tools tell by the name what is in a file."""

    path: PurePath
    text: str

    @property
    def name(self) -> str:
        """The file, as messages name it."""
        return str(self.path)

    @cached_property
    def lines(self) -> Sequence[str]:
        """Lines without their ends."""
        return self.text.splitlines()

    @cached_property
    def first_line(self) -> str:
        """The first line that is not empty, without blanks around it."""
        return self.text[:65536].lstrip().partition("\n")[0].strip()

    @cached_property
    def document(self) -> Node | None:
        """The file as one JSON value; None where it is something else. Warnings of a tool may stand before it."""
        begin = self._begin_of_json
        if begin is None:
            return None
        try:
            return Node(_parsed(self.text[begin:] if begin else self.text), self.name)
        except ValueError:
            return None

    @cached_property
    def objects(self) -> Sequence[Node]:
        """The file as JSON lines: one object a line. Empty where it is something else; # begins a comment.

        Raises UsageError for a later line that is no object.
        """
        if self.document is not None:  # one object, which is not parsed and kept twice
            return (self.document,) if isinstance(self.document.value, dict) else ()
        found: list[Node] = []
        for number, line in enumerate(self.lines, 1):
            if not (text := line.strip()) or text.startswith("#"):
                continue
            try:
                found.append(self._object(text, number))
            except UsageError:
                if not found:
                    return ()
                raise
        return found

    def each_object(self) -> Iterator[Node]:
        """The file as JSON lines, of which none is kept: for logs of requests, which are too large for `objects`.

        Raises UsageError for a line that is no object, or too large to be parsed.
        """
        for number, line in enumerate(re.finditer("^.*$", self.text, re.MULTILINE), 1):
            if line.end() - line.start() > MOST_PARSED_BYTES:
                raise UsageError(f"{self.name}:{number}: this line has more than {MOST_PARSED_BYTES >> 20} MiB")
            if (text := line[0].strip()) and not text.startswith("#"):
                yield self._object(text, number)

    def _object(self, text: str, number: int) -> Node:
        try:
            value = _parsed(text)
            if not isinstance(value, dict):
                raise ValueError(text)
        except ValueError as cause:
            raise UsageError(f"{self.name}:{number}: this line is no JSON object; the file may be cut") from cause
        return Node(value, f"{self.name}:{number}")

    @cached_property
    def begins_as_json(self) -> bool:
        """Whether it is JSON, right or wrong."""
        return self._begin_of_json is not None

    def refuse_json(self) -> NoReturn:
        """Raise UsageError that says where a file that begins as JSON is wrong."""
        try:
            _parsed(self.text[self._begin_of_json or 0 :])
        except json.JSONDecodeError as cause:
            line = self.text.count("\n", 0, (self._begin_of_json or 0) + cause.pos) + 1
            raise UsageError(
                f"{self.name}:{line}: the JSON is wrong here; the file may be cut", advice="write the file anew"
            ) from cause
        except ValueError as cause:
            raise UsageError(f"{self.name}: this JSON cannot be read: {cause}") from cause
        raise UsageError(f"{self.name}: this JSON is of no known tool")

    @cached_property
    def _begin_of_json(self) -> int | None:
        head = self.text[:65536]
        if head.lstrip().startswith(("{", "[")):
            return 0
        at = head.find("\n{")
        return None if at < 0 or head.lstrip().startswith(("#", "<")) else at + 1


def decoded(raw: bytes, name: str) -> str:
    """UTF-8, or UTF-16 with its mark. Raises UsageError for other content, with what it seems to be."""
    if not raw.strip():
        raise UsageError(f"{name} is empty")
    if raw.startswith((b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd")):
        raise UsageError(f"{name} is compressed", advice="unpack the file first")
    try:
        marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = raw.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as cause:
        raise UsageError(f"{name} is not text in UTF-8") from cause
    if "\0" in text:
        raise UsageError(f"{name} is not text: it has zero bytes")
    return text


def _parsed(text: str) -> Any:  # noqa: ANN401 - what JSON gives
    """Raises ValueError for what is no JSON, and for JSON that is nested too deeply or has no finite numbers."""
    try:
        return _DECODER.decode(text)
    except RecursionError as cause:
        raise ValueError("it is nested too deeply") from cause


def _no_number(word: str) -> float:
    """NaN and infinities, which some tools write: no value, and refused where one is needed."""
    return float(word.replace("Infinity", "inf"))


_DECODER = json.JSONDecoder(parse_constant=_no_number)
