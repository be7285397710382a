"""The factors of a plan in cells: each combination of levels that its design takes becomes an environment. PURE.

Works on the plain data, so that what is wrong with a level has a message with the level's own line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from virtometer.design.plan.document import Document, Path, Wrong
from virtometer.design.plan.factor_checks import TUNING, bases, wrong_constraint, wrong_factors, wrong_form
from virtometer.design.plan.validated import Model, validated
from virtometer.design.plan.validation_messages import choice, unknown
from virtometer.model import (
    Constraint,
    Design,
    Factor,
    PlanEnvironment,
    level_list,
)

if TYPE_CHECKING:
    from virtometer.design.factorial.choice import Chosen, DesignType
    from virtometer.design.factorial.space import Cell, Space

MAX_NAME = 60
_FIELDS = tuple(name for name in PlanEnvironment.model_fields if name not in PlanEnvironment.set_by_laboratory)


def in_cells(document: Document) -> Document:
    """The document with an environment for each cell.

    A document without factors, or that is wrong, or whose environments have no form that could be read, comes back as
    it is.
    """
    plan = document.value
    environments = plan.get("environments")
    if not _readable(environments):
        return document
    document.refuse(
        (("environments", number, name), unknown("unknown field", name, _FIELDS))
        for number, one in enumerate(environments)
        for name in one
        if name in PlanEnvironment.set_by_laboratory
    )
    if "factors" not in plan:
        needing = [name for name in ("constraints", "design") if name in plan]
        document.refuse(((name,), f"the field '{name}' needs factors, and the plan has none") for name in needing)
        return document
    document.refuse(wrong_form(plan))
    if document.wrong:
        return document
    factors, constraints, design = _models(document)
    if design is None or document.wrong:
        return document
    names = [one["name"] for one in environments]
    document.refuse(wrong_factors(factors, design, plan, names, centred=_type_of(design).centred))
    for number, one in enumerate(constraints):
        document.refuse((("constraints", number, *path), sentence) for path, sentence in wrong_constraint(one, factors))
    return document if document.wrong else _expanded(document, factors, constraints, design)


def _readable(environments: object) -> bool:
    return isinstance(environments, list) and all(
        isinstance(one, dict) and isinstance(one.get("name"), str) and isinstance(one.get("settings", {}), dict)
        for one in environments
    )


def _models(document: Document) -> tuple[list[Factor], list[Constraint], Design | None]:
    def each(model: type[Model], group: str) -> list[Model]:
        count = len(document.value.get(group, ()))
        found = [validated(model, document, (group, number), "field") for number in range(count)]
        return [one for one in found if one is not None]

    design: Design | None = Design()
    if "left_out" in document.value.get("design", {}):
        allowed = [name for name in Design.model_fields if name not in Design.set_by_laboratory]
        document.refuse([(("design", "left_out"), unknown("unknown field", "left_out", allowed))])
    elif "design" in document.value:
        design = validated(Design, document, ("design",), "field")
        if design is not None:
            document.refuse(_unknown_type(design))
    return each(Factor, "factors"), each(Constraint, "constraints"), design


def _unknown_type(design: Design) -> Iterator[Wrong]:
    from virtometer.design.factorial.registry import DESIGNS

    if design.type not in DESIGNS:
        yield ("design", "type"), choice("'type'", design.type, DESIGNS)


def _type_of(design: Design) -> DesignType:
    # numpy takes a while to load, and most plans have no factors.
    from virtometer.design.factorial.registry import DESIGNS

    return DESIGNS[design.type]


def space_of(factors: Sequence[Factor], constraints: Sequence[Constraint], design: Design) -> Space:
    """The combinations of factors. Their references are those of the factors, where they have any."""
    from virtometer.design.factorial.space import Exclusion, Space

    names = tuple(factor.name for factor in factors)
    levels = tuple(factor.level_names for factor in factors)

    def positions(given: Mapping[str, str | list[str]]) -> dict[int, frozenset[int]]:
        return {
            names.index(name): frozenset(levels[names.index(name)].index(level) for level in level_list(some))
            for name, some in given.items()
        }

    usual = 1 if _type_of(design).centred else 0
    references = tuple(
        usual if factor.reference is None else factor.level_names.index(factor.reference) for factor in factors
    )
    exclusions = tuple(Exclusion(positions(one.never or one.where), positions(one.only)) for one in constraints)
    return Space(names, levels, references, exclusions)


def _expanded(
    document: Document, factors: Sequence[Factor], constraints: Sequence[Constraint], design: Design
) -> Document:
    from virtometer.design.factorial.choice import DesignError

    space = space_of(factors, constraints, design)
    try:
        chosen = _type_of(design).choose(space, design, [factor.numbers for factor in factors])
    except DesignError as cause:
        path = ("design", cause.field) if cause.field else ("design",) if "design" in document.value else ("factors",)
        document.refuse([(path, cause.sentence)])
        return document
    plan = dict(document.value)
    names = [one["name"] for one in plan["environments"]]
    varied = bases(factors, names)
    lines = {path: line for path, line in document.lines.items() if path[:1] != ("environments",) or len(path) == 1}
    environments: list[dict[str, Any]] = []
    made = False
    for number, one in enumerate(plan["environments"]):
        if one["name"] not in varied:
            _moved(document, number, len(environments), lines)
            environments.append(one)
        elif not made:
            made = True
            environments += _cells(document, factors, space, chosen, varied, len(environments), lines)
    if plan.get("baseline", varied[0]) in varied:
        first = next(one for one in environments if "levels" in one)
        plan["baseline"] = first["name"]
    plan["environments"] = environments
    plan["factors"] = [
        {
            **given,
            "reference": factor.level_names[at],
            **({} if factor.environments or len(varied) > 1 else {"environment": varied[0]}),
        }
        for given, factor, at in zip(plan["factors"], factors, space.references, strict=True)
    ]
    plan["design"] = {
        **plan.get("design", {}),
        "terms": [space.term_name(term) for term in chosen.terms],
        "left_out": [space.term_name(term) for term in chosen.left_out],
    }
    return replace(document, value=plan, lines=lines)


def _moved(document: Document, old: int, new: int, lines: dict[Path, int]) -> None:
    for path, line in document.lines.items():
        if path[:2] == ("environments", old):
            lines["environments", new, *path[2:]] = line


def _cells(
    document: Document,
    factors: Sequence[Factor],
    space: Space,
    chosen: Chosen,
    varied: Sequence[str],
    start: int,
    lines: dict[Path, int],
) -> list[dict[str, Any]]:
    """The cells as environments of the plan, with the lines of what they are made of."""
    positions = {one["name"]: number for number, one in enumerate(document.value["environments"])}
    found = []
    names = cell_names(factors, space, chosen.cells, varied)
    for number, (cell, name) in enumerate(zip(chosen.cells, names, strict=True), start):
        base = base_of(factors, cell, varied)
        origin: dict[str, Path] = {}
        tuned_by: list[Path] = []
        for at, (factor, level) in enumerate(zip(factors, cell, strict=True)):
            key = level if isinstance(factor.levels, list) else factor.level_names[level]
            where: Path = ("factors", at, "levels", key)
            tuned_by += [where] * len(_steps(factor, level))
            origin |= dict.fromkeys(_replaced(factor, level), where)
        _moved(document, positions[base], number, lines)
        here: Path = ("environments", number)
        lines[*here, "settings"] = document.line(("factors",))
        lines |= {(*here, "settings", setting): document.line(path) for setting, path in origin.items()}
        one = document.value["environments"][positions[base]]
        levels = levels_of(factors, cell)
        own = one.get("settings", {})
        merged = settings_given(factors, cell, own)
        if tuned_by and isinstance(tuned := merged.get(TUNING), list):
            first = len(tuned) - len(tuned_by)
            lines |= {(*here, "settings", TUNING, at): document.line(path) for at, path in enumerate(tuned_by, first)}
        found.append({**one, "name": name, "settings": merged, "levels": levels, "of": base})
    return found


def base_of(factors: Sequence[Factor], cell: Cell, varied: Sequence[str]) -> str:
    """The name of the environment in the file whose settings a cell varies."""
    chosen = (factor.environments[at] for factor, at in zip(factors, cell, strict=True) if factor.environments)
    return next(chosen, varied[0])


def levels_of(factors: Sequence[Factor], cell: Cell) -> dict[str, str]:
    """The names of a cell's levels, by factor."""
    return {factor.name: factor.level_names[at] for factor, at in zip(factors, cell, strict=True)}


