"""How the printed cells of a study are measured today: published/sections/STUDY.yaml. PURE but for reading these files.

A description has rules. A rule is for the cells that its selector matches; of the rules of one kind the first that
matches a cell is taken. docs/methods/studies.md explains the language.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from virtometer.errors import UsageError
from virtometer.model.plain import Frozen, Level, parse_size
from virtometer.studies.charts import Chart, misplaced
from virtometer.studies.data import NOWHERE, PublishedValue, folder, items, values
from virtometer.studies.questions import Answer, Group
from virtometer.studies.selectors import ANY, Changes, Selector, described, selects, text_of

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C takes a tenth of the time


def _candidate(given: Any) -> Any:  # noqa: ANN401
    return {"kind": given} if isinstance(given, str) else given


class Candidate(Frozen):
    """Environments that may stand for a printed system: those of a kind with these settings.

    `$options.vcpus` is that field of the cell.
    """

    kind: str
    settings: dict[str, Level] = Field(default_factory=dict)

    def wanted(self, value: PublishedValue) -> dict[str, Level]:
        """The settings that stand for a cell."""
        return {name: _filled(level, value) for name, level in self.settings.items()}


class _Rule(Frozen):
    select: Selector = Field(alias="for")

    def matches(self, value: PublishedValue) -> bool:
        """Whether the rule is for this cell."""
        return selects(self.select, value)


class EnvironmentRule(_Rule):
    """Which environments stand for a printed system, the best first; or why none does.

    bits: whether they must have as many as the system. tuning: whether steps of tuning must be there (some) or not
    (none).
    """

    kinds: list[Annotated[Candidate, BeforeValidator(_candidate)]] = Field(default_factory=list)
    bits: Literal["equal", "any"] = "equal"
    tuning: Literal["some", "none", "any"] = "any"
    unavailable: str = ""

    @model_validator(mode="after")
    def _one(self) -> EnvironmentRule:
        if bool(self.kinds) == bool(self.unavailable):
            raise ValueError("a rule of environments has kinds, or says why there are none")
        return self


As = Literal[
    "value", "bytes", "seconds", "completed", "measure", "cpu-share", "record-cpu", "host-cpu", "host-busy",
    "by-host-cpu", "of-one-thread",
]  # fmt: skip
"""What is made of a measured value. bytes: a rate of requests by their size. seconds: the time of the printed work.

