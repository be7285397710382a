"""What may stand in a plan, as tables: made from the models that check plans. PURE.

A section is the plan itself, one kind of environment, or one workload. `sections` makes all of them.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Union

import annotated_types
from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from virtometer.design.plan.validation_messages import nearest, number, short
from virtometer.errors import UsageError
from virtometer.model import (
    LONG_SLICE_S,
    Constraint,
    Design,
    Factor,
    Kind,
    Kinds,
    Limits,
    Load,
    Plan,
    PlanEnvironment,
    PlanWorkload,
    Rules,
    Scenario,
    Short,
    ShortWorkload,
    TuningStep,
    parse_share,
    parse_size,
    size_text,
)
from virtometer.workloads.base import Operation, Workload
from virtometer.workloads.registry import WORKLOADS

_MISSING = "-"  # a default that is nothing: the meaning says what holds without it

_FACTORS = (
    "`- {name: cache, environment: vm, setting: disk_cache, levels: [none, writeback]}` varies one setting.",
    "`levels: {small: {memory: 256M, cpus: 1}, large: {memory: 1G, cpus: 4}}` without `setting` varies both at once.",
    "`levels: {this: {}, that: {}}` is a dummy, which must be found to have no influence.",
    "`- {name: runtime, environments: [container, vm]}` compares environments; all other factors vary each of them.",
    "Parameters of workloads have `factors` of their own: each combination is a workload, measured in every cell.",
)
_CONSTRAINTS = (
    "`- never: {cache: none, aio: threads}`, or with several levels `{cache: none, aio: [threads, io_uring]}`.",
    "`- {where: {bus: nvme}, only: {machine: q35}}`: with that bus no other machine.",
)
_TUNING = (
    "`- {offloads: {tx: false}, queue_length: 1000}` sets the interface of the guest without any program.",
    "`- {where: port, run: ethtool -K {interface} tx off}` runs a program of the host for the laboratory's side of it.",
    "`- {where: host, run: PROGRAM, undo: PROGRAM}`: on the host. It is undone at the end, also after a kill.",
    "A step that fails ends the start of the guest with its reason: nothing is measured as if it had been tuned.",
    "The report has each step with what was set before and after, or with the status of the program.",
)
_DESIGN = (
    "`virtometer plan show PLAN` prints the design, what it cannot tell apart, and with `--noise` its power.",
    "One factor at a time is measured only where `type` asks for it: for the same precision it takes far more trials.",
)


@dataclass(frozen=True, slots=True)
class FieldText:
    """One field of a plan, setting or parameter, in words.

    ops: the operations that have it, or `all`. other_defaults: those of operations with another default than most.
    """

    name: str
    type: str
    allowed: str
    default: str
    meaning: str
    ops: str = ""
    other_defaults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One thing that plans name. `group`: plan, environment or workload. `noun`: what its entries are called."""

    group: str
    name: str
    title: str
    meaning: str
    noun: str
    entries: tuple[FieldText, ...]
    operations: Mapping[str, Operation] = field(default_factory=dict)
    facts: tuple[str, ...] = ()


def sections(kinds: Kinds, name: str | None = None) -> tuple[Section, ...]:
    """All sections, or the one with that name. Raises UsageError for a name that is none."""
    found = (*_plan(), *_environments(kinds), *_workloads())
    if name is None:
        return found
    one = tuple(section for section in found if section.name == name)
    if not one:
        names = [section.name for section in found]
        near = nearest(name, names)
        hint = f"; did you mean '{near}'?" if near else ""
        raise UsageError(
            f"plans have no workload, kind of environment or part '{short(name)}'{hint}",
            advice=f"there are: {', '.join(names)}",
        )
    return one


def entry(name: str, info: FieldInfo, default: str | int | None = None) -> FieldText:
    """The field of a model in words. `default`: what holds where the model leaves it to somebody else."""
    kind, allowed, meta = _shape(info.annotation, info.metadata)
    given = _default(info, meta)
    return FieldText(
        name, kind, allowed, _in_words(default, meta) if given == _MISSING else given, info.description or ""
    )