def settings_given(factors: Sequence[Factor], cell: Cell, own: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a cell, as the file has them: the environment's `own`, and what the levels give.

    Steps of tuning add up: first the environment's, then those of the levels.
    """
    found = dict(own)
    for factor, level in zip(factors, cell, strict=True):
        found |= _replaced(factor, level)
    before, added = own.get(TUNING, []), steps_given(factors, cell)
    if added and isinstance(before, list):
        found[TUNING] = [*before, *added]
    return found


def steps_given(factors: Sequence[Factor], cell: Cell) -> list[Any]:
    """Steps of tuning that the levels of a cell add to those of its environment."""
    return [step for factor, level in zip(factors, cell, strict=True) for step in _steps(factor, level)]


def _replaced(factor: Factor, level: int) -> dict[str, Any]:
    """What a level sets, without the steps of tuning that it adds."""
    pairs = _pairs(factor, level)
    return {name: value for name, value in pairs.items() if name != TUNING or not isinstance(value, list)}


def _steps(factor: Factor, level: int) -> list[Any]:
    steps = _pairs(factor, level).get(TUNING)
    return steps if isinstance(steps, list) else []


def _pairs(factor: Factor, level: int) -> dict[str, Any]:
    """What a level sets; nothing where it is an environment."""
    if factor.environments:
        return {}
    given = factor.values[level]
    return dict(given) if factor.setting is None else {factor.setting: given}


def cell_names(
    factors: Sequence[Factor], space: Space, cells: Sequence[Cell], varied: Sequence[str], first: int = 1
) -> list[str]:
    """Names of cells in the fullest form in which all of them are short enough. first: number of the first of them.

    vm bus=ide cache=none; else vm ide none; else vm cell 3.
    """

    def name(cell: Cell, number: int, form: int) -> str:
        base = varied[0]
        words = []
        for factor, some, at in zip(factors, space.levels, cell, strict=True):
            if factor.environments:
                base = some[at]
            else:
                words.append(f"{factor.name}={some[at]}" if form == 0 else some[at])
        return f"{base} cell {number}" if form == 2 else " ".join([base, *words])

    for form in range(3):
        found = [name(cell, number, form) for number, cell in enumerate(cells, first)]
        if max(map(len, found)) <= MAX_NAME and len(set(found)) == len(found):
            return found
    return [f"cell {number}" for number in range(first, first + len(cells))]
