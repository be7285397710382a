"""What `virtometer plan show` says of a plan with factors: its cells, what they can tell, and what will be found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from virtometer.design.factorial.budget import Priced
    from virtometer.design.factorial.space import Cell, Space, Term
    from virtometer.design.plan.resolved import ResolvedPlan
    from virtometer.model import Plan, PlanEnvironment

_ROMAN = {1: "I", 2: "II", 3: "III", 4: "IV", 5: "V"}
_MEANING = {
    3: "main effects are mixed up with interactions of two factors",
    4: "main effects are free of interactions of two factors, which are mixed up with each other",
    5: "main effects and interactions of two factors are free of each other",
}


def settings_beside_factors(plan: Plan, of: PlanEnvironment) -> dict[str, Any]:
    """The settings of a cell that no factor varies."""
    from virtometer.design.plan.factor_checks import settings_of

    varied = {setting for factor in plan.factors for setting in settings_of(factor)}
    return {name: value for name, value in of.settings.items() if name not in varied}


def design_lines(plan: Plan) -> list[str]:
    """Factors, cells, what is estimated and what cannot be told apart."""
    from virtometer.counted import counted
    from virtometer.design.factorial.aliases import aliases, chains, sentences
    from virtometer.design.factorial.matrix import d_efficiency, is_orthogonal
    from virtometer.design.factorial.space import listed
    from virtometer.report.parts.words import percent

    space, cells, terms = read_design(plan)
    assert plan.design is not None
    lines = ["factors:"]
    for factor in plan.factors:
        levels = [f"{one} (reference)" if one == factor.reference else one for one in factor.level_names]
        lines.append(f"  {factor.name}: {', '.join(levels)}")
    lines += [f"  excluded: {one}" for one in _exclusions(space)]
    numbers = 1 + space.freedom(terms)
    names = {"one at a time": "one factor at a time", "sequential": "sequential; the first stage"}
    name = names.get(plan.design.type, plan.design.type)
    if plan.sequential:
        name += f" in {counted(plan.first_blocks, 'block')}"
    lines.append(f"design: {name}, {len(cells)} of {space.size} combinations for {numbers} numbers")
    width = len(str(len(cells)))
    lines += [f"  {number:>{width}}  {space.cell_name(cell)}" for number, cell in enumerate(cells, 1)]
    lines.append(f"  estimated: {', '.join(map(space.term_name, terms))}")
    if plan.design.left_out and not plan.sequential:
        lines.append(f"  not estimated: {listed(plan.design.left_out, 8)}")
    found = resolution_of(plan)
    if found:
        lines.append(f"  resolution: {_ROMAN[found]}, {_MEANING[max(found, 3)]}")
    balance = "orthogonal" if is_orthogonal(space, cells, terms) else "not orthogonal"
    lines.append(
        f"  checked: all terms can be told apart, {balance}, D-efficiency {percent(d_efficiency(space, cells, terms))}"
    )
    lines += [f"  {one}" for one in sentences(space, aliases(space, cells, terms))]
    for group in chains(space, cells, terms):
        lines.append(f"  {listed([space.term_name(term) for term in group])} cannot be told from each other")
    if plan.design.type == "screening":
        lines.append("  low against high is free of every interaction; the middle level is not")
    return lines


def _exclusions(space: Space) -> list[str]:
    """Each constraint in words, with the number of combinations that it excludes where these can be counted."""
    from virtometer.design.factorial.space import MAX_CANDIDATES

    def words(levels: Mapping[int, frozenset[int]]) -> str:
        return ", ".join(
            f"{space.names[factor]}={' or '.join(space.levels[factor][at] for at in sorted(some))}"
            for factor, some in levels.items()
        )

    lines = []
    for one in space.exclusions:
        line = words(one.levels) + (f" with other than {words(one.unless)}" if one.unless else "")
        if space.size <= MAX_CANDIDATES:
            cells = itertools.product(*map(range, space.sizes))
            line += f": {sum(map(one.excludes, cells))} of {space.size} combinations"
        lines.append(line)
    return lines


def resolution_of(plan: Plan) -> int:
    """Of a part of a two-level factorial; 0 where there is none."""
    from virtometer.design.factorial.aliases import resolution

    space, cells, _ = read_design(plan)
    return 0 if len(cells) == space.size else resolution(space, cells) or 0


def power_lines(plan: Plan, noise: Mapping[str, float]) -> list[str]:
    """The smallest effects that are found. noise: of single trials, by workload; the empty name is all of them."""
    from virtometer.design.factorial.power import PROBABILITY, power
    from virtometer.model import MIN_BLOCKS
    from virtometer.report.parts.words import percent

    if plan.sequential:
        return []
    if not noise:
        return ["power: --noise 3% or --pilot DIR, an earlier campaign, says how small an effect will be found"]
    if plan.blocks < MIN_BLOCKS:
        return [f"power: none; a verdict takes {MIN_BLOCKS} blocks"]
    space, cells, terms = read_design(plan)
    lines = []
    for workload, sd in noise.items():
        found = power(space, cells, terms, plan.blocks, sd, len(plan.workloads))
        pairs = "" if found.interaction is None else f", of interactions {percent(found.interaction)}"
        of = f"{workload}: " if workload else ""
        lines.append(
            f"power: {of}with a noise of {percent(sd)} effects of factors of {percent(found.main)} or more are found "
            f"with a probability of {percent(PROBABILITY)}{pairs} (Holm over at most {found.claims} claims)"
        )
    return lines


def pilot_noise(directory: Path, plan: Plan) -> dict[str, float]:
    """The noise of an earlier campaign, of the workloads that the plan has too. Raises UsageError where it has none."""
    from virtometer.analysis.stopping.pilot import trial_noise
    from virtometer.cli.parts.notice import notice
    from virtometer.errors import UsageError
    from virtometer.store.ledger import Ledger

    with notice("reading the ledger ..."), Ledger.open(directory) as ledger:
        found = trial_noise(ledger.read())
    names = [one.name for one in plan.workloads if one.name in found]
    if not names:
        measured = f"it has {', '.join(found)}" if found else "it has no two blocks of an environment"
        raise UsageError(
            f"--pilot {directory}: no noise of a workload of the plan ({measured})",
            advice="give a campaign with a workload of the same name, or --noise",
        )
    return {name: found[name].sd for name in names}


def within_budget(
    resolved: ResolvedPlan,
    given: dict[str, Any],
    seconds: float,
    load: Callable[[dict[str, Any]], ResolvedPlan],
    price: Callable[[ResolvedPlan], float],
) -> tuple[ResolvedPlan, list[str]]:
    """The plan with the best design that fits into so many seconds, and what was given up, in lines.

    given: the design as the file has it. load: the plan with other fields. Raises UsageError where none fits.
    """
    from virtometer.cli.parts.times import time_words
    from virtometer.design.factorial.budget import Priced, best, options
    from virtometer.errors import PlanError, UsageError

    found: list[Priced] = []
    read: list[ResolvedPlan] = []
    for option in options(resolved.plan, given):
        try:
            other = resolved if option.given else load(option.fields)
        except PlanError:  # this plan has no such design
            continue
        read.append(other)
        found.append(Priced(option, other.plan, resolution_of(other.plan), price(other)))
    chosen = best(found, seconds)
    if chosen is None:
        least = min(found, key=lambda one: one.seconds)
        raise UsageError(
            f"--budget: no design fits; the smallest has {len(least.plan.cells)} combinations in {least.plan.blocks} "
            f"blocks and takes {time_words(least.seconds)}",
            advice="give more time, or take fewer levels, workloads or seconds",
        )
    return read[found.index(chosen)], _given_up(chosen, found, resolved.plan)


def _given_up(chosen: Priced, found: Sequence[Priced], plan: Plan) -> list[str]:
    from virtometer.cli.parts.times import time_words
    from virtometer.design.factorial.space import listed

    design = ", ".join(f"{name}: {_value(value)}" for name, value in chosen.option.design.items())
    if chosen.option.given:
        lines = [f"budget: the plan's own design fits, with {time_words(chosen.seconds)}"]
    else:
        lines = [
            f"budget: the best design that fits takes {time_words(chosen.seconds)}; write 'design: {{{design}}}' and "
            f"'blocks: {chosen.plan.blocks}'"
        ]
    assert chosen.plan.design is not None
    all_terms = dict.fromkeys(term for one in found if one.plan.design is not None for term in one.plan.design.terms)
    lost = [term for term in all_terms if term not in chosen.plan.design.terms]
    lost += [f"{plan.blocks - chosen.plan.blocks} blocks"] if chosen.plan.blocks < plan.blocks else []
    lines.append(f"  given up: {listed(lost, 8)}" if lost else "  nothing is given up")
    return lines


def _value(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def read_design(plan: Plan) -> tuple[Space, tuple[Cell, ...], tuple[Term, ...]]:
    """The design of a plan that was read, from its cells alone."""
    from virtometer.design.factorial.cells import space_of
    from virtometer.design.factorial.choice import term_of
    from virtometer.design.factorial.sequential import part_of

    assert plan.design is not None
    space = space_of(plan.factors, plan.constraints, plan.design)
    if plan.sequential:  # the first stage has some levels alone
        ran = [{one.levels[name] for one in plan.cells} for name in space.names]
        levels = [
            [at for at, level in enumerate(of) if level in some] for of, some in zip(space.levels, ran, strict=True)
        ]
        space = part_of(space, dict(enumerate(levels))).space
    cells = tuple(
        tuple(some.index(one.levels[name]) for name, some in zip(space.names, space.levels, strict=True))
        for one in plan.cells
    )
    return space, cells, tuple(term_of(space, word) for word in plan.design.terms)
