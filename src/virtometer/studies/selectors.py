"""Cells of a study by their fields: patterns that select some, and changes that lead to others. PURE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from virtometer.studies.data import PublishedValue

ANY = "any"
"""The word of a change that leaves a field open."""

FIELDS = (
    "virtualizer", "role", "devices", "system", "bits", "assistance", "tools", "guests", "member", "source", "target",
    "load", "beside", "workload", "operation", "block_bytes", "array_order", "threads_or_processes", "level", "metric",
    "statistic",
)  # fmt: skip
"""The fields of a value that say what it is, without its options."""

_OPTION = "options."
_PLACES = ("item", "row", "column")
_DESCRIBED: dict[str, Mapping[str, str]] = {}


def text_of(value: PublishedValue, field: str) -> str:
    """A field, or an option (`options.end`), as text. Empty where the study says nothing."""
    found: Any = value.options.get(field[len(_OPTION) :]) if field.startswith(_OPTION) else getattr(value, field)
    if isinstance(found, tuple):
        return ";".join(map(str, found))
    return "" if found is None else str(found)


def described(value: PublishedValue) -> Mapping[str, str]:
    """What a cell is, as texts by field and option."""
    if value.id not in _DESCRIBED:
        names = (*FIELDS, *(f"{_OPTION}{name}" for name in value.options))
        _DESCRIBED[value.id] = {name: text_of(value, name) for name in names}
    return _DESCRIBED[value.id]


def _known(given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in (*FIELDS, *_PLACES) and not name.startswith(_OPTION):
            raise ValueError(f"{name} is no field of a published value")
    return given


def texts_of(given: Any) -> Any:  # noqa: ANN401 - checked by the type behind it
    """A text or a whole number, or several, as a list of texts."""
    some = given if isinstance(given, list) else [given]
    return [str(one) if isinstance(one, int) and not isinstance(one, bool) else one for one in some]


Texts = Annotated[list[str], BeforeValidator(texts_of)]
"""One text or several in a file."""

Selector = Annotated[dict[str, Texts], AfterValidator(_known)]
"""Patterns of texts by field; a cell matches where each of the fields matches one of its patterns."""

Changes = Annotated[dict[str, Annotated[str, BeforeValidator(lambda of: texts_of(of)[0])]], AfterValidator(_known)]
"""What is different in another cell, by field; ANY leaves a field open, but no workload, metric or operation."""


def selects(selector: Mapping[str, Iterable[str]], value: PublishedValue) -> bool:
    """Whether each field of the cell matches one of its patterns."""
    return all(
        any(fnmatchcase(text_of(value, name), pattern) for pattern in patterns) for name, patterns in selector.items()
    )
