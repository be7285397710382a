"""The factors of a plan: settings that one design varies."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from virtometer.model.plain import Frozen, Level, Name, parse_size

MAX_FACTORS = 16
MAX_LEVELS = 16


def level_text(level: object) -> str:
    """The name of a level that is given by its value alone, as a plan writes the value."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def _name(value: object) -> object:
    """A level that is written as a number or a truth value, by its name."""
    return level_text(value) if isinstance(value, bool | int | float) else value


def _names(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {key: list(map(_name, one)) if isinstance(one, list) else _name(one) for key, one in value.items()}


_PLAIN = {"type": ["string", "number", "boolean"]}
_SomeLevels = str | list[str]
_LevelName = Annotated[str, BeforeValidator(_name), WithJsonSchema(_PLAIN)]
_LevelsByFactor = Annotated[
    dict[str, _SomeLevels],
    BeforeValidator(_names),
    WithJsonSchema({"type": "object", "additionalProperties": {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN}]}}),
]


class Factor(Frozen):
    """One factor: a setting, or several that change at the same time, and the values that are compared.

    Of a plan that was read, `reference` is the name of a level, and `environment` is not None where `setting` or the
    levels give settings.
    """

    name: Name = Field(description="name in reports, in constraints and in terms")
    environment: str | None = Field(
        default=None,
        description="name of the environment whose settings are varied. Without it, the only one of the plan",
    )
    setting: str | None = Field(
        default=None, description="setting that is varied. Without it, each level is a mapping of settings"
    )
    levels: list[Level] | dict[str, Any] = Field(
        default_factory=list,
        description="values of the setting, or names of levels with their values. Without it, environments",
    )
    environments: list[str] = Field(
        default_factory=list,
        max_length=MAX_LEVELS,
        description="names of environments that are compared as the levels of this factor, instead of levels. "
        "Without it, levels",
    )
    reference: _LevelName | None = Field(
        default=None,
        description="level that the others are compared with. Without it, the first; the middle of a screening",
    )

    @property
    def level_names(self) -> tuple[str, ...]:
        """Names of the levels, in the order of the file."""
        if self.environments:
            return tuple(self.environments)
        return tuple(map(level_text, self.levels))

    @property
    def values(self) -> tuple[Any, ...]:
        """What each level sets, in the order of the names; of a factor with environments their names."""
        if self.environments:
            return tuple(self.environments)
        return tuple(self.levels.values() if isinstance(self.levels, dict) else self.levels)

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The levels as numbers, where all of them are numbers or sizes such as 64M; None where any is not."""
        found = []
        for one in self.values:
            try:
                number = parse_size(one)
            except ValueError:
                return None
            if isinstance(number, bool) or not isinstance(number, int | float):
                return None
            found.append(float(number))
        return tuple(found)


class Constraint(Frozen):
    """Combinations of levels that are not measured: `never`, or all but `only` where `where` holds."""

    never: _LevelsByFactor = Field(
        default_factory=dict,
        description="levels, by factor, that do not occur in the same combination; several of a factor as a list",
    )
    only: _LevelsByFactor = Field(
        default_factory=dict, description="levels, by factor, that alone occur where the levels of where do"
    )
    where: _LevelsByFactor = Field(default_factory=dict, description="levels, by factor, that only is about")


class Design(Frozen):
    """Which combinations of levels are measured, and which terms can be estimated from them.

    A term is a factor (`bus`) or an interaction of two (`bus:cache`). Of a plan that was read, `terms` has each term
    that the design estimates, and `left_out` those of two factors that nobody asked for and that it does not.
    """

    set_by_laboratory: ClassVar[frozenset[str]] = frozenset({"left_out"})

    type: str = Field(default="full", description="which combinations are measured")
    resolution: Annotated[int, Field(ge=3, le=5)] | None = Field(
        default=None,
        description="of a fraction, and of the first stage of a sequential design: 3, 4 or 5, the shortest chain of "
        "factors that are mixed up. Without it, 4",
    )
    runs: int | None = Field(
        default=None,
        ge=2,
        le=64,
        description="of optimal and random: number of combinations. Without it, a quarter more than needed. Of "
        "sequential: the most of the second stage. Without it, 32",
    )
    first_blocks: int | None = Field(
        default=None,
        ge=6,
        le=10_000,
        description="of sequential: blocks of the first stage; `blocks` are those of the second. Without it, 6",
    )
    terms: list[str] = Field(
        default_factory=list,
        max_length=256,
        description="what must be estimated: factors, pairs such as bus:cache, main, interactions. Without it, "
        "main effects and, where the design has room, interactions",
    )
    seed: int = Field(default=1, ge=0, lt=2**63, description="of optimal, random and sequential: seed of the choice")
    left_out: list[str] = Field(default_factory=list, description="interactions that are not estimated")


def level_list(given: _SomeLevels) -> tuple[str, ...]:
    """The levels that a constraint names of a factor: one, or several."""
    return (given,) if isinstance(given, str) else tuple(given)
