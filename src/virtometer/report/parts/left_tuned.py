"""What a campaign's ledger says of the host: whether a tuning of it was not undone."""

from __future__ import annotations

from virtometer.model import Campaign, TuningState, not_undone


def left_tuned(campaign: Campaign) -> list[str]:
    """A sentence for each tuning of the host of which the ledger does not say that it was undone."""
    return [
        f"The host is not as it was: a tuning of it could not be undone ({event.what})."
        if event.state is TuningState.LEFT
        else f"The host is tuned ({event.what}), and nothing says yet that this was undone. Where the laboratory was "
        "killed, the next start of one undoes it."
        for event in not_undone(campaign.tunings)
    ]