def _plan() -> Iterable[Section]:
    parts: tuple[tuple[str, str, type[BaseModel], tuple[str, ...]], ...] = (
        ("plan", "all fields of a plan", Plan, ()),
        ("environments", "fields of each environment of a plan", PlanEnvironment, ()),
        ("workloads", "fields of each workload of a plan", PlanWorkload, ()),
        ("factors", "fields of each factor of a plan: settings that a design varies", Factor, _FACTORS),
        ("constraints", "combinations of levels that are not measured", Constraint, _CONSTRAINTS),
        ("design", "which combinations of levels are measured, and what can be estimated from them", Design, _DESIGN),
        ("scenarios", "fields of each scenario of a plan", Scenario, ()),
        ("tuning", "steps that tune guests, their ports or the host before anything is measured", TuningStep, _TUNING),
        ("load", "what other guests do in a scenario of the type loaded", Load, ()),
        ("limits", "how long anything may take, and how wrong a clock may be", Limits, ()),
        ("rules", "when a trial is marked as disturbed", Rules, ()),
        ("short", "what `--short` replaces: how long and how large work is, and nothing that is compared", Short, ()),
        ("short workload", "what one workload has in the short form", ShortWorkload, ()),
    )
    for name, meaning, model, facts in parts:
        entries = _entries(model)
        if model is Design:
            entries = tuple(_design_type(one) if one.name == "type" else one for one in entries)
        yield Section("plan", name, name, meaning, "field", entries, facts=facts)


def _design_type(of: FieldText) -> FieldText:
    """The type of a design with all that the registry has."""
    # numpy takes a while to load, and runs read this module as well.
    from virtometer.design.factorial.registry import DESIGNS

    meanings = (f"{name}: {one.meaning}" for name, one in DESIGNS.items())
    return replace(of, type="choice", allowed=", ".join(DESIGNS), meaning="; ".join(meanings))


def _environments(kinds: Kinds) -> Iterable[Section]:
    for name, kind in kinds.items():
        entries, facts = _entries(kind.settings_type), tuple(_facts(kind))
        yield Section("environment", name, kind.title, kind.meaning, "setting", entries, facts=facts)


def _facts(kind: type[Kind]) -> Iterable[str]:
    """What a kind is started with and what its guests are, in sentences."""
    if kind.package:
        yield f"Guests start with `{kind.program}` (Debian package `{kind.package}`)."
    if kind.machine:
        yield "Guests have a kernel of their own. The disk is a device, with ext4 where a workload needs files."
    if kind.namespaces:
        yield f"Guests have namespaces of their own: {', '.join(kind.namespaces)}."
    for op, reason in kind.unlike_in_slices.items():
        windows = f"long windows by default with slices shorter than {LONG_SLICE_S * 1e3:g} ms"
        yield f"`{op}` has {windows}. Reason: {reason}."
    for setting in kind.settings_type.clock_settings:
        yield f"With `{setting}` the clock of a guest follows no clock of the host, and `timing: auto` is `laboratory`."


def _workloads() -> Iterable[Section]:
    for name, one in WORKLOADS.items():
        parameters = tuple(_parameter(field, info, one) for field, info in one.parameters.model_fields.items())
        yield Section("workload", name, name, one.meaning, "parameter", parameters, one.operations, tuple(_needs(one)))


def _needs(workload: Workload[Any]) -> Iterable[str]:
    """What a workload needs of a guest and of the host, in sentences."""
    if workload.program:
        yield f"It runs the program `{workload.program}` of the host (Debian package `{workload.package}`)."
    words = {"disk": "the disk of a guest", "peer": "the network of a guest"}
    if needs := [words[need] for need in sorted(workload.needs)]:
        yield f"It needs {' and '.join(needs)}."


def _entries(model: type[BaseModel]) -> tuple[FieldText, ...]:
    own: frozenset[str] = getattr(model, "set_by_laboratory", frozenset())
    return tuple(entry(name, info) for name, info in model.model_fields.items() if name not in own)


def _parameter(name: str, info: FieldInfo, workload: Workload[Any]) -> FieldText:
    of_ops = {op: workload.defaults(op) for op in workload.operations}
    having = [op for op, defaults in of_ops.items() if name in defaults]
    by_default: dict[str, list[str]] = {}
    for op in having:
        by_default.setdefault(entry(name, info, of_ops[op][name]).default, []).append(op)
    most, *others = sorted(by_default, key=lambda given: -len(by_default[given]))
    return replace(
        entry(name, info),
        default=most,
        ops=_having(having, list(of_ops)),
        other_defaults=tuple(f"{given} ({', '.join(by_default[given])})" for given in others),
    )


