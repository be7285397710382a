"""The published results of five studies: published/, which the package carries. PURE but for reading these files.

Values are as printed, nothing is corrected. docs/methods/studies.md explains the columns.
"""

from __future__ import annotations

import csv
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from virtometer.installation import carried

Kind = Literal["table", "figure", "text"]
Status = Literal["printed", "unreadable", "restored", "dash", "nowhere"]
Relation = Literal["=", "about", "<", ">", "<=", ">=", "range", "plus-minus"]
Details = Mapping[str, int | str]
"""Settings of a cell, or circumstances of its measurement, by name."""

NOWHERE: Status = "nowhere"
"""Of a cell of a chart whose values are printed nowhere. No cell of values.csv has it."""

_PLACE = re.compile(r"/r(\d+)c(\d+)$|/(\d+)$")
_UNTRIED = "cannot be tried here: "
_NO_UNIT = {"", "not printed"}


@dataclass(frozen=True, slots=True)
class Study:
    """A published study. work: what kind of work it is, and where it was written. date: as printed, in words."""

    study: str
    author: str
    title: str
    work: str
    date: str

    @property
    def citation(self) -> str:
        """The citation in one line."""
        return f"{self.author}: {self.title}. {self.work[:1].upper()}{self.work[1:]}, {self.date}"


