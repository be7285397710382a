"""From factors and what is asked for to the cells of a design that is verified. PURE.

No construction is trusted: of the finished cells the constraints, the reference, the rank for the terms, and the
resolution of a fraction are checked, and a design that fails is refused in one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.design.factorial.aliases import resolution
from virtometer.design.factorial.matrix import estimable, estimates
from virtometer.design.factorial.optimal import optimal, random_part
from virtometer.design.factorial.regular import fraction
from virtometer.design.factorial.screening import ORDERS, screening
from virtometer.design.factorial.space import MAX_CANDIDATES, Cell, Space, Term, listed, ordered
from virtometer.design.schedule.shuffle import Generator
from virtometer.model import Design

MAX_CELLS = 64
"""Environments that a plan may have."""

_LOOKED_AT = 1_024  # combinations, drawn from more: an exchange tries each of them many times

MAIN, INTERACTIONS = "main", "interactions"


class DesignError(ValueError):
    """A design that cannot be made. `field`: of the plan's design, or empty."""

    def __init__(self, sentence: str, field: str = "") -> None:
        """`sentence`: what is wrong and what helps."""
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field


@dataclass(frozen=True, slots=True)
class Chosen:
    """The cells of a design, the reference first, and the terms that it estimates.

    left_out: the interactions that nobody asked for by name and that it does not estimate.
    """

    cells: tuple[Cell, ...]
    terms: tuple[Term, ...]
    left_out: tuple[Term, ...] = ()


def choose(space: Space, design: Design) -> Chosen:
    """The verified design. Raises DesignError."""
    refuse_without_reference(space)
    needed = needed_terms(space, design)
    cells = _made(space, design, needed)
    verify(space, cells)
    missing = [space.cell_name(cell) for cell in cells if not space.allows(cell)]
    if missing:
        raise DesignError(
            f"the constraints exclude {len(missing)} of the {len(cells)} combinations of the design, such as "
            f"{missing[0]}; write 'type: optimal'",
            "type",
        )
    if len(cells) > MAX_CELLS:
        raise DesignError(too_many(len(cells)), "type" if "type" in design.model_fields_set else "")
    if not estimates(space, cells, needed):
        raise DesignError(_cannot(space, cells, needed), "terms" if design.terms else "")
    if design.type == "fraction":
        found = resolution(space, cells)
        if found is not None and found < wanted_resolution(design):
            raise DesignError(f"the fraction has the resolution {found} only", "resolution")
    others = [term for term in space.pairs() if term not in needed]
    # Elsewhere interactions that happen to be estimable would only stand for those that they are mixed up with.
    terms = estimable(space, cells, needed, others if design.type == "full" and not design.terms else ())
    return Chosen(tuple(cells), tuple(terms), tuple(pair for pair in others if pair not in terms))


def refuse_without_reference(space: Space) -> None:
    """Raise DesignError where the constraints exclude the reference."""
    if not space.allows(space.references):
        raise DesignError(f"the constraints exclude the reference ({space.cell_name(space.references)})")


def verify(space: Space, cells: Sequence[Cell]) -> None:
    """Raise DesignError where cells repeat, lack the reference, or never have some level."""
    if len(set(cells)) < len(cells) or space.references not in cells:
        raise DesignError("the design repeats a combination or lacks the reference")
    for factor, (name, levels) in enumerate(zip(space.names, space.levels, strict=True)):
        never = [level for at, level in enumerate(levels) if all(cell[factor] != at for cell in cells)]
        if never:
            raise DesignError(f"'{name}' cannot have the level '{never[0]}' in any combination: constraints exclude it")


def wanted_resolution(design: Design) -> int:
    """That of a fraction; 4 where the plan names none."""
    return 4 if design.resolution is None else design.resolution


def too_many(cells: int) -> str:
    """What is wrong with a design of so many cells."""
    return f"the design has {cells} combinations, and a plan at most {MAX_CELLS}; write 'type: fraction' or 'optimal'"


def needed_terms(space: Space, design: Design) -> tuple[Term, ...]:
    """The terms that the design must estimate, main effects before interactions. Raises DesignError.

    Without `terms`: main effects; interactions as well for the resolution 5, and for an optimal or random part with
    room for them.
    """
    found: set[Term] = set(space.mains())
    for word in design.terms:
        if word == INTERACTIONS:
            found.update(space.pairs())
        elif word != MAIN:
            found.add(term_of(space, word))
    if not design.terms and design.type == "fraction" and wanted_resolution(design) == 5:
        found.update(space.pairs())
    mains = tuple(sorted(found, key=lambda term: (len(term), term)))
    if design.terms or design.type not in ("optimal", "random"):
        return mains
    return _with_room(space, mains, MAX_CELLS if design.runs is None else design.runs)


def _with_room(space: Space, mains: tuple[Term, ...], runs: int) -> tuple[Term, ...]:
    """The main effects, and all interactions that the allowed combinations can estimate, if so many runs hold both."""
    everything = [*mains, *space.pairs()]
    if space.size > MAX_CANDIDATES or space.freedom(everything) + 1 > runs:
        return mains
    return tuple(estimable(space, allowed(space, 1), mains, space.pairs()))


def allowed(space: Space, seed: int) -> list[Cell]:
    """The combinations that no constraint excludes, or a random part of many; the reference is among them."""
    found = list(space.cells())
    if len(found) <= _LOOKED_AT:
        return found
    others = [cell for cell in Generator(seed).shuffled(found) if cell != space.references]
    return [space.references, *others[: _LOOKED_AT - 1]]


