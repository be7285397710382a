"""The questions of a study in its description, and which cells answer each. docs/methods/studies.md explains them.

A question is answered in one of six ways: by ratios of cells, by effects of parameters, by what a host carries, by
ranks of tools, by shares of guests, or by steps one after the other.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from virtometer.model.plain import Frozen
from virtometer.studies.selectors import FIELDS, Changes, Selector, Texts

KEPT = 0.9
"""The share of its speed alone that each guest of a group must keep, where a question says no other."""

Facts = dict[str, Texts]
"""Patterns of what a campaign's workload must be, by the words of `measured` in a rule of quantities."""


def _fields(given: list[str]) -> list[str]:
    for name in given:
        if name not in FIELDS and not name.startswith("options."):
            raise ValueError(f"{name} is no field of a published value")
    return given


_Fields = Annotated[list[str], AfterValidator(_fields)]


class Parameter(Frozen):
    """A parameter with its levels: the first is what the others are compared with.

    field: of a cell, whose text is a level or has it between hyphens; empty: the parameter is virtualization itself,
    against the study's reference. free: further fields that may differ between the levels.
    """

    name: str
    field: str = ""
    levels: Texts = Field(default_factory=list)
    free: _Fields = Field(default_factory=list)

    @model_validator(mode="after")
    def _compared(self) -> Parameter:
        _fields([self.field] if self.field else [])
        if len(self.levels) < 2 if self.field else self.levels or self.free:
            raise ValueError("a parameter has a field with two levels or more, or neither")
        return self


class Effects(Frozen):
    """Effects of parameters, and interactions of each two, over all cells where their levels are printed.

    of: efficiencies against the study's reference, or values as they are.
    """

    cells: Selector
    of: Literal["efficiency", "value"] = "efficiency"
    parameters: list[Parameter] = Field(min_length=1)


class Work(Frozen):
    """What groups of guests do. cells: those of one guest alone, and of several guests at once.

    measured: series of campaigns that answer here; empty: those that stand for the cells.
    """

    name: str
    cells: Selector = Field(default_factory=dict)
    measured: Facts = Field(default_factory=dict)

    @model_validator(mode="after")
    def _about_something(self) -> Work:
        if not self.cells and not self.measured:
            raise ValueError("a work has cells, or says what is measured")
        return self


class Capacity(Frozen):
    """How many guests a host carries. kept: the share of its speed alone that each guest has to keep."""

    works: list[Work] = Field(min_length=1)
    kept: float = Field(default=KEPT, gt=0, le=1)


class Fairness(Frozen):
    """How fairly guests at once share what the host has."""

    works: list[Work] = Field(min_length=1)


class Purpose(Frozen):
    """A purpose of tools. cells: the tests, each with a cell for each tool; ranks: those that the study prints."""

    name: str
    cells: Selector
    ranks: Selector = Field(default_factory=dict)


class Ranking(Frozen):
    """Which tool is the best for which purpose. tools: the fields that tell tools apart."""

    purposes: list[Purpose] = Field(min_length=1)
    tools: _Fields = Field(min_length=1)


class Stage(Frozen):
    """A stage of a sequence, and what is different in its cells."""

    name: str
    cells: Changes


class Group(Frozen):
    """Cells with a name of their own. In steps: followed through all stages, the cells are those of the last one."""

    name: str
    cells: Selector


class Steps(Frozen):
    """What each step of a sequence brought. stages: in their order. groups: followed one by one.

    factors: of designs of campaigns that try such steps here, by the name of the step in the study.
    """

    stages: list[Stage] = Field(min_length=2)
    groups: list[Group] = Field(min_length=1)
    factors: dict[str, str] = Field(default_factory=dict)


class Answer(Frozen):
    """A question of the study with its answer, and what answers it from cells, in one of six ways.

    cells: compared with those that differ from them by `against`; empty: the study's reference.
    """

    question: str
    published: str
    cells: Selector = Field(default_factory=dict)
    against: Changes = Field(default_factory=dict)
    effects: Effects | None = None
    capacity: Capacity | None = None
    ranking: Ranking | None = None
    fairness: Fairness | None = None
    steps: Steps | None = None

    @model_validator(mode="after")
    def _one(self) -> Answer:
        ways = (self.cells or None, self.effects, self.capacity, self.ranking, self.fairness, self.steps)
        if sum(way is not None for way in ways) != 1:
            raise ValueError("an answer has one of cells, effects, capacity, ranking, fairness and steps")
        return self

    @property
    def selectors(self) -> list[Selector]:
        """Of all cells that the question is about."""
        some = [self.cells]
        some += [self.effects.cells] if self.effects else []
        some += [one.cells for one in self.capacity.works] if self.capacity else []
        some += [one.cells for one in self.fairness.works] if self.fairness else []
        some += [of for one in self.ranking.purposes for of in (one.cells, one.ranks)] if self.ranking else []
        some += [one.cells for one in self.steps.groups] if self.steps else []
        return [one for one in some if one]
