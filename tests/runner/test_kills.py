"""The laboratory is killed with SIGKILL at random moments of a real campaign, resumed, and its ledger compared."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.kills import PLAN, KilledLaboratory
from tests.runner.fixtures import MakePlan, Watcher, resolved
from virtometer.runner.campaign.execute import begin, resume
from virtometer.runner.lab import context as lab_context


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("kills", "seed"), [(4, 20), pytest.param(200, 21, marks=pytest.mark.slow)])
def test_no_kill_loses_or_repeats_a_trial_or_leaves_anything_behind(kills: int, seed: int, tmp_path: Path) -> None:
    outcome = KilledLaboratory(tmp_path, PLAN, seed, longest_s=6.0).run(kills)
    assert outcome.kills == kills
    assert outcome.trials > 0
    assert outcome.faults == []
    assert outcome.left == []


DIES = """
import os, signal, sys
from pathlib import Path
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal
Journal(Path(sys.argv[2])).record(f"test-{os.getpid()}", DIRECTORY, path=sys.argv[1])
Path(sys.argv[1]).mkdir()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.usefixtures("rogue_kind")
def test_the_next_start_cleans_up_also_when_every_trial_was_already_recorded(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, left = tmp_path / "state", tmp_path / "left"
    monkeypatch.setattr(lab_context, "state_directory", lambda: state)
    campaign = begin(resolved(make_plan([{"name": "good", "kind": "rogue"}])), "", tmp_path / "c", 1, watcher)
    assert subprocess.run([sys.executable, "-c", DIES, left, state], check=False).returncode == -9
    assert left.is_dir()
    assert resume(tmp_path / "c", watcher).trials == campaign.trials
    assert not left.exists()
    assert any(str(left) in sentence for sentence in watcher.sentences)
