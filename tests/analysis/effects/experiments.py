"""Small experiments with known effects, as the analysis takes them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from virtometer.analysis.effects.table import Experiment, Response, Variable
from virtometer.model import Better

Levels = Mapping[str, str]


def response(
    variables: Sequence[Variable],
    logs: Callable[[Levels], float],
    metric: str = "read",
    *,
    better: Better = "higher",
    beside: bool = False,
    blocks: int = 8,
    spread: float = 0.01,
    skip: Callable[[Levels], bool] = lambda _: False,
    seed: int = 1,
    missing: int = 0,
) -> Response:
    """Every combination that is not skipped once a block, in random order."""
    rng = np.random.default_rng(seed)
    cells = [
        dict(zip((one.name for one in variables), levels, strict=True))
        for levels in itertools.product(*(one.levels for one in variables))
    ]
    rows = [(block, cells[at]) for block in range(blocks) for at in rng.permutation(len(cells)) if not skip(cells[at])]
    values = [logs(levels) + spread * float(rng.standard_normal()) for _, levels in rows]
    return Response(
        metric, "1/s" if better == "higher" else "s", better, [levels for _, levels in rows],
        [block for block, _ in rows], values, missing, beside,
    )  # fmt: skip


AIO = Variable("aio", ("threads", "io_uring"))
CACHE = Variable("cache", ("writeback", "none", "unsafe"))
DUMMY = Variable("dummy", ("a", "b"))


def experiment(*responses: Response, variables: Sequence[Variable] = (AIO, CACHE, DUMMY)) -> Experiment:
    return Experiment(tuple(variables), responses)