def _having(ops: list[str], every: list[str]) -> str:
    """Which operations have a parameter, in the shorter of two ways to say it."""
    others = [op for op in every if op not in ops]
    if not others:
        return "all"
    return ", ".join(ops) if len(ops) <= len(others) else f"all but {', '.join(others)}"


def _shape(annotation: Any, metadata: Iterable[Any]) -> tuple[str, str, list[Any]]:  # noqa: ANN401 - any annotation
    """Type and allowed values in words, and all metadata of the annotation, that of its parts included."""
    meta = [each for one in metadata for each in (one.metadata if isinstance(one, FieldInfo) else [one])]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _shape(arguments[0], [*arguments[1:], *meta])
    if origin in (Union, types.UnionType):
        rest = [one for one in arguments if one is not type(None)]
        if len(rest) == 1:
            return _shape(rest[0], meta)
        parts = [_shape(one, ()) for one in rest]
        return " or ".join(part[0] for part in parts), "; ".join(part[1] for part in parts if part[1]), meta
    if origin is Literal:
        return "choice", ", ".join(map(str, arguments)), meta
    if origin in (list, tuple):
        kind, allowed, _ = _shape(arguments[0], ())
        each = f"each {allowed}" if allowed else ""
        return f"list of {_PLURALS.get(kind, kind)}", ", ".join(filter(None, (_count(meta, "entries"), each))), meta
    if origin is dict:
        return "mapping", _count(meta, "entries"), meta
    if annotation is str:
        return "text", _count(meta, "characters"), meta
    if annotation is bool:
        return "true or false", "", meta
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "mapping", "", meta
    if _is(meta, parse_size):
        return "size", _bounds(meta, lambda bound: size_text(int(bound)), whole=True), meta
    if _is(meta, parse_share):
        return "share", _bounds(meta, _percent, whole=False), meta
    whole = annotation is int
    return "whole number" if whole else "number", _bounds(meta, number, whole=whole), meta


_PLURALS = {"whole number": "whole numbers", "number": "numbers", "text": "texts", "mapping": "mappings"}


def _is(meta: Iterable[Any], parser: object) -> bool:
    return any(isinstance(one, BeforeValidator) and one.func is parser for one in meta)


def _bounds(meta: list[Any], text: typing.Callable[[float], str], *, whole: bool) -> str:
    """The bounds of a number: `1 to 64`, `more than 0, at most 3600`."""
    bounds: dict[str, float] = {}
    for one in meta:
        for key, kind in _BOUNDS.items():
            if isinstance(one, kind):
                bounds[key] = getattr(one, key)
    if whole and "lt" in bounds:
        bounds["le"] = bounds.pop("lt") - 1
    if whole and "gt" in bounds:
        bounds["ge"] = bounds.pop("gt") + 1
    if {"ge", "le"} <= bounds.keys():
        words = [f"{text(bounds['ge'])} to {text(bounds['le'])}"]
    else:
        names = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
        words = [f"{names[key]} {text(bounds[key])}" for key in names if key in bounds]
    if "multiple_of" in bounds:
        words.append(f"a multiple of {text(bounds['multiple_of'])}")
    return ", ".join(words)


_BOUNDS: Mapping[str, type] = {
    "gt": annotated_types.Gt,
    "ge": annotated_types.Ge,
    "lt": annotated_types.Lt,
    "le": annotated_types.Le,
    "multiple_of": annotated_types.MultipleOf,
}


def _count(meta: Iterable[Any], unit: str) -> str:
    least = next((one.min_length for one in meta if isinstance(one, annotated_types.MinLen)), 0)
    most = next((one.max_length for one in meta if isinstance(one, annotated_types.MaxLen)), None)
    if most is None:
        return f"at least {least} {unit}" if least > 1 else "not empty" if least else ""
    return f"{least} to {most} {unit}" if least else f"at most {most} {unit}"


def _percent(share: float) -> str:
    return f"{share * 100:g}%"


def _default(info: FieldInfo, meta: Iterable[Any]) -> str:
    if info.is_required():
        return "required"
    return _in_words(None if info.default is PydanticUndefined else info.default, meta)


def _in_words(value: object, meta: Iterable[Any]) -> str:
    """A default as a plan writes it."""
    if value is None or value == "":
        return _MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float):
        return str(value)
    if _is(meta, parse_size):
        return size_text(int(value))
    return _percent(value) if _is(meta, parse_share) else number(value)
