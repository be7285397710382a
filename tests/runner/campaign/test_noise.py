"""A real measurement of noise, and that nothing of it is left."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.errors import Interrupted
from virtometer.host.owned.journal import Journal
from virtometer.model import Plan
from virtometer.runner.campaign import noise

DISK: Document = {
    "name": "disk", "workload": "disk", "op": "random-read", "parameters": {"size": "4K", "direct": False},
}  # fmt: skip
LINPACK: Document = {"name": "linpack", "workload": "linpack", "op": "classic", "parameters": {"size": 50}}


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory for temporary files, and a journal beside it."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    monkeypatch.setattr(noise, "state_directory", lambda: tmp_path / "state")
    return directory


@pytest.fixture
def plan(make_plan: MakePlan) -> Plan:
    places = [{"name": "native", "kind": "native"}, {"name": "native again", "kind": "native"}]
    return make_plan(places, [LINPACK, DISK], blocks=6, fresh="block")


def seen(watcher: Watcher, there: Path, call: Callable[[], None] = lambda: None) -> list[Path]:
    """Directories that existed, and were in the journal, while trials ran; `call` is called after each trial."""
    found: list[Path] = []

    def after_trial() -> None:
        journal = Journal(there.parent / "state")
        entries = [journal.read(path) for path in journal.directory.glob("noise-*.json")]
        paths = [Path(str(one["path"])) for entry in entries if entry is not None for one in entry.resources]
        found.extend(path for path in paths if path.is_dir())
        call()

    watcher.after_trial = after_trial
    return found


def test_native_is_measured_against_baseline_and_nothing_is_left(there: Path, plan: Plan, watcher: Watcher) -> None:
    during = seen(watcher, there)
    found = noise.measure(resolved(plan), "virtometer: 1\n", watcher)
    assert [one.workload for one in found] == ["linpack", "disk"]
    for one in found:
        assert one.blocks == 6, one.reason
        assert one.sd is not None and 0 < one.sd < 5
        assert one.floor is not None and one.floor > 0
        assert one.block_s is not None and 0.1 < one.block_s < 60
        assert one.detectable[30] is not None and one.detectable[30] > 0
    assert len(during) == len(watcher.records) == 24
    assert set(during) == {watcher.directory}
    assert list(there.iterdir()) == []
    assert list((there.parent / "state").iterdir()) == []


def test_nothing_is_left_after_ctrl_c(said: Said, there: Path, plan: Plan, watcher: Watcher) -> None:
    during = seen(watcher, there, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(Interrupted) as caught:
        noise.measure(resolved(plan), "virtometer: 1\n", watcher)
    said(caught.value.sentence)
    assert caught.value.advice == ""
    assert len(during) >= 1
    assert list(there.iterdir()) == []
    assert list((there.parent / "state").iterdir()) == []


def test_a_disk_file_that_does_not_fit_is_left_out(there: Path, plan: Plan, watcher: Watcher) -> None:
    (found,) = noise.measure(
        resolved(plan.model_copy(update={"disk_span": 1 << 44, "blocks": 1})), "virtometer: 1\n", watcher
    )
    assert found.workload == "linpack"
    (sentence,) = [one for one in watcher.sentences if one.startswith("the disk is left out: ")]
    assert str(there) in sentence
