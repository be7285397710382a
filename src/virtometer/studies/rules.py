"""Which printed cells decide a claim, and how: published/agreement/STUDY.yaml. PURE but for reading these files.

docs/methods/studies.md explains the keys of an entry.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

from virtometer.studies.data import Claim, PublishedValue, claims, folder, items, values
from virtometer.studies.sections import chart_cells

Holds = Literal["each", "most", "clearly", "mean"]
Scalar = int | str | None

SAME = ("system", "bits", "workload", "operation", "array_order", "level", "threads_or_processes", "metric")
"""What a subject and its reference have in common, where their selectors do not say otherwise."""

MARGIN = 0.05
"""Of `about equal` and of `influence`."""

UNEVEN = 0.10
"""How much the greatest of fair shares may exceed the least."""

TOLERANCE = 0.25
"""How far from a single stated number a figure may lie, as a part of the number."""

POINT = 0.01
"""The least tolerance of a stated share."""

_FIELDS = {field.name for field in fields(PublishedValue)}
_KEYS = {"subject", "reference", "same", "cases", "holds", "margin", "along", "relation", "value", "high"}
_ALL_KEYS = _KEYS | {"restates", "note"}
_HOLDS = {"each", "most", "clearly", "mean"}
_SLIPPED = "slipped"
"""The key of cells that no claim is judged by, beside the claims."""

NEAR = frozenset({"equal", "about equal", "unchanged", "no influence"})
ALONE = frozenset({"value", "limit", "trend up", "trend down", "fair", "unfair"})
"""The relations of cells to a number, or among themselves: they need no reference."""

RELATIONS = NEAR | ALONE | {
    "influence", "faster than", "slower than", "higher than", "lower than", "loss", "gain", "ratio",
}  # fmt: skip
"""The relations that numbers can decide."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Cells of a study whose fields have one of these values. Fields: columns of values.csv, and `options.NAME`.

    Numbers in texts, and cells of charts, belong to them only where the item is wanted; the former also by their ids.
    """

    study: str
    wanted: Mapping[str, tuple[Scalar, ...]]

    def cells(self) -> tuple[PublishedValue, ...]:
        """The cells, in the order of the study; those without a number too."""
        some: Iterable[PublishedValue] = _cells(self.study)
        if "item" in self.wanted:
            some = (cell for name in self.wanted["item"] for cell in _of_item(self.study, str(name)))
        elif "id" not in self.wanted:
            some = (cell for cell in some if not cell.item.startswith("text "))
        return tuple(cell for cell in some if all(field(cell, name) in of for name, of in self.wanted.items()))


@dataclass(frozen=True, slots=True)
class Case:
    """Cells that are compared. same: fields in which a subject and its reference agree, where both say something.

    subjects, references: one or several selectors, whose cells are joined.
    """

    subjects: tuple[Selector, ...]
    references: tuple[Selector, ...]
    same: tuple[str, ...]

    def subject_cells(self) -> tuple[PublishedValue, ...]:
        """The cells that stand for the subject of the claim."""
        return _joined(self.subjects)

    def reference_cells(self) -> tuple[PublishedValue, ...]:
        """The cells that stand for the reference of the claim; none where there is no reference."""
        return _joined(self.references)


@dataclass(frozen=True, slots=True)
class Rule:
    """How a claim is decided. undecidable: why no number decides it; empty where one does.

    relation: as in claims.csv, or the one that the statement means. holds: in each pair of cells, in most of them, in
    more than two thirds (`clearly`), or in the geometric mean of their ratios. low, high: the stated range, in the unit
    of the claim; None where nothing is stated. margin: how far `about equal` reaches, or how uneven fair shares may be.
    along: a field, and its values in the order of a trend. restates: the only printed number is the claim itself. note:
    what a reader should know. slipped: ids of printed cells that the claim is not judged by, and how they are printed.
    """

    claim_id: str
    relation: str
    cases: tuple[Case, ...]
    holds: Holds
    low: float | None
    high: float | None
    margin: float
    along: tuple[str, tuple[Scalar, ...]] | None
    restates: bool
    undecidable: str
    note: str
    slipped: Mapping[str, str]


def _of_item(study: str, name: str) -> tuple[PublishedValue, ...]:
    """The cells of a table or text, or of a chart whose values are printed nowhere."""
    return values(study, name) or chart_cells(study, name)


def field(cell: PublishedValue, name: str) -> Scalar:
    """A field of a cell by its name: `level`, `options.stage`. Empty where the study says nothing."""
    if name.startswith("options."):
        return cell.options.get(name.removeprefix("options."), "")
    found = getattr(cell, name)
    if name == "block_bytes":
        return found[0] if len(found) == 1 else ";".join(map(str, found))
    assert found is None or isinstance(found, int | str), name
    return found


@functools.cache
def rules(study: str) -> Mapping[str, Rule]:
    """The rules of all claims of a study, by the ids of the claims.

    Raises ValueError where the file does not fit the claims, with the claim and the key.
    """
    import yaml

    text = (folder() / "agreement" / f"{study}.yaml").read_text(encoding="utf-8")
    entries = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # a safe loader; the one in C is faster
    left_out = _slipped(study, entries.pop(_SLIPPED, []))
    of = {claim.claim_id.rpartition("/")[2]: claim for claim in claims(study)}
    if list(entries) != list(of):
        differing = ", ".join(sorted(set(entries) ^ set(of))) or "their order"
        raise ValueError(f"agreement/{study}.yaml and the claims of {study} differ: {differing}")
    return {of[name].claim_id: rule(of[name], entry, left_out) for name, entry in entries.items()}


def slipped(study: str) -> Mapping[str, str]:
    """How each cell of a study is printed that nothing is judged by, by its id."""
    return next((one.slipped for one in rules(study).values()), MappingProxyType({}))


def rule(claim: Claim, entry: Mapping[str, Any] | str, left_out: Mapping[str, str] = MappingProxyType({})) -> Rule:
    """The rule of a claim from its entry. A text says why no number decides the claim. left_out: those that slipped.

    Raises ValueError for an entry that does not fit.
    """
    if isinstance(entry, str):
        return Rule(claim.claim_id, claim.relation, (), "each", None, None, 0, None, False, entry, "", left_out)
    unknown = set(entry) - _ALL_KEYS
    _must(not unknown, claim, f"unknown keys: {', '.join(sorted(unknown))}")
    relation = entry.get("relation", claim.relation)
    _must(relation in RELATIONS, claim, f"no number decides the relation '{relation}'")
    holds: Holds = entry.get("holds", "each")
    _must(holds in _HOLDS, claim, f"unknown word in holds: {holds}")
    given = entry.get("cases", [entry])
    alone, restates = relation in ALONE, bool(entry.get("restates"))
    for one in given:
        fits = restates or alone is not bool(one.get("reference"))
        _must(fits, claim, f"the relation '{relation}' needs {'no' if alone else 'a'} reference")
    low, high = entry.get("value", claim.value), entry.get("high", claim.high)
    along = entry.get("along")
    _must(holds != "mean" or not alone, claim, "a mean needs references")
    _must(bool(along) == relation.startswith("trend"), claim, "a trend needs `along`, and nothing else has it")
    return Rule(
        claim_id=claim.claim_id,
        relation=relation,
        cases=tuple(_case(claim, {"same": entry.get("same", ()), **one}) for one in given),
        holds=holds,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        margin=float(entry.get("margin", UNEVEN if relation in {"fair", "unfair"} else MARGIN)),
        along=next(((name, tuple(of)) for name, of in along.items()), None) if along else None,
        restates=restates,
        undecidable="",
        note=entry.get("note", ""),
        slipped=left_out,
    )


def _slipped(study: str, entries: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """How each cell is printed that no claim is judged by, by its id. Raises ValueError for an unknown id."""
    found = {str(name): str(entry["reason"]) for entry in entries for name in entry["ids"]}
    unknown = found.keys() - {cell.id for cell in _cells(study)}
    if unknown:
        raise ValueError(f"agreement/{study}.yaml names unknown cells: {', '.join(sorted(unknown))}")
    return MappingProxyType(found)


def stated_range(rule: Rule, unit: str) -> tuple[float, float] | None:
    """The range in which a figure agrees with the stated number or range; None where nothing is stated.

    A stated share is rounded to whole percents: half a percent more is allowed at both ends of a range. A single
    number is met within `TOLERANCE` of it, and a share at least within `POINT`.
    """
    if rule.low is None:
        return None
    if rule.high is None:
        slack = max(abs(rule.low) * TOLERANCE, POINT if unit == "share" else 0.0)
        return rule.low - slack, rule.low + slack
    slack = POINT / 2 if unit == "share" and rule.low != rule.high else 0.0
    return rule.low - slack, rule.high + slack if math.isfinite(rule.high) else rule.high


def _case(claim: Claim, entry: Mapping[str, Any]) -> Case:
    subjects, references = _selectors(claim, entry.get("subject")), _selectors(claim, entry.get("reference"))
    _must(bool(subjects), claim, "no subject")
    pinned = [name for name in SAME if _differ(name, subjects, references)]
    same = [name for name in (*SAME, *entry.get("same", ())) if name not in pinned]
    _must(all(_known(name) for name in same), claim, f"unknown field in same: {', '.join(same)}")
    return Case(subjects, references, tuple(same))


def _selectors(claim: Claim, given: Any) -> tuple[Selector, ...]:  # noqa: ANN401 - of a YAML file
    found = []
    for one in given if isinstance(given, list) else [given] if given else []:
        wanted = {name: tuple(of) if isinstance(of, list) else (of,) for name, of in one.items()}
        study = str(wanted.pop("study", (claim.study,))[0])
        unknown = [name for name in wanted if not _known(name)]
        _must(not unknown, claim, f"unknown fields: {', '.join(unknown)}")
        found.append(Selector(study, wanted))
    return tuple(found)


def _differ(name: str, subjects: Iterable[Selector], references: Iterable[Selector]) -> bool:
    """Whether both sides say which values the field has, and not the same ones."""
    ours, theirs = ({one.wanted.get(name) for one in some} for some in (subjects, references))
    return None not in ours | theirs and ours != theirs


def _joined(some: Iterable[Selector]) -> tuple[PublishedValue, ...]:
    return tuple({cell.id: cell for one in some for cell in one.cells()}.values())


def _known(name: str) -> bool:
    return name in _FIELDS or name.startswith("options.")


def _must(right: bool, claim: Claim, words: str) -> None:
    if not right:
        raise ValueError(f"agreement of {claim.claim_id}: {words}")


@functools.cache
def _cells(study: str) -> tuple[PublishedValue, ...]:
    return tuple(cell for name in items(study) for cell in values(study, name))
