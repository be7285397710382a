"""Notes in full, and in the words that cells of a table share."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, finding_of, simulate
from tests.sentences import Said
from virtometer.model import Mark, MarkKind

STEAL = (Mark(MarkKind.STEAL, "7%"),)


def test_a_table_says_of_the_baseline_once_what_each_comparison_says_in_full(said: Said) -> None:
    campaign = simulate([Place("native"), Place("box")], blocks=2, marks=dict.fromkeys(range(4), STEAL))
    baseline, box = finding_of(campaign, "native"), finding_of(campaign, "box")
    assert baseline.shown_notes == ("trials marked as disturbed, and kept: steal",)
    assert box.shown_notes[0] == baseline.shown_notes[0], "one footnote"
    assert [note for note in box.shown_notes if "native" in note] == []
    (note,) = [note for note in box.notes if "in native" in note]
    assert note.startswith("2 of 2 trials in native ")
    said(note)
    assert "2 of 2 trials marked as disturbed, and kept: steal" in box.notes
