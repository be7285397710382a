"""The short form of a plan: what its table `short` replaces, and what that was, in words. PURE.

Works on the plain data before factors are expanded, so that a mistake has the line where it stands. The short form
compares what the plan compares: it can change how long and how large the work is, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from virtometer.design.plan.document import Document, Path, Wrong
from virtometer.design.plan.validated import validated
from virtometer.design.plan.validation_messages import unknown, value
from virtometer.model import Plan, Short

_SHORT: Path = ("short",)


def in_form(document: Document, *, short: bool) -> Document:
    """The plan in its short form, with what was shortened in `shortened`; as it is where `short` is false.

    The table `short` is checked in both cases. What is wrong is refused in the document.
    """
    if "shortened" in document.value:
        document.refuse([(("shortened",), unknown("unknown field", "shortened", _fields()))])
        return document
    if "short" not in document.value:
        if short:
            document.refuse([((), "the plan has no short form: it has no field 'short'")])
        return document
    if not isinstance(document.value["short"], dict):
        sentence = (
            f"'short' is {value(document.value['short'])}, but must be a mapping (lines of the form 'name: value')"
        )
        document.refuse([(_SHORT, sentence)])
        return document
    if validated(Short, document, _SHORT, "field") is None:
        return document
    wrong = list(_wrong(document.value))
    document.refuse(wrong)
    return _shortened(document) if short and not wrong else document


def _fields() -> list[str]:
    return [name for name in Plan.model_fields if name not in Plan.set_by_laboratory]


def _wrong(plan: dict[str, Any]) -> Iterator[Wrong]:
    """Workloads, parameters and levels of the short form that the plan does not have."""
    works = _works(plan)
    for name, changed in plan["short"].get("workloads", {}).items():
        at: Path = (*_SHORT, "workloads", name)
        if name not in works:
            yield at, unknown("the plan has no workload", name, works)
            continue
        parameters, factors = (_mapping(works[name].get(field)) for field in ("parameters", "factors"))
        for parameter in changed.get("parameters", {}):
            if parameter not in parameters:
                sentence = unknown(f"'{name}' has no parameter that could be shortened:", parameter, parameters)
                yield (*at, "parameters", parameter), sentence
        for factor, levels in changed.get("factors", {}).items():
            if factor not in factors:
                yield (*at, "factors", factor), unknown(f"'{name}' has no factor", factor, factors)
                continue
            full = factors[factor]
            for number, level in enumerate(levels):
                if not isinstance(full, list) or level not in full:
                    sentence = f"{value(level)} is no level of '{factor}' of '{name}'; a short form leaves levels out"
                    yield (*at, "factors", factor, number), sentence


def _shortened(document: Document) -> Document:
    plan, short = document.value, document.value["short"]
    lines = dict(document.lines)
    told: list[str] = []
    made = dict(plan)
    for field, words, default in (
        ("seconds", "windows of {} s instead of {} s", Plan.model_fields["seconds"].default),
        ("slice_s", "slices of {} s instead of {} s", Plan.model_fields["slice_s"].default),
        ("disk_span", "disk files of {} instead of {}", "512M"),
    ):
        if field in short:
            made[field] = short[field]
            lines[(field,)] = document.line((*_SHORT, field))
            told.append(words.format(short[field], plan.get(field, default)))
    changes = short.get("workloads", {})
    works = []
    of_works: dict[str, list[str]] = {}  # what was shortened, and of which workloads
    for number, work in enumerate(plan.get("workloads", [])):
        name = work.get("name") if isinstance(work, dict) else None
        change = changes.get(name, {})
        one = dict(work) if isinstance(work, dict) else work
        if "seconds" in short and isinstance(one, dict):
            one.pop("seconds", None)
        if "seconds" in change:
            one["seconds"] = change["seconds"]
            of_works.setdefault(f"windows of {change['seconds']} s", []).append(str(name))
        for field in ("parameters", "factors"):
            for key, new in change.get(field, {}).items():
                old = work[field][key]
                one[field] = {**one[field], key: new}
                of_works.setdefault(_words(field, key, old, new), []).append(str(name))
                from_: Path = (*_SHORT, "workloads", str(name), field, key)
                lines[("workloads", number, field, key)] = document.line(from_)
        works.append(one)
    if works:
        made["workloads"] = works
    made["shortened"] = [*told, *(f"{', '.join(names)}: {words}" for words, names in of_works.items())]
    return replace(document, value=made, lines=lines)


def _words(field: str, key: str, old: object, new: object) -> str:
    if field == "parameters" or not isinstance(old, list) or not isinstance(new, list):
        return f"{key} {new} instead of {old}"
    left = [level for level in old if level not in new]
    if not left:
        return f"{key} as in the plan"
    kept, words = (new, "only") if len(new) < len(left) else (left, "without")
    return f"{key} {words} {', '.join(map(str, kept))}"


def _works(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    some = plan.get("workloads")
    if not isinstance(some, list):
        return {}
    return {one["name"]: one for one in some if isinstance(one, dict) and isinstance(one.get("name"), str)}


def _mapping(given: object) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}
