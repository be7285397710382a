"""The laboratory is killed with SIGKILL at random moments of a real campaign, resumed, and its ledger compared."""

from pathlib import Path

import pytest

from bench.kills import PLAN, KilledLaboratory


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("kills", "seed"), [(10, 20), pytest.param(200, 21, marks=pytest.mark.slow)])
def test_no_kill_loses_or_repeats_a_trial_or_leaves_anything_behind(kills: int, seed: int, tmp_path: Path) -> None:
    outcome = KilledLaboratory(tmp_path, PLAN, seed, longest_s=6.0).run(kills)
    assert outcome.kills == kills
    assert outcome.trials > 0
    assert outcome.faults == []
    assert outcome.left == []
