"""The experiment of a long table with a column for each factor."""

from __future__ import annotations

import math
from collections import Counter

from virtometer.analysis.effects.effect import Effects
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Experiment, Response, Variable
from virtometer.analysis.table import row_order
from virtometer.analysis.table.long_table import LongTable
from virtometer.errors import UsageError

MOST_COMBINATIONS = 2_048
"""Of levels: 4,096 take 4 GiB and three minutes, which grow with the square and the cube of this number."""


def effects_of_table(table: LongTable, against: str | None, margin: float) -> Effects:
    """What each factor of a table does to every metric. Raises UsageError as `experiment`."""
    return effects(experiment(table, against), margin)


def experiment(table: LongTable, against: str | None = None) -> Experiment:
    """Rows are in the order of execution. against: the treatment whose levels are the references; None: the first.

    Raises UsageError where the table has no factors, no such treatment, no factor with two levels, or more combinations
    of levels than a model can have.
    """
    if not table.factors:
        raise UsageError("the table has no factors", advice="give it a column factor:NAME for each factor")
    if against is not None and against not in table.treatments:
        raise UsageError(f"there is no treatment {against}; there are {', '.join(list(table.treatments)[:10])}")
    reference = table.treatments[against if against is not None else next(iter(table.treatments))]
    variables = tuple(_variable(table, factor, reference[factor]) for factor in table.factors)
    if all(len(one.levels) < 2 for one in variables):
        raise UsageError("no factor of the table has two levels: there is nothing to compare")
    if len(table.treatments) > MOST_COMBINATIONS:
        raise UsageError(
            f"the table has {len(table.treatments):,} combinations of levels; effects can be estimated for "
            f"{MOST_COMBINATIONS:,}",
            advice="name each combination in one column treatment: they are then compared one by one",
        )
    missing: Counter[str] = Counter()
    for (name, _), count in table.missing.items():
        missing[name] += count
    uneven = row_order.sentences(table)
    responses = []
    for metric in table.metrics.values():
        rows = table.rows.get(metric.name, [])
        responses.append(
            Response(
                metric.name, metric.unit, metric.better,
                [table.treatments[treatment] for treatment, _, _ in rows],
                [table.blocks[block] for _, block, _ in rows],
                [math.log(value) for *_, value in rows],
                notes=(uneven[metric.name],) if metric.name == next(iter(uneven), None) else (),
                missing=missing[metric.name],
            )
        )  # fmt: skip
    return Experiment(variables, tuple(responses))


def _variable(table: LongTable, factor: str, reference: str) -> Variable:
    names = dict.fromkeys(levels[factor] for levels in table.treatments.values())
    levels = (reference, *(name for name in names if name != reference))
    return Variable(factor, levels, ordered(levels))


def ordered(levels: tuple[str, ...]) -> tuple[int, ...] | None:
    """The rank of each level where all are numbers; None elsewhere."""
    try:
        numbers = [float(level) for level in levels]
    except ValueError:
        return None
    if not all(map(math.isfinite, numbers)):
        return None
    ranks = {number: rank for rank, number in enumerate(sorted(set(numbers)))}
    return tuple(ranks[number] for number in numbers)
