"""The second stage of a sequential design as environments: from the factors that are kept to cells. PURE."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from virtometer.design.factorial.cells import base_of, cell_names, levels_of, settings_given, space_of, steps_given
from virtometer.design.factorial.choice import MAX_CELLS
from virtometer.design.factorial.sequential import USUAL_CELLS, first_levels, part_of, second_stage
from virtometer.design.factorial.space import Cell, Space
from virtometer.design.plan.document import Document
from virtometer.design.plan.factor_checks import TUNING, settings_of
from virtometer.design.plan.validated import validated
from virtometer.model import Kinds, Plan, PlanEnvironment

_LOOKED_AT = 4_096  # combinations whose settings are checked


@dataclass(frozen=True, slots=True)
class FollowUpCells:
    """The cells of a second stage, the reference first.

    cells: their names. environments: those that the plan lacks. terms, left_out: as those of a design that was read.
    levels: of each factor that is varied.
    """

    cells: tuple[str, ...]
    environments: tuple[PlanEnvironment, ...]
    terms: tuple[str, ...]
    left_out: tuple[str, ...]
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)


def follow_up(plan: Plan, kept: Collection[str], kinds: Kinds) -> FollowUpCells | None:
    """The cells for the factors `kept`; None where there is none, or their interactions take more cells than allowed.

    Combinations whose settings exclude each other are left out.
    """
    space, numbers, seed = _of(plan)
    given = [at for at, factor in enumerate(plan.factors) if factor.name in kept]
    refused = _refused(plan, space, given, kinds)
    found = second_stage(space, numbers, given, most_cells(plan), seed, refused)
    if found is None:
        return None
    names, environments = _environments(plan, space, found.chosen.cells, kinds)
    part = found.part
    return FollowUpCells(
        tuple(names),
        tuple(environments),
        tuple(space.term_name(term) for term in found.chosen.terms),
        tuple(space.term_name(term) for term in found.chosen.left_out),
        {space.names[factor]: levels for factor, levels in zip(part.factors, part.space.levels, strict=True)},
    )


def space_of_second_stage(plan: Plan, of: FollowUpCells) -> tuple[Space, list[Cell]]:
    """The space of its factors with their levels, and its cells in there."""
    whole, _, _ = _of(plan)
    levels = {
        whole.names.index(name): [at for at, level in enumerate(whole.levels[whole.names.index(name)]) if level in some]
        for name, some in of.levels.items()
    }
    space = part_of(whole, levels).space
    known = {one.name: one.levels for one in [*plan.cells, *of.environments]}
    cells = [
        tuple(levels.index(known[cell][name]) for name, levels in zip(space.names, space.levels, strict=True))
        for cell in of.cells
    ]
    return space, cells


def with_follow_up(plan: Plan, environments: Sequence[PlanEnvironment]) -> Plan:
    """The plan with the cells that its second stage adds."""
    return plan.model_copy(update={"environments": [*plan.environments, *environments]})


def follow_up_blocks(plan: Plan, cells: int) -> int:
    """Blocks of the second stage: those of the plan, and as many as give it the trials of the first stage at least.

    The error of an effect is then as in the first stage, however few cells there are.
    """
    return max(plan.blocks, math.ceil(len(plan.cells) * plan.first_blocks / cells))


def most_cells(plan: Plan) -> int:
    """How many cells the second stage may have."""
    assert plan.design is not None
    others = len(plan.environments) - 1
    return min(USUAL_CELLS if plan.design.runs is None else plan.design.runs, MAX_CELLS - others)


def refused_levels(plan: Plan, kinds: Kinds) -> list[str]:
    """What is wrong with levels that the first stage lacks, in a sentence each."""
    space, numbers, _ = _of(plan)
    said = []
    for factor, first in first_levels(space, numbers).items():
        for level in range(space.sizes[factor]):
            if level in first:
                continue
            cell = (*space.references[:factor], level, *space.references[factor + 1 :])
            if space.allows(cell) and (why := _checked(plan, cell, kinds)[1]):
                said.append(f"the level '{space.levels[factor][level]}' of '{space.names[factor]}': {why}")
    return said


def _of(plan: Plan) -> tuple[Space, list[tuple[float, ...] | None], int]:
    assert plan.design is not None
    space = space_of(plan.factors, plan.constraints, plan.design)
    return space, [factor.numbers for factor in plan.factors], plan.design.seed


def _refused(plan: Plan, space: Space, given: Iterable[int], kinds: Kinds) -> list[Cell]:
    """Allowed combinations of these factors whose settings no guest can have."""
    part = part_of(space, {factor: range(space.sizes[factor]) for factor in given})
    if part.space.size > _LOOKED_AT:
        return []
    return [cell for cell in map(part.whole, part.space.cells()) if _checked(plan, cell, kinds)[1]]


def _environments(
    plan: Plan, space: Space, cells: Sequence[Cell], kinds: Kinds
) -> tuple[list[str], list[PlanEnvironment]]:
    """The names of all cells, and the environments of those that the plan lacks."""
    known = {tuple(one.levels.items()): one.name for one in plan.cells}
    new = [cell for cell in cells if tuple(levels_of(plan.factors, cell).items()) not in known]
    fresh = cell_names(plan.factors, space, new, _varied(plan), first=len(plan.cells) + 1) if new else []
    named = dict(zip(new, fresh, strict=True))
    environments = []
    for cell in new:
        environment, _ = _checked(plan, cell, kinds)
        assert environment is not None
        environments.append(environment.model_copy(update={"name": named[cell]}))
    return [named.get(cell) or known[tuple(levels_of(plan.factors, cell).items())] for cell in cells], environments


def _varied(plan: Plan) -> list[str]:
    return list(dict.fromkeys(one.of for one in plan.cells))


def _checked(plan: Plan, cell: Cell, kinds: Kinds) -> tuple[PlanEnvironment | None, str]:
    """A cell as an environment without a name of its own; else None, and why its settings are refused."""
    base = base_of(plan.factors, cell, _varied(plan))
    like = next(one for one in plan.cells if one.of == base)
    varied = {setting for factor in plan.factors for setting in settings_of(factor)}
    fixed = {name: value for name, value in like.settings.items() if name not in varied}
    if steps := like.settings.get(TUNING):  # without those of its own levels
        known = tuple(factor.level_names.index(like.levels[factor.name]) for factor in plan.factors)
        fixed[TUNING] = steps[: len(steps) - len(steps_given(plan.factors, known))]
    document = Document(settings_given(plan.factors, cell, fixed), {})
    read = validated(kinds[like.kind].settings_type, document, (), f"setting of {like.kind}")
    if read is None:
        return None, document.wrong[0][1]
    plain = read.model_dump(mode="json", exclude_unset=True)
    return like.model_copy(update={"settings": plain, "levels": levels_of(plan.factors, cell)}), ""
