"""Notes where the load of other programs is unknown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, finding_of, simulate
from tests.sentences import Said
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.notes.foreign_load import hidden_guests, notes
from virtometer.model import Campaign, GuestStart, HostUse

USE = HostUse(1.0, *(0.0,) * 8, foreign=0.1)


def campaign_of(unknown: Collection[int], effective: dict[str, str]) -> Campaign:
    """Two environments, with trials by their index whose foreign load is unknown."""
    made = simulate([Place("native"), Place("box")])
    trials = tuple(
        replace(one, host=replace(USE, foreign=None if one.trial.index in unknown else 0.1)) for one in made.trials
    )
    start = GuestStart("a-guest", "box", "libvirt", {}, effective, 1.0, "2026-01-01T00:00:00Z")
    return replace(made, trials=trials, guests=(start,))


def test_trials_beside_a_hidden_guest_are_noted(said: Said) -> None:
    everything = range(1000)
    campaign = campaign_of(everything, {"foreign_load": "unknown: no process is shown"})
    assert hidden_guests(campaign) == ("box",)
    for name in ("native", "box"):
        (note,) = [one for one in finding_of(campaign, name).notes if "foreign load" in one]
        assert note.startswith("the foreign load is unknown in ")
        assert note.endswith(": this host does not show the processes of box")
    data = by_treatment(campaign)["memory triad 64 MB", "box"]
    some = campaign_of([data.done[0].trial.index], {"foreign_load": "unknown: no process is shown"})
    (one,) = notes(by_treatment(some)["memory triad 64 MB", "box"], ("box",))
    assert one.text.startswith(f"the foreign load is unknown in 1 of {len(data.done)} trials: ")
    said(one.brief)


def test_what_an_older_version_did_not_watch_is_no_hidden_guest() -> None:
    campaign = campaign_of(range(1000), {})
    assert hidden_guests(campaign) == ()
    assert not [one for one in finding_of(campaign, "box").notes if "foreign load" in one]
    known = campaign_of([], {"foreign_load": "unknown: no process is shown"})
    assert not [one for one in finding_of(known, "box").notes if "foreign load" in one]
