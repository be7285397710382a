"""Where nobody knows what other programs did: a guest worked on the host whose processes the host does not show."""

from __future__ import annotations

from virtometer.analysis.compare.blocks import Cell
from virtometer.analysis.note import Note
from virtometer.counted import counted
from virtometer.model import Campaign


def hidden_guests(campaign: Campaign) -> tuple[str, ...]:
    """The environments that had guests on this host whose CPU time is unknown, by name."""
    return tuple(sorted({one.environment for one in campaign.guests if "foreign_load" in one.effective}))


def notes(cell: Cell, hidden: tuple[str, ...]) -> list[Note]:
    """In how many trials of a cell the foreign load is unknown, because of the guests `hidden`; none without these."""
    unknown = sum(one.host is not None and one.host.foreign is None for one in cell.done)
    if not hidden or not unknown:
        return []
    why = f"this host does not show the processes of {' and '.join(hidden)}"
    text = f"the foreign load is unknown in {unknown} of {counted(len(cell.done), 'trial')}: {why}"
    return [Note(text, f"the foreign load is unknown: {why}")]
