"""Workloads with factors of their own in a design: does a factor of the plan act alike at all of their levels?

The value of a workload at one level by its value at the reference level, in the same combination and block, is a
metric. What a factor does to this ratio is the interaction of both: by how much its effect at one level differs from
that at the other. Block and noise that both values share drop out. Source: split-plot contrasts (F. Yates, Suppl. J. R.
Stat. Soc. 2, 1935).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from virtometer.analysis.effects.table import Response
from virtometer.model import PlanWorkload

RATIO = "ratio"
"""Unit of such a metric."""


def ratios(workloads: Sequence[PlanWorkload], values: Mapping[str, Response]) -> list[Response]:
    """A metric for each level that differs from the reference, which is the first of the plan, of each factor alone.

    values: of the workloads, by name.
    """
    return [
        _ratio(values[one.name], values[reference.name])
        for one, reference in _pairs(workloads)
        if one.name in values and reference.name in values
    ]


def _pairs(workloads: Sequence[PlanWorkload]) -> Iterator[tuple[PlanWorkload, PlanWorkload]]:
    """Each workload of a sweep that differs in one level from the first of it, with that."""
    first: dict[str, PlanWorkload] = {}
    for one in workloads:
        reference = first.setdefault(one.of, one) if one.levels else one
        if sum(level != reference.levels.get(name) for name, level in one.levels.items()) == 1:
            yield one, reference


def _ratio(of: Response, reference: Response) -> Response:
    against = {
        _key(levels, block): log
        for levels, block, log in zip(reference.levels, reference.blocks, reference.logs, strict=True)
    }
    rows = [
        (levels, block, log - against[_key(levels, block)])
        for levels, block, log in zip(of.levels, of.blocks, of.logs, strict=True)
        if _key(levels, block) in against
    ]
    return Response(
        f"{of.metric} against {reference.metric}", RATIO, of.better,
        [levels for levels, _, _ in rows], [block for _, block, _ in rows], [log for _, _, log in rows],
        of.missing + reference.missing, beside=True, of_levels=True, refused=of.refused or reference.refused,
    )  # fmt: skip


def _key(levels: Mapping[str, str], block: int) -> tuple[int, frozenset[tuple[str, str]]]:
    return block, frozenset(levels.items())