def term_of(space: Space, word: str) -> Term:
    """The term of a word such as bus or bus:cache. Raises DesignError."""
    names = [one.strip() for one in word.split(":")]
    unknown = [one for one in names if one not in space.names]
    if unknown:
        raise DesignError(f"the term '{word}' names no factor; allowed: {', '.join(space.names)}", "terms")
    found = tuple(sorted({space.names.index(one) for one in names}))
    if len(found) != len(names) or len(found) > 2:
        raise DesignError(f"the term '{word}' is neither a factor nor a pair of two such as bus:cache", "terms")
    return found


def _cannot(space: Space, cells: Sequence[Cell], terms: Sequence[Term]) -> str:
    """What the cells cannot estimate, in a sentence."""
    kept: list[Term] = []
    lost = []
    for term in terms:
        if estimates(space, cells, [*kept, term]):
            kept.append(term)
        else:
            lost.append(space.term_name(term))
    numbers = space.freedom(terms) + 1
    return (
        f"the design cannot estimate {listed(lost)}: {len(cells)} combinations for {numbers} numbers; "
        "ask for fewer terms or for more combinations"
    )


def _made(space: Space, design: Design, terms: Sequence[Term]) -> tuple[Cell, ...]:
    if design.resolution is not None and design.type != "fraction":
        raise DesignError(f"a design of the type {design.type} has no 'resolution'", "resolution")
    if design.runs is not None and design.type not in ("optimal", "random"):
        raise DesignError(f"a design of the type {design.type} has no 'runs'", "runs")
    if design.type == "full":
        if space.size > MAX_CANDIDATES:
            raise DesignError(too_many(space.size), "type" if "type" in design.model_fields_set else "")
        return ordered(space.cells(), space.references)
    if design.type == "fraction":
        return _fraction(space, design, terms)
    if design.type == "screening":
        return _screening(space)
    if design.type == "one at a time":
        return one_at_a_time(space)
    return _part(space, design, terms)


def one_at_a_time(space: Space) -> tuple[Cell, ...]:
    """The reference, and it with one factor changed to each of its other levels."""
    changed = (
        (*space.references[:factor], level, *space.references[factor + 1 :])
        for factor, size in enumerate(space.sizes)
        for level in range(size)
    )
    return ordered(changed, space.references)


def _fraction(space: Space, design: Design, terms: Sequence[Term]) -> tuple[Cell, ...]:
    for name, levels in zip(space.names, space.levels, strict=True):
        if len(levels) != 2:
            raise DesignError(
                f"a fraction has factors of two levels, and '{name}' has {len(levels)}; write 'type: optimal'", "type"
            )
    factors, wanted = len(space.names), wanted_resolution(design)
    least = max(1, math.ceil(math.log2(1 + max(factors, space.freedom(terms)))))
    for basic in range(min(least, factors), factors + 1):
        if 1 << basic > MAX_CELLS:
            break
        found = fraction(factors, basic, wanted, terms)
        if found is not None:
            # 0 is the reference: the fraction holds it whichever level that is.
            return ordered(
                (tuple(one ^ first for one, first in zip(cell, space.references, strict=True)) for cell in found),
                space.references,
            )
    raise DesignError(
        f"no fraction of at most {MAX_CELLS} combinations of {factors} factors has the resolution {wanted} and "
        "estimates the terms; ask for less, or write 'type: optimal'",
        "resolution" if design.resolution is not None else "type",
    )


def _screening(space: Space) -> tuple[Cell, ...]:
    if any(size != 3 for size in space.sizes):
        wrong = next(name for name, size in zip(space.names, space.sizes, strict=True) if size != 3)
        raise DesignError(f"screening has factors of three numeric levels, low to high: '{wrong}' has others", "type")
    if not 3 <= len(space.names) <= ORDERS[-1]:
        raise DesignError(f"screening has 3 to {ORDERS[-1]} factors, and the plan has {len(space.names)}", "type")
    return ordered(screening(len(space.names)), space.references)


def _part(space: Space, design: Design, terms: Sequence[Term]) -> tuple[Cell, ...]:
    """An optimal design, or a random one, of the combinations that are allowed."""
    if space.size > MAX_CANDIDATES:
        raise DesignError(
            f"the factors have {space.size} combinations, and {MAX_CANDIDATES} at most can be chosen from", "type"
        )
    candidates = allowed(space, design.seed)
    needed = space.freedom(terms) + 1
    runs = design.runs if design.runs is not None else min(usual_runs(needed), len(candidates), MAX_CELLS)
    if runs > len(candidates):
        raise DesignError(f"'runs' is {runs}, and only {len(candidates)} combinations are possible", "runs")
    if runs < needed:
        raise DesignError(f"{runs} combinations cannot estimate {needed} numbers: the mean and the terms", "runs")
    make = optimal if design.type == "optimal" else random_part
    found = make(space, candidates, terms, runs, design.seed)
    if found is None:
        found = candidates if len(candidates) <= runs else None
    if found is None or not estimates(space, found, terms):
        if not estimates(space, candidates, terms):
            raise DesignError(_cannot(space, candidates, terms), "terms" if design.terms else "")
        raise DesignError(
            f"no {runs} combinations were found that estimate the terms; ask for more with 'runs'",
            "runs" if design.runs is not None else "",
        )
    return tuple(found)


def usual_runs(numbers: int) -> int:
    """Combinations for a model of so many numbers where the plan does not say: a quarter more, two at least."""
    return numbers + max(2, math.ceil(numbers / 4))
