"""What the analysis of effects starts from: trials with the levels of their factors, of each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from virtometer.errors import UsageError
from virtometer.model import Better

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_FACTORS = 32


@dataclass(frozen=True, slots=True)
class Variable:
    """A factor: its levels, the reference first. ordered: the levels stand for numbers, and in their order."""

    name: str
    levels: tuple[str, ...]
    ordered: tuple[int, ...] | None = None

    @property
    def reference(self) -> str:
        """The level that the others are compared with."""
        return self.levels[0]


@dataclass(frozen=True, slots=True)
class Observed:
    """The trials of one metric that have a value, N in all, and the values of R repetitions of the experiment.

    level: N x factors, numbers of levels. block, order: N; order is that of execution within the whole experiment.
    logs: N x R, natural logarithms of the values; campaigns have R = 1, simulations many.
    """

    level: Integers
    block: Integers
    order: Integers
    logs: Floats

    def averaged(self) -> Observed:
        """The mean of what one combination of levels has in one block, if cells come again in other blocks.

        Blocks are then what counts as independent. Elsewhere each trial is.
        """
        cells = np.unique(self.level, axis=0, return_inverse=True)[1].reshape(-1)
        pairs, first, which = np.unique(
            np.stack([self.block, cells], axis=1), axis=0, return_index=True, return_inverse=True
        )
        if len(pairs) == len(cells) or len(pairs) == len(np.unique(cells)):
            return self
        sums = np.zeros((len(pairs), self.logs.shape[1]))
        np.add.at(sums, which.reshape(-1), self.logs)
        counts = np.bincount(which.reshape(-1))[:, None]
        order = np.full(len(pairs), np.iinfo(np.int64).max)
        np.minimum.at(order, which.reshape(-1), self.order)
        by_order = np.argsort(order, kind="stable")
        return Observed(
            self.level[first][by_order], self.block[first][by_order], order[by_order], (sums / counts)[by_order]
        )


@dataclass(frozen=True, slots=True)
class Response:
    """A metric with its values: trials in the order of execution.

    beside: reported beside others, such as what the work takes from the host, and not to be made best.
    missing: trials without a value. notes: what else is to be known of the values, in sentences.
    of_levels: the ratio of a workload at two of its levels, by which no setting is judged. refused: why no effect on it
    gets a verdict, in a sentence; empty where they do.
    """

    metric: str
    unit: str
    better: Better
    levels: Sequence[Mapping[str, str]]
    blocks: Sequence[int]
    logs: Sequence[float]
    missing: int = 0
    beside: bool = False
    notes: tuple[str, ...] = ()
    of_levels: bool = False
    refused: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        """The notes, after why there is no verdict."""
        return (self.refused, *self.notes) if self.refused else tuple(self.notes)


@dataclass(frozen=True, slots=True)
class Experiment:
    """Factors and responses. promised: interactions that the design has to estimate, such as `bus:cache`."""

    variables: tuple[Variable, ...]
    responses: tuple[Response, ...]
    promised: frozenset[str] = field(default_factory=frozenset)


def observed(variables: Sequence[Variable], response: Response) -> Observed:
    """The trials of a response as arrays. Raises UsageError for too many factors."""
    if len(variables) > MOST_FACTORS:
        raise UsageError(f"there are {len(variables)} factors; effects can be estimated for {MOST_FACTORS}")
    number = [{level: at for at, level in enumerate(one.levels)} for one in variables]
    level = [[of[row[one.name]] for one, of in zip(variables, number, strict=True)] for row in response.levels]
    count = len(level)
    return Observed(
        np.array(level, dtype=np.int64).reshape(count, len(variables)),
        np.array(response.blocks, dtype=np.int64),
        np.arange(count, dtype=np.int64),
        np.array(response.logs, dtype=np.float64).reshape(count, 1),
    )
