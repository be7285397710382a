"""Files of other tools, as `virtometer import` reads them."""

from __future__ import annotations

from pathlib import Path, PurePath

from virtometer.imports.reading import Imported, read
from virtometer.imports.value import Value

CAPTURED = Path(__file__).parent / "captured"
"""What the real programs wrote, without names of a host."""


def captured(name: str, environment: str = "native") -> Imported:
    """A captured file, recognised by its content."""
    return read((CAPTURED / name).read_bytes(), CAPTURED / name, environment)


def written(text: str, path: str = "file", environment: str = "native") -> Imported:
    """A file of this text, recognised by its content."""
    return read(text.encode(), PurePath(path), environment)


def described(one: Value) -> tuple[str, str, str, str]:
    """Everything about a value but the number."""
    return one.benchmark, one.metric, one.unit, one.better


def numbers(file: Imported) -> dict[tuple[str, str, str, str], list[float | None]]:
    """The numbers of a file by what they are, in the file's order."""
    found: dict[tuple[str, str, str, str], list[float | None]] = {}
    for one in file.values:
        found.setdefault(described(one), []).append(one.value)
    return found
