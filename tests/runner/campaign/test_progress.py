"""What a campaign reports to its observers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.campaigns import campaign
from virtometer.runner.campaign.progress import Progress


def test_what_shows_nothing_takes_everything(capsys: pytest.CaptureFixture[str]) -> None:
    of, silent = campaign(1), Progress()
    silent.cleaned_up(["a mount"])
    silent.stage("looking")
    silent.begun(Path("r"), of.plan, of.planned, 0)
    silent.guest_starting("native")
    silent.trial_started(of.planned[0])
    silent.message("something")
    assert capsys.readouterr() == ("", "")