completed: the printed runs that end within the printed limit. measure: a further measure instead of the value.
cpu-share: the measure `cpu-local` or `cpu-remote` as a share of the processors of that end. record-cpu: processors that
the agent of a disk used, by its CPU time per record. host-cpu: processors of the host that worked for the guest;
by-host-cpu: the value by these. host-busy: that worked at all, without programs that are neither a guest nor the
laboratory. of-one-thread: the time of each of several threads that worked at once.
"""


class QuantityRule(_Rule):
    """What is measured for a printed quantity; or why nothing is.

    measured: workload, `op`, parameters, and `order` of a system of equations; `$array_order` is that field of the
    cell. over: one of them with several levels, whose values are averaged within a block. each: several works that
    differ from `measured` by these fields, averaged too. runs: solutions that the printed time is about; sweeps: of a
    grid. scenario: where the cell does not say how guests are combined.
    """

    measured: dict[str, Level] = Field(default_factory=dict)
    over: dict[str, str | list[Level]] = Field(default_factory=dict, max_length=1)
    each: list[dict[str, Level]] = Field(default_factory=list)
    as_: As = Field(default="value", alias="as")
    measure: str = ""
    runs: int = Field(default=1, ge=1)
    sweeps: int = Field(default=1, ge=1)
    scenario: Literal["", "instances"] = ""
    unavailable: str = ""

    @model_validator(mode="after")
    def _one(self) -> QuantityRule:
        if bool(self.measured) == bool(self.unavailable):
            raise ValueError("a rule of quantities says what is measured, or why nothing is")
        if bool(self.measure) != (self.as_ in ("measure", "cpu-share")):
            raise ValueError("as: measure and as: cpu-share need measure, and nothing else has it")
        if self.each and self.over:
            raise ValueError("a rule has over or each, not both")
        return self

    def facts(self, value: PublishedValue) -> dict[str, Level]:
        """What the workload must be."""
        return {name: _filled(level, value) for name, level in self.measured.items()}

    def works(self, value: PublishedValue) -> tuple[dict[str, Level], ...]:
        """What each of the workloads must be whose values are averaged: one without `over` and `each`."""
        facts = self.facts(value)
        for name, given in self.over.items():
            some = text_of(value, given[1:]).split(";") if isinstance(given, str) else given
            return tuple({**facts, name: _size(one)} for one in some if one != "")
        of_each = ({name: _filled(level, value) for name, level in one.items()} for one in self.each)
        return tuple({**facts, **one} for one in of_each) or (facts,)


class DerivedRule(_Rule):
    """A cell that follows from others: they differ from it by `sources`, one change each, or by `each` of a field.

    by: the function of `virtometer.analysis.studies.derived`. processors: of the host, where the function needs them.
    """

    sources: list[Changes] = Field(default_factory=list, alias="from")
    by: str
    processors: int = Field(default=1, ge=1)


class End(Frozen):
    """An end of a printed path: the role of its system, and the number of the guest there."""

    role: str
    number: int = Field(default=1, ge=1)


class Description(Frozen):
    """One file. reference: what the cells differ by from those that efficiencies are against. processors: of a host.

    groups: cells of a table, with a name and a mean of their own.
    """

    study: str
    question: str
    processors: int = Field(ge=1)
    answers: list[Answer] = Field(default_factory=list)
    groups: list[Group] = Field(default_factory=list)
    reference: Changes = Field(default_factory=dict)
    environments: list[EnvironmentRule]
    quantities: list[QuantityRule]
    derived: list[DerivedRule] = Field(default_factory=list)
    ends: dict[str, End] = Field(default_factory=dict)
    charts: list[Chart] = Field(default_factory=list)

    @model_validator(mode="after")
    def _charts_of_the_study(self) -> Description:
        for chart in self.charts:
            if why := misplaced(self.study, chart):
                raise ValueError(why)
        return self


_Of = TypeVar("_Of", bound=_Rule)


def rule_of(rules: Iterable[_Of], value: PublishedValue) -> _Of | None:
    """The first rule that is for this cell."""
    return next((rule for rule in rules if rule.matches(value)), None)


@functools.cache
def description(study: str) -> Description:
    """The description of a study. Raises UsageError for a file that is none, in one sentence."""
    return read(folder() / "sections" / f"{study}.yaml")


def read(path: Path) -> Description:
    """Read a file. Raises UsageError where it cannot be read, or is no description of a study."""
    try:
        return Description.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER))
    except (OSError, UnicodeDecodeError) as cause:
        raise UsageError(f"{path.name} cannot be read: {cause}") from cause
    except yaml.YAMLError as cause:
        where = getattr(cause, "problem_mark", None)
        line = f", line {where.line + 1}" if where is not None else ""
        raise UsageError(f"{path.name}{line}: this is no YAML") from cause
    except ValidationError as cause:
        first = cause.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path.name}: {place}: {first['msg']}") from cause


def chart_of(study: str, item: str) -> Chart | None:
    """How a figure is described whose values are printed nowhere; None for all other items."""
    return next((one for one in description(study).charts if one.item == item), None)


@functools.cache
def chart_cells(study: str, item: str) -> tuple[PublishedValue, ...]:
    """The cells of such a figure, by row and column, without values. Empty for all other items."""
    chart = chart_of(study, item)
    return () if chart is None else chart.values(study)


def others(value: PublishedValue, changes: Mapping[str, str]) -> tuple[PublishedValue, ...]:
    """The cells of the study that are what this one is but for the changes, those of the same item first.

    A printed cell has printed ones beside it, and a cell of a chart those of charts.
    A field that is changed to ANY may have each value. Where cells are equal in all fields, the first one counts.
    """
    wanted = {**described(value), **changes}
    fixed = {name: text for name, text in wanted.items() if text != ANY}
    free = sorted(wanted.keys() - fixed.keys())
    found: dict[tuple[str, ...], PublishedValue] = {}
    for one in _alike(value.study, value.status == NOWHERE).get(tuple(fixed.get(name, "") for name in _KEYS), ()):
        texts = described(one)
        if all(texts.get(name, "") == text for name, text in fixed.items()) and texts.keys() <= wanted.keys():
            key = tuple(texts.get(name, "") for name in free)
            if key not in found or (one.item == value.item and found[key].item != value.item):
                found[key] = one
    return tuple(sorted(found.values(), key=lambda one: one.item != value.item))


def reference(value: PublishedValue, of: Description) -> PublishedValue | None:
    """The cell that the efficiency of this one is against. None where the study has none."""
    if not of.reference or not value.better or value.statistic == "expected":
        return None
    known = (one for one in others(value, of.reference) if one.value or one.status == NOWHERE)
    return next((one for one in known if one is not value), None)


def sources(value: PublishedValue, rule: DerivedRule) -> tuple[PublishedValue, ...]:
    """The cells that this one follows from, in the order of the rule. Empty where one of them is not there."""
    found = [next(iter(others(value, change)), None) for change in rule.sources]
    return tuple(one for one in found if one is not None) if None not in found else ()


def per_run(value: PublishedValue) -> float | None:
    """A printed number; of times of several runs that of one, so that totals and means have the same base."""
    if value.value is None or value.metric != "time" or value.statistic not in {"total", "expected"}:
        return value.value
    return value.value / (value.n or 1)


_KEYS = ("workload", "metric", "operation")


@functools.cache
def _alike(study: str, of_charts: bool) -> Mapping[tuple[str, ...], tuple[PublishedValue, ...]]:
    """The printed cells of a study, or those of its charts, by workload, metric and operation: these are never open."""
    found: dict[tuple[str, ...], list[PublishedValue]] = {}
    for name in items(study):
        for one in (chart_cells if of_charts else values)(study, name):
            found.setdefault(tuple(text_of(one, key) for key in _KEYS), []).append(one)
    return {key: tuple(some) for key, some in found.items()}


def _filled(level: Level, value: PublishedValue) -> Level:
    if isinstance(level, str) and level.startswith("$"):
        return _size(text_of(value, level[1:]))
    return _size(level)


def _size(level: Level) -> Level:
    """A number where the text is one, or a size such as 32K."""
    try:
        found = parse_size(level)
    except ValueError:
        return level
    return found if isinstance(found, int | float | bool) else level
