"""A tuning of the host that cannot be undone ends the campaign, and every report says so."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.design.reading import resolved
from tests.runner.fixtures import Watcher
from tests.sentences import Said
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import HostLeftTuned, Interrupted
from virtometer.host.owned.journal import Journal
from virtometer.model import Campaign, TuningState, not_undone
from virtometer.programs import Programs
from virtometer.runner.campaign.execute import begin, resume
from virtometer.runner.lab import context as lab_context
from virtometer.store.ledger import Ledger

PLAN = """\
virtometer: 1
control: false
name: tuned
environments:
  - {name: native, kind: native}
factors:
  - name: host
    levels:
      usual: {}
      tuned: {tuning: [{where: host, STEP}]}
design: {type: full}
workloads:
  - {name: system call, workload: os, op: system-call}
blocks: BLOCKS
seconds: 0.05
fresh: trial
"""
SETTINGS = ("vm/dirty_background_ratio", "vm/dirty_background_bytes", "vm/overcommit_ratio", "vm/overcommit_kbytes")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="settings of the host's kernel need root")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state directory of the test alone: what is left in it would stop every other laboratory.

    What killed laboratories left is removed at the end, also where the test fails.
    """
    monkeypatch.setattr(lab_context, "state_directory", lambda: tmp_path / "state")
    yield tmp_path / "state"
    for file in (tmp_path / "state").glob("tune-*.json"):  # what tests cannot undo
        if "false" in file.read_text():
            file.unlink()
    remove_leftovers(Journal(tmp_path / "state"), Programs())


def values() -> dict[str, str]:
    return {name: Path("/proc/sys", name).read_text().strip() for name in SETTINGS}


@pytest.fixture
def settings() -> Iterator[dict[str, str]]:
    """The values before; they are put back whatever happens."""
    before = values()
    yield before
    for name, value in before.items():
        if value not in ("0", values()[name]):
            Path("/proc/sys", name).write_text(value)


def plan_text(step: str, blocks: int = 2) -> str:
    return PLAN.replace("STEP", step).replace("BLOCKS", str(blocks))


def started(step: str, directory: Path, watcher: Watcher, blocks: int = 2) -> Campaign:
    text = plan_text(step, blocks)
    return begin(resolved(text), text, directory, 1, watcher)


def read(directory: Path) -> Campaign:
    with Ledger.open(directory) as ledger:
        return ledger.read()


def environments(campaign: Campaign) -> list[str]:
    return [record.trial.placements[0].environment for record in campaign.trials]


def test_what_cannot_be_undone_ends_the_campaign_and_every_report_says_so(
    said: Said, tmp_path: Path, state: Path, watcher: Watcher
) -> None:
    directory = tmp_path / "r"
    with pytest.raises(HostLeftTuned, match=r"could not be undone.*'false' ended") as caught:
        started('run: "true", undo: "false"', directory, watcher, blocks=3)
    said(caught.value.sentence)
    campaign = read(directory)
    assert environments(campaign)[-1] == "native host=tuned", "nothing was measured after it"
    assert len(campaign.trials) < len(campaign.planned)
    assert [event.state for event in campaign.tunings] == [TuningState.IN_FORCE, TuningState.LEFT]
    said(json.loads(virtometer("report", directory, "--format", "json").out)["left_tuned"][0])
    left = "The host is not as it was: a tuning"
    assert left in virtometer("report", directory).out
    virtometer("report", directory, "--format", "html", "--out", tmp_path / "page.html")
    assert left in (tmp_path / "page.html").read_text()
    for kind in ("csv", "findings-csv", "samples-csv"):
        outcome = virtometer("report", directory, "--format", kind)
        assert left in outcome.err and left not in outcome.out
    # Neither this campaign nor another measures on such a host.
    for _ in range(2):
        with pytest.raises(HostLeftTuned, match="'false' was to be run"):
            resume(directory, watcher)
        with pytest.raises(HostLeftTuned, match="'false' was to be run"):
            started('run: "true", undo: "true"', tmp_path / "other", watcher)
    assert read(directory).trials == campaign.trials
    assert not (tmp_path / "other").exists()
    # By hand it is put back, and the advice says how the laboratory learns of it.
    with pytest.raises(HostLeftTuned) as caught:
        resume(directory, watcher)
    assert f"{state}/tune-*.json: remove" in caught.value.advice
    said(caught.value.advice, state=state)
    for file in state.glob("tune-*.json"):
        file.unlink()
    with pytest.raises(HostLeftTuned):  # the plan is still the same
        resume(directory, watcher)
    assert len(read(directory).trials) > len(campaign.trials)


