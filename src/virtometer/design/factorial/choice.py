"""From factors and what is asked for to the cells of a design that is verified: what all types share. PURE.

No construction is trusted: of the finished cells the constraints, the reference and the rank for the terms are checked,
and a design that fails is refused in one sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from virtometer.design.factorial.matrix import estimable, estimates
from virtometer.design.factorial.space import Cell, Space, Term, listed
from virtometer.model import Design

MAX_CELLS = 64
"""Environments that a plan may have."""

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


class DesignType(ABC):
    """A type of designs, as the registry has it."""

    name: ClassVar[str]
    """What plans call it."""
    meaning: ClassVar[str]
    """In a few words, for the reference of plans."""
    centred: ClassVar[bool] = False
    """Whether factors have three numeric levels, low to high, with the middle one as reference."""

    @abstractmethod
    def choose(self, space: Space, design: Design, numbers: Sequence[Sequence[float] | None]) -> Chosen:
        """The verified design. numbers: of the levels of each factor, where they are numbers. Raises DesignError."""


class OneStage(DesignType):
    """A type of which one look at the space makes all cells."""

    takes: ClassVar[frozenset[str]] = frozenset()
    """Those of the fields `resolution` and `runs` that say something of it."""
    finds_pairs: ClassVar[bool] = False
    """Whether interactions that its cells can estimate are terms of it, where the plan names none.

    Elsewhere they would only stand for those that they are mixed up with.
    """

    @abstractmethod
    def cells(self, space: Space, design: Design, terms: Sequence[Term]) -> Sequence[Cell]:
        """The cells that estimate the terms, the reference first. Raises DesignError."""

    def usual_terms(self, space: Space, design: Design) -> Sequence[Term]:
        """The terms that it must estimate where the plan names none, main effects before interactions."""
        return space.mains()

    def choose(self, space: Space, design: Design, numbers: Sequence[Sequence[float] | None] = ()) -> Chosen:
        """The verified design. Its cells do not depend on the numbers. Raises DesignError."""
        refuse_without_reference(space)
        needed = needed_terms(space, design.terms) if design.terms else tuple(self.usual_terms(space, design))
        for field in sorted({"resolution", "runs"} - self.takes):
            if getattr(design, field) is not None:
                raise DesignError(f"a design of the type {self.name} has no '{field}'", field)
        cells = self.cells(space, design, needed)
        verify(space, cells)
        missing = [space.cell_name(cell) for cell in cells if not space.allows(cell)]
        if missing:
            raise DesignError(
                f"the constraints exclude {len(missing)} of the {len(cells)} combinations of the design, such as "
                f"{missing[0]}; write 'type: optimal'",
                "type",
            )
        if len(cells) > MAX_CELLS:
            raise too_many(len(cells), design)
        if not estimates(space, cells, needed):
            raise DesignError(cannot_estimate(space, cells, needed), "terms" if design.terms else "")
        others = [term for term in space.pairs() if term not in needed]
        terms = estimable(space, cells, needed, others if self.finds_pairs and not design.terms else ())
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


def too_many(cells: int, design: Design) -> DesignError:
    """The error of a design of so many cells."""
    return DesignError(
        f"the design has {cells} combinations, and a plan at most {MAX_CELLS}; write 'type: fraction' or 'optimal'",
        "type" if "type" in design.model_fields_set else "",
    )


def needed_terms(space: Space, words: Sequence[str]) -> tuple[Term, ...]:
    """All main effects, and the interactions that a plan names, in this order. Raises DesignError."""
    found: set[Term] = set(space.mains())
    for word in words:
        if word == INTERACTIONS:
            found.update(space.pairs())
        elif word != MAIN:
            found.add(term_of(space, word))
    return tuple(sorted(found, key=lambda term: (len(term), term)))


def cannot_estimate(space: Space, cells: Sequence[Cell], terms: Sequence[Term]) -> str:
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
