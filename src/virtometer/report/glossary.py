"""What the further measures of a run mean, for readers of a report who do not know the kernels."""

from __future__ import annotations

from collections.abc import Iterable

from virtometer import agent_table

# Those that the laboratory makes. The agent's table says what the agent's own mean.
OF_TOOLS = {
    "tool-by-stopwatch": "the tool's work by the host's time around the whole program",
    "tool-corrected": "the tool's number corrected by the rate of the guest's clock",
    "tool-says": "the tool's number as it said it",
}


def glossary(names: Iterable[str]) -> list[tuple[str, str]]:
    """These measures with what they mean, in alphabetical order; those that are not known are left out."""
    known = {**agent_table.meanings(), **OF_TOOLS}
    return [(name, known[name]) for name in sorted(set(names) & known.keys())]