def test_the_command_line_ends_with_a_status_of_its_own(tmp_path: Path, state: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(plan_text('run: "true", undo: "false"'))
    outcome = virtometer("run", plan, "--out", tmp_path / "r")
    assert outcome.status == 11
    assert "the tuning of the host could not be undone" in outcome.err
    assert virtometer("resume", tmp_path / "r").status == 11
    assert list(state.glob("tune-*.json"))


@needs_root
@pytest.mark.parametrize(
    ("step", "other"),
    [
        ("sysctl: {vm.dirty_background_bytes: 67108864}", "vm.dirty_background_ratio"),
        ("sysctl: {vm.overcommit_kbytes: 1000000}", "vm.overcommit_ratio"),
    ],
)
def test_a_setting_with_another_form_is_put_back_and_only_its_level_has_it(
    tmp_path: Path, state: Path, watcher: Watcher, settings: dict[str, str], step: str, other: str
) -> None:
    campaign = started(step, tmp_path / "r", watcher)
    assert values() == settings
    assert not_undone(campaign.tunings) == ()
    tuned = {guest.environment: guest.effective.get("tuning") or [] for guest in campaign.guests}
    assert tuned["native host=usual"] == []
    assert [one["what"].startswith(f"sysctl {other}, by ") for one in tuned["native host=tuned"]] == [False, True]
    assert list(state.iterdir()) == []


_LABORATORY = """
import sys
from pathlib import Path
from virtometer import cli
from virtometer.runner.lab import context as lab_context
lab_context.state_directory = lambda: Path(sys.argv[1])
sys.exit(cli.main(sys.argv[2:]))
"""


def laboratory(state: Path, *words: str | Path) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", _LABORATORY, str(state), *map(str, words)]
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop() -> None:
    raise KeyboardInterrupt


@needs_root
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("step", "lasting"),
    [
        ("sysctl: {vm.dirty_background_bytes: 67108864}", False),
        ("sysctl: {vm.overcommit_kbytes: 1000000}", False),
        ('run: "true", undo: "false"', True),
    ],
)
def test_after_a_kill_the_report_says_what_was_in_force_and_the_next_start_what_became_of_it(
    tmp_path: Path, state: Path, settings: dict[str, str], step: str, lasting: bool, kills: int
) -> None:
    """Killed at random moments, mostly while the host is tuned: every kill in the middle of a tuning is known."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(plan_text(step, blocks=60))
    chance = random.Random(7)
    stopping = Watcher()
    stopping.after_trial = stop
    tuned = 0
    for number in range(kills):
        directory = tmp_path / f"r{number}"
        process = laboratory(state, "run", plan, "--out", directory)
        deadline = time.monotonic() + 60
        while not (list(state.glob("tune-*.json")) or process.poll() is not None or time.monotonic() > deadline):
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = list(state.glob("tune-*.json"))
        said = json.loads(virtometer("report", directory, "--format", "json").out)["left_tuned"]
        if left:
            tuned += 1
            assert len(said) == 1 and ("is tuned" in said[0] or "is not as it was" in said[0])
        if lasting and left:
            assert virtometer("resume", directory).status == 11
            said = json.loads(virtometer("report", directory, "--format", "json").out)["left_tuned"]
            assert len(said) == 1 and "is not as it was: a tuning of it could not be undone" in said[0]
        if not lasting:
            with pytest.raises(Interrupted):
                resume(directory, stopping)
            assert values() == settings
            assert list(state.glob("tune-*.json")) == []
            assert json.loads(virtometer("report", directory, "--format", "json").out)["left_tuned"] == []
        for file in state.glob("tune-*.json"):
            file.unlink()
    assert tuned >= kills // 2
