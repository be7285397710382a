"""What `virtometer study list --json` and `show --json` print; docs/methods/studies.md has the shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from virtometer.studies.data import claims, items, values
from virtometer.studies.printed import printed

if TYPE_CHECKING:
    from virtometer.studies.data import Claim, Item, PublishedValue, Study
    from virtometer.studies.printed import Table

Object = dict[str, Any]


def study_object(study: Study) -> Object:
    """A study with its citation, and how many items, values and claims it has."""
    known = items(study.study)
    kinds = [item.kind for item in known.values()]
    return {
        **_object(study),
        "citation": study.citation,
        "tables": kinds.count("table"),
        "figures": kinds.count("figure"),
        "texts": kinds.count("text"),
        "values": sum(len(values(study.study, name)) for name in known),
        "claims": len(claims(study.study)),
    }


def item_object(item: Item) -> Object:
    """An item, without what is printed in it, and how many values it has."""
    return {**_object(item), "values": len(values(item.study, item.item))}


def printed_object(item: Item) -> Object:
    """An item with its table or its list of values; both are null where nothing of it is printed."""
    found = printed(item)
    return {
        **_object(item),
        "table": None if found.table is None else _table(found.table),
        "listed": [value_object(one) for one in found.listed] or None,
    }


def claim_objects(some: Iterable[Claim]) -> list[Object]:
    """Claims with all their fields."""
    return [_object(claim) for claim in some]


def value_object(value: PublishedValue) -> Object:
    """A value with all its fields."""
    return _object(value)


def _table(table: Table) -> Object:
    return {
        "rows": list(table.rows),
        "columns": [_object(column) for column in table.columns],
        "cells": [[None if cell is None else value_object(cell) for cell in row] for row in table.cells],
    }


def _object(one: Any) -> Object:  # noqa: ANN401 - any of the data classes
    """The fields of a data class as JSON has them: lists for tuples, objects for mappings."""
    return {field.name: _plain(getattr(one, field.name)) for field in dataclasses.fields(one)}


def _plain(given: Any) -> Any:  # noqa: ANN401
    if isinstance(given, tuple):
        return list(given)
    return dict(given) if isinstance(given, Mapping) else given
