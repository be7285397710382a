"""What a reader of an imported table must know, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from virtometer.counted import counted
from virtometer.imports.reading import Imported
from virtometer.imports.table import Block, Row
from virtometer.imports.value import Origin
from virtometer.model import MIN_BLOCKS
from virtometer.visible import visible

_MOST_NAMES = 3


def summary(rows: Sequence[Row]) -> str:
    """How much the table has, and from which formats."""
    formats = ", ".join(dict.fromkeys(row.format for row in rows))
    metrics, treatments = len({row.metric for row in rows}), len({row.treatment for row in rows})
    return (
        f"{counted(len(rows), 'value')} of {counted(metrics, 'metric')} in {counted(treatments, 'environment')} "
        f"({formats})"
    )


def notes(rows: Sequence[Row], block: Block) -> Iterator[str]:
    """Why comparisons will have no verdict, which values are empty, and what intervals do not contain."""
    treatments = {row.treatment for row in rows}
    blocks: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        if row.value is not None:
            blocks.setdefault(row.metric, {}).setdefault(row.treatment, set()).add(row.block)
    alone = [metric for metric, of in blocks.items() if len(of) == 1]
    if len(treatments) > 1 and alone:
        yield f"{_names(alone)}: this metric is in one environment alone, so it is not compared"
    few = {
        metric
        for metric, of in blocks.items()
        if len(of) > 1 and sorted(map(len, of.values()))[-2] < MIN_BLOCKS  # the best pair has too few
    }
    for origin in Origin:
        formats = dict.fromkeys(row.format for row in rows if row.metric in few and row.origin is origin)
        if formats:
            yield _without_verdict(origin, ", ".join(formats), block)
    if block is Block.REPETITION and any(row.origin is Origin.REPETITION and row.metric not in few for row in rows):
        yield (
            "repetitions of one process are the blocks: intervals do not contain how processes differ; "
            "six files for each environment would show it"
        )
    if empty := sum(row.value is None for row in rows):
        yield f"{counted(empty, 'value')} left empty: failed, or not above 0, which no ratio can have"


def left_out(files: Sequence[Imported]) -> Iterator[str]:
    """Which results of the files are not in the table, and why."""
    for file in files:
        for reason in dict.fromkeys(one.reason for one in file.left_out):
            names = [" ".join(visible(one.benchmark).split()) for one in file.left_out if one.reason == reason]
            yield f"{file.path}: {_names(names)}: left out, because {reason}"


def _without_verdict(origin: Origin, formats: str, block: Block) -> str:
    more = f"import at least {MIN_BLOCKS} files for each environment"
    if origin is Origin.SUMMARY:
        return f"no verdict: the file ({formats}) has a mean and no single values; {more}"
    if origin is Origin.RUN:
        return f"no verdict: a file ({formats}) is one run, and a verdict takes {MIN_BLOCKS}; {more}"
    if block is Block.FILE:
        return f"no verdict: blocks are files ({formats}), and there are fewer than {MIN_BLOCKS}; {more}"
    return f"no verdict: there are fewer than {MIN_BLOCKS} repetitions ({formats}); measure more, or {more}"


def _names(of: Sequence[str]) -> str:
    more = f" and {len(of) - _MOST_NAMES} more" if len(of) > _MOST_NAMES else ""
    return ", ".join(of[:_MOST_NAMES]) + more
