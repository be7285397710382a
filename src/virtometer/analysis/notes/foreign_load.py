"""Where nobody knows what other programs did: a guest worked on the host whose processes the host does not show."""

from __future__ import annotations

from virtometer.analysis.compare.blocks import TreatmentData
from virtometer.analysis.note import Note
from virtometer.counted import counted
from virtometer.model import Campaign


def hidden_guests(campaign: Campaign) -> tuple[str, ...]:
    """The environments that had guests on this host whose CPU time is unknown, by name."""
    return tuple(sorted({one.environment for one in campaign.guests if "foreign_load" in one.effective}))


def notes(data: TreatmentData, hidden: tuple[str, ...]) -> list[Note]:
    """In how many trials of a treatment the guests `hidden` make the foreign load unknown; none without these."""
    unknown = sum(one.host is not None and one.host.foreign is None for one in data.done)
    if not hidden or not unknown:
        return []
    why = f"this host does not show the processes of {' and '.join(hidden)}"
    text = f"the foreign load is unknown in {unknown} of {counted(len(data.done), 'trial')}: {why}"
    return [Note(text, f"the foreign load is unknown: {why}")]
