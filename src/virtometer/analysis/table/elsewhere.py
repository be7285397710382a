"""Findings from a long table: every treatment against one, in every metric, by the rules of campaigns."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from virtometer.analysis.compare.blocks import Key, logs_by_block
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.notes import block_shapes
from virtometer.analysis.notes.block_shapes import Series
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.verdicts import Decision, decide
from virtometer.analysis.table import row_order
from virtometer.analysis.table.long_table import LongTable
from virtometer.counted import counted
from virtometer.errors import UsageError
from virtometer.model import MIN_BLOCKS, Estimate, Finding, Quantity, Verdict

_LEVEL = (0.05 - row_order.LEVEL) / len(block_shapes.TESTS_OF_TABLES)  # so that a table has 5 % in all


def compare(table: LongTable, against: str, margin: float) -> tuple[Finding, ...]:
    """Findings in the order of the table. Raises UsageError where there is no treatment `against`, or nothing else.

    A block's value is the geometric mean of its replicates; only blocks in which both sides have one are compared.
    """
    if against not in table.treatments:
        there = list(table.treatments)
        more = f" and {len(there) - 10} more" if len(there) > 10 else ""
        raise UsageError(f"there is no treatment {against}; there are {', '.join(there[:10])}{more}")
    if len(table.treatments) < 2:
        raise UsageError(f"{against} is the only treatment: there is nothing to compare")
    values = {
        key: {table.blocks[block]: _mean(replicates) for block, replicates in of.items()}
        for key, of in table.values.items()
    }
    logs = {
        (metric.name, treatment): logs_by_block(
            values.get((metric.name, treatment), {}), values.get((metric.name, against), {}), metric.better
        )
        for metric in table.metrics.values()
        for treatment in table.treatments
        if treatment != against
    }
    family: dict[Key, Spread | None] = {key: spread(of.values()) for key, of in logs.items()}
    decisions = decide(family, margin)
    said: dict[Key, list[str]] = {(metric, against): [text] for metric, text in row_order.sentences(table).items()}
    said |= _shapes(table, against, logs, math.log1p(margin) / 5)
    return tuple(
        _finding(
            table,
            (name, treatment),
            against,
            decisions.get((name, treatment)),
            logs.get((name, treatment), {}),
            values,
            said,
        )
        for name in table.metrics
        for treatment in table.treatments
    )


def _shapes(
    table: LongTable, against: str, logs: Mapping[Key, Mapping[int, float]], least: float
) -> dict[Key, list[str]]:
    """The shapes of the blocks of each comparison. least: as of `block_shapes.notes`."""
    long_enough = [key for key, of in logs.items() if len(of) >= MIN_BLOCKS]
    if not long_enough:
        return {}
    later = f"than {against}"
    family = {key: Series(of, later=later) for key, of in logs.items()}
    places = {
        metric: {table.blocks[block]: own for block, own in row_order.places(table, metric).items()}
        for metric in {metric for metric, _ in long_enough}
    }
    for metric, treatment in long_enough:
        of = logs[metric, treatment]
        orders = {block: places[metric][block] for block in of}
        apart = {block: float(own[treatment] - own[against]) for block, own in orders.items()}
        family[metric, treatment] = Series(of, places=apart, later=later)
    found = block_shapes.notes(family, least, _LEVEL, block_shapes.TESTS_OF_TABLES)
    return {key: [note.text for note in notes] for key, notes in found.items()}


def _finding(
    table: LongTable,
    key: Key,
    against: str,
    decision: Decision | None,
    logs: Mapping[int, float],
    values: Mapping[Key, Mapping[int, float]],
    said: Mapping[Key, Sequence[str]],
) -> Finding:
    """`decision` is None of the treatment that the others are compared with. said: of the order and the blocks."""
    name, treatment = key
    metric = table.metrics[name]
    own, other = values.get((name, treatment), {}), values.get((name, against), {})
    notes = []
    if rows := table.missing.get((name, treatment)):
        notes.append(f"{counted(rows, 'row')} without a value")
    if decision is None:
        decision = Decision(verdict=Verdict.BASELINE)
        ratio = Estimate(1.0, None, None, len(own)) if own else None
    else:
        ratio = interval(logs.values())
        both = len(own.keys() & other.keys())  # in as many steps as the smaller of both sides has blocks
        every = len(own) + len(other) - both
        if every > both:
            notes.append(f"{counted(every - both, 'block')} of {every} with one side only: not used")
        notes += decision.why
    notes += said.get(key, ())
    value = interval(map(math.log, own.values()))
    return Finding(
        **decision.concluded, workload=name, op="", ratio=efficiency(treatment, against, ratio),
        value=Quantity(treatment, name, metric.unit, metric.better, "geometric mean", value),
        notes=tuple(notes), levels=table.treatments[treatment],
    )  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    # Mostly there is one value, of which the general way would take several times as long to the same number.
    return math.exp(math.log(values[0])) if len(values) == 1 else statistics.geometric_mean(values)
