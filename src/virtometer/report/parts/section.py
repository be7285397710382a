"""What a page consists of: sections, each with sentences, figures and tables, and with sections within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from virtometer.report.parts.plot import Figure
from virtometer.report.parts.table import TextTable

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What is shown where a reader opens it: a table, or a text as it was written."""

    title: str
    about: str = ""
    table: TextTable | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page, shown in the order of the fields. `id`: of its title; `short`: in the contents.

    about: what it is about, in a line. headline: the sentence that matters most. wide: figures of the whole width.
    terms: names with what is said of each. notes: with the name that each is about, or none. legend: how to read the
    figures and tables. closed: a reader opens it.
    """

    id: str
    title: str
    short: str = ""
    about: str = ""
    headline: str = ""
    figures: Sequence[Figure] = ()
    wide: Sequence[Figure] = ()
    sentences: Sequence[str] = ()
    terms: Sequence[tuple[str, str]] = ()
    tables: Sequence[TextTable] = ()
    notes: Sequence[tuple[str, str]] = ()
    folded: Sequence[Folded] = ()
    parts: Sequence[Section] = ()
    legend: Sequence[str] = ()
    closed: bool = False


def some(*of: T | None) -> list[T]:
    """Those that there are."""
    return [one for one in of if one is not None]
