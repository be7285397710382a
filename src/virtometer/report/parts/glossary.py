"""What the further measures of a run mean, for readers of a report who do not know the kernels."""

from __future__ import annotations

from collections.abc import Iterable

from virtometer import agent_table
from virtometer.analysis.groups.further import MEANINGS
from virtometer.analysis.score.tool_measures import TOOL_MEASURES


def glossary(names: Iterable[str]) -> list[tuple[str, str]]:
    """These measures with what they mean, in alphabetical order; those that are not known are left out."""
    known = {**agent_table.meanings(), **{name: one.meaning for name, one in TOOL_MEASURES.items()}, **MEANINGS}
    return [(name, known[name]) for name in sorted(set(names) & known.keys())]