@dataclass(frozen=True, slots=True)
class Item:
    """A table, a figure or a passage of text of a study.

    item: the study's own number, or its heading where it has none; F5.15/lmdd is a part of F5.15. rows, columns: what
    they are, in words. units: those that are printed; empty where none is. draws: items whose values a figure draws.
    experiments: the runs of a measuring plan that fill it. not_available: why a part of it cannot be measured today.
    """

    study: str
    item: str
    kind: Kind
    section: str
    title: str
    rows: str
    columns: str
    units: tuple[str, ...]
    conditions: str
    draws: tuple[str, ...]
    experiments: tuple[str, ...]
    not_available: str

    @property
    def whole(self) -> str:
        """The item that this one is a part of, or the item itself."""
        return self.item if " " in self.item else self.item.partition("/")[0]


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """A printed cell, or a number in a text, with all that its study says of it.

    The fields are the columns of published/values.csv. Texts are empty and numbers are None where the study says
    nothing. value, high: in `unit`, one of s, B/s, 1/s, share, 1, s/B, B/(s*CPU), score, B. printed, printed_high: in
    `unit_printed`, with the digits of the study. inferred: fields, and names of options and conditions, that the study
    does not state.
    """

    id: str
    study: str
    item: str
    row: str
    column: str
    virtualizer: str
    role: str
    devices: str
    system: str
    bits: int | None
    assistance: str
    tools: str
    options: Details
    guests: int | None
    member: str
    source: str
    target: str
    load: str
    beside: str
    workload: str
    operation: str
    block_bytes: tuple[int, ...]
    array_order: int | None
    threads_or_processes: int | None
    level: str
    metric: str
    statistic: str
    n: int | None
    unit: str
    better: str
    value: float | None
    printed: str
    unit_printed: str
    relation: Relation
    high: float | None
    printed_high: str
    status: Status
    restored_from: str
    inferred: tuple[str, ...]
    conditions: Details

    @property
    def place(self) -> tuple[int, int]:
        """Row and column in the printed table, from 1, labels not counted. Numbers of a text are rows of one column."""
        found = _PLACE.search(self.id)
        assert found is not None, self.id
        return (int(found[1]), int(found[2])) if found[1] else (int(found[3]), 1)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a study, in words and as data: how `subject` stands to `reference` in `metric`.

    value, high: in `unit`; with high a range, which begins at 0 or ends at 1 where a single bound is given. tested_by:
    experiments of the study, or of zupka2008; empty where it cannot be tried, for the reason `untried`.
    """

    study: str
    section: str
    claim_id: str
    subject: str
    metric: str
    relation: str
    reference: str
    value: float | None
    high: float | None
    unit: str
    statement: str
    tested_by: tuple[str, ...]
    untried: str


@functools.cache
def studies() -> Mapping[str, Study]:
    """All studies by their keys, in the order of the file."""
    return {row["study"]: Study(**row) for row in _rows("studies.csv")}


def items(study: str) -> Mapping[str, Item]:
    """The items of a study by their names, in the order of the study. Raises KeyError for an unknown study."""
    return _items()[study]


def values(study: str, item: str) -> tuple[PublishedValue, ...]:
    """The values of an item, by row and column. Empty for a figure without values of its own, and for unknown items."""
    return _values().get((study, item), ())


def value(identity: str) -> PublishedValue:
    """The value with this id. Raises KeyError for an unknown one."""
    return _by_id()[identity]


def lines(study: str) -> list[dict[str, str]]:
    """The lines of values.csv of a study as texts, by column, in the order of the file."""
    return [row for row in _rows("values.csv") if row["study"] == study]


def claims(study: str) -> tuple[Claim, ...]:
    """The claims of a study, in its order. Empty for an unknown study."""
    return tuple(claim for claim in _claims() if claim.study == study)


def claims_about(item: Item) -> tuple[Claim, ...]:
    """The claims of the item's study that belong to it.

    Such a claim is tested by one of the item's experiments, or cannot be tried and is made in the item's section.
    """
    experiments = set(item.experiments)
    return tuple(
        claim
        for claim in claims(item.study)
        if experiments.intersection(claim.tested_by) or (claim.untried and claim.section == item.section)
    )


@functools.cache
def _items() -> Mapping[str, Mapping[str, Item]]:
    reasons = {(row["study"], row["item"]): row["not_available"] for row in _rows("unavailable.csv")}
    found: dict[str, dict[str, Item]] = {study: {} for study in studies()}
    for row in _rows("items.csv"):
        fields: dict[str, Any] = {**row}
        unit, experiment = fields.pop("unit_printed"), fields.pop("experiment")
        fields["units"] = () if unit in _NO_UNIT else tuple(unit.split(", "))
        fields["draws"] = _listed(row["draws"])
        fields["experiments"] = _listed(experiment)
        fields["not_available"] = reasons.get((row["study"], row["item"]), "")
        found[row["study"]][row["item"]] = Item(**fields)
    return found


@functools.cache
def _values() -> Mapping[tuple[str, str], tuple[PublishedValue, ...]]:
    found: dict[tuple[str, str], list[PublishedValue]] = {}
    for row in _rows("values.csv"):
        fields: dict[str, Any] = {**row}
        for name in ("bits", "guests", "array_order", "threads_or_processes", "n"):
            fields[name] = int(row[name]) if row[name] else None
        for name in ("value", "high"):
            fields[name] = float(row[name]) if row[name] else None
        for name in ("options", "conditions"):
            fields[name] = _details(row[name])
        fields["block_bytes"] = tuple(map(int, _listed(row["block_bytes"])))
        fields["inferred"] = _listed(row["inferred"])
        found.setdefault((row["study"], row["item"]), []).append(PublishedValue(**fields))
    return {key: tuple(sorted(some, key=lambda one: one.place)) for key, some in found.items()}


@functools.cache
def _by_id() -> Mapping[str, PublishedValue]:
    return {one.id: one for some in _values().values() for one in some}


@functools.cache
def _claims() -> tuple[Claim, ...]:
    found = []
    for row in _rows("claims.csv"):
        fields: dict[str, Any] = {**row}
        untried = row["tested_by"].startswith(_UNTRIED)
        fields["tested_by"] = () if untried else _listed(row["tested_by"])
        fields["untried"] = row["tested_by"].removeprefix(_UNTRIED) if untried else ""
        for name in ("value", "high"):
            fields[name] = float(row[name]) if row[name] else None
        found.append(Claim(**fields))
    return tuple(found)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


@functools.cache
def _details(text: str) -> Details:
    return MappingProxyType(json.loads(text) if text else {})


def _rows(name: str) -> list[dict[str, str]]:
    with (folder() / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def folder() -> Path:
    """Where the published data are: in an installed package, or in the repository that the package is used from."""
    return carried("published")
