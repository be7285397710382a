"""A value of a JSON document with its place, so that a wrong one is named."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from virtometer.errors import UsageError


@dataclass(frozen=True, slots=True)
class Node:
    """value: as `json` gives it. place: file, and the way to the value."""

    value: Any
    place: str

    def has(self, *keys: str) -> bool:
        """Whether it is an object with all these keys."""
        return isinstance(self.value, dict) and all(key in self.value for key in keys)

    def __getitem__(self, key: str) -> Node:
        """Raises UsageError where it is no object, or has no such key."""
        if not self.has(key):
            raise UsageError(f"{self.place}: {key} is missing; the file may be cut or edited")
        return Node(self.value[key], f"{self.place}: {key}" if ": " not in self.place else f"{self.place}.{key}")

    def get(self, key: str) -> Node | None:
        """None where it is no object, has no such key, or null there."""
        return self[key] if self.has(key) and self.value[key] is not None else None

    def items(self) -> Iterator[tuple[str, Node]]:
        """Keys and values of an object. Raises UsageError where it is none."""
        if not isinstance(self.value, dict):
            raise UsageError(f"{self.place} is not an object")
        for key in self.value:
            yield key, self[key]

    def __iter__(self) -> Iterator[Node]:
        """The elements of a list. Raises UsageError where it is none."""
        if not isinstance(self.value, list):
            raise UsageError(f"{self.place} is not a list")
        for number, one in enumerate(self.value):
            yield Node(one, f"{self.place}[{number}]")

    def first(self) -> Node | None:
        """The first element of a list; None where it is none, or empty."""
        return next(iter(self), None) if isinstance(self.value, list) else None

    def number(self) -> float:
        """Raises UsageError where it is no number, or not finite."""
        found = self.number_or_none()
        if found is None:
            raise UsageError(f"{self.place} is not a number")
        return found

    def number_or_none(self) -> float | None:
        """None where it is no number, or not finite."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        try:
            found = float(self.value)
        except OverflowError:
            return None
        return found if math.isfinite(found) else None

    def text(self) -> str:
        """Raises UsageError where it is no text."""
        if not isinstance(self.value, str):
            raise UsageError(f"{self.place} is not a text")
        return self.value
