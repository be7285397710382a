"""The conclusion of a campaign that ran, as `run` and `resume` have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.profile_campaigns import COUNTS, priced, timed
from tests.cli.laboratory import stored
from virtometer.analysis.profile.counts import Counts
from virtometer.cli import campaign
from virtometer.cli.parts.profiled import COUNTS as FILE
from virtometer.cli.parts.profiled import OPERATIONS


@pytest.mark.parametrize("profiled", [True, False])
def test_the_page_keeps_the_profile(tmp_path: Path, profiled: bool) -> None:
    whole = timed(0.25)
    stored(whole, tmp_path / "out")
    if profiled:
        (tmp_path / "out" / FILE).write_text(Counts.text_of({"one": COUNTS}))
        stored(priced(computing=1.0, calls=0.1), tmp_path / "out" / OPERATIONS)
    analyses: list[int] = []
    campaign.execute(tmp_path / "out", lambda _: whole, lambda analysis: analyses.append(len(analysis.profiles)))
    assert analyses == [int(profiled)]
    assert ('id="profiles"' in (tmp_path / "out" / "report.html").read_text()) == profiled
