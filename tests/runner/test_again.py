"""Trials that are measured again, and campaigns that cannot go on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runner.conftest import Rogue
from tests.runner.fixtures import MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.environments.base import Guest, Settings
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed, HostChanged, StorageError
from virtometer.host.owned.journal import Journal
from virtometer.model import Failure, FailureKind, MarkKind, Placement, Trial, TrialRecord
from virtometer.runner.campaign import execute as campaigns
from virtometer.runner.campaign.execute import begin, resume
from virtometer.runner.execution.failures import failed
from virtometer.runner.lab import context as contexts
from virtometer.runner.lab.agent import agent_path
from virtometer.store.ledger import Ledger

NATIVE = {"name": "native", "kind": "native"}


class Sick(Rogue):
    """Starts only where the file `well` exists."""

    kind = "sick"
    title = "sick"
    well = ""

    def start(self, settings: Settings, guest_id: str) -> Guest:
        if not Path(self.well).exists():
            raise EnvironmentFailed("it is ill")
        return super().start(settings, guest_id)


class OpenJournal(Journal):
    """Takes a directory that others can write."""

    def refuse_foreign_directory(self) -> None:
        pass


@pytest.fixture
def well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "well"
    monkeypatch.setattr(Sick, "well", str(path))
    monkeypatch.setitem(KINDS, "sick", Sick)
    return path


def test_failed_trials_are_measured_again_when_asked_for(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, well: Path
) -> None:
    plan = make_plan([NATIVE, {"name": "sick", "kind": "sick"}], blocks=2)
    first = begin(resolved(plan), "", tmp_path / "c", 1, watcher)
    assert sorted(record.status for record in first.trials) == ["done", "done", "failed", "failed"]
    assert resume(tmp_path / "c", watcher).trials == first.trials
    well.touch()
    again = resume(tmp_path / "c", watcher, failed=True)
    assert [record.status for record in again.trials] == ["done"] * 4
    marks = set()
    for before, now in zip(first.trials, again.trials, strict=True):
        assert (before == now) == (before.status == "done")
        if before.status == "failed":
            # A busy host leaves marks of its own.
            (mark,) = (mark for mark in now.marks if mark.kind is MarkKind.AGAIN)
            marks.add(str(mark))
    [text] = marks
    assert text.endswith("(it is ill)")
    said(text)
    assert resume(tmp_path / "c", watcher, failed=True).trials == again.trials


def test_what_cannot_be_done_here_is_not_tried_again(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, well: Path
) -> None:
    well.touch()
    plan = make_plan(
        [NATIVE, {"name": "sick", "kind": "sick"}],
        workloads=[{"name": "disk", "workload": "disk", "op": "random-read"}],
    )
    first = begin(resolved(plan), "", tmp_path / "c", 1, watcher)
    (failed,) = (record for record in first.trials if record.status == "failed")
    assert (failed.unavailable, failed.at_fault) == (True, False)
    assert resume(tmp_path / "c", watcher, failed=True).trials == first.trials


@pytest.mark.parametrize(
    ("kind", "reason", "unavailable"),
    [
        (FailureKind.UNAVAILABLE, "no disk", True),
        (FailureKind.AGENT, "the agent says internal: not available here: no disk", False),
        (FailureKind.GUEST, "the guest ended in the middle of the trial: sick: not available here: no disk", False),
        (FailureKind.GUEST, "not available here: no disk", False),
        (FailureKind.START, "sick: not available here: no disk", False),
    ],
)
def test_only_the_laboratory_says_that_something_cannot_be_done_here(
    kind: FailureKind, reason: str, unavailable: bool
) -> None:
    trial = Trial(0, 1, 1, 0, (Placement("sick", "disk"),))
    for placement in (None, 0):
        record = failed(trial, Failure(kind, reason, placement), "", 0.1)
        assert (record.unavailable, record.at_fault) == (unavailable, not unavailable)


@pytest.mark.parametrize("fresh", ["trial", "block"])
def test_a_campaign_without_a_baseline_stops(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, well: Path, fresh: str
) -> None:
    plan = make_plan([{"name": "sick", "kind": "sick"}, NATIVE], blocks=8, fresh=fresh)
    with pytest.raises(EnvironmentFailed, match="the baseline sick does not start") as caught:
        begin(resolved(plan), "", tmp_path / "c", 1, watcher)
    said(caught.value.sentence)
    with Ledger.open(tmp_path / "c") as ledger:
        records = ledger.read().trials
    assert sum(record.status == "failed" for record in records) == 2
    assert len(records) < 8
    well.touch()
    assert {record.status for record in resume(tmp_path / "c", watcher, failed=True).trials} == {"done"}


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_campaign_whose_directory_goes_away_stops(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    def goes_away(record: TrialRecord, *rest: object) -> None:
        ledger = tmp_path / "c" / "ledger.sqlite"
        if how == "replaced":
            shutil.copy(ledger, tmp_path / "other")
            (tmp_path / "other").rename(ledger)
        else:
            ledger.unlink()

    monkeypatch.setattr(watcher, "trial_finished", goes_away)
    with pytest.raises(StorageError, match="was removed or replaced") as caught:
        begin(resolved(make_plan([NATIVE], blocks=5)), "", tmp_path / "c", 1, watcher)
    said(caught.value.sentence, directory=tmp_path / "c")


def test_the_agent_of_a_campaign_stays_the_same(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The built agent is removed after the first trial, as `make clean` does it."""
    built = tmp_path / "virtometer-agent"
    shutil.copy(agent_path(), built)
    monkeypatch.setenv("VIRTOMETER_AGENT", str(built))
    monkeypatch.setattr(watcher, "trial_finished", lambda *rest: built.unlink(missing_ok=True))
    found = begin(resolved(make_plan([NATIVE], blocks=4)), "", tmp_path / "c", 1, watcher)
    assert [record.status for record in found.trials] == ["done"] * 4
    assert not built.exists()


@pytest.mark.parametrize("cache_mode", [0o700, 0o777])
def test_the_agent_of_a_campaign_lies_where_nobody_else_can_replace_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_mode: int
) -> None:
    """The directory of the results may be another user's; so may be that of the state or the cache."""
    results, cache, state = tmp_path / "results", tmp_path / "cache", tmp_path / "state"
    for directory, mode in ((results, 0o777), (cache, cache_mode), (state, 0o777)):
        directory.mkdir()
        directory.chmod(mode)
    monkeypatch.setattr(contexts, "cache_directory", lambda: cache)
    monkeypatch.setattr(contexts, "Journal", lambda directory: OpenJournal(state))
    with contexts.lab_context(results) as lab:
        assert not lab.agent.is_relative_to(results)
        if cache_mode == 0o700:
            assert lab.agent.parent.parent == cache
            assert lab.agent.parent.stat().st_mode & 0o777 == 0o700
            assert {"resource": "directory", "path": str(lab.agent.parent)} in lab.journal.resources(lab.scratch.name)
        else:
            assert lab.agent == agent_path()
    assert [*results.iterdir(), *cache.iterdir(), *state.iterdir()] == []


def test_an_agent_that_is_replaced_while_the_campaign_begins_is_noticed(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns, "agent_digest", _changing())
    with pytest.raises(HostChanged, match="the agent was replaced"):
        begin(resolved(make_plan([NATIVE])), "", tmp_path / "c", 1, watcher)


def _changing() -> Callable[[Path], str]:
    digests = iter(["a" * 64, "b" * 64])
    return lambda path: next(digests)
