"""`virtometer study run`: every experiment of a study is a campaign, and a second call goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.sentences import Said
from virtometer.cli.study import experiments
from virtometer.errors import StorageError
from virtometer.model import Failure, FailureKind, TrialRecord
from virtometer.runner.execution.failures import failed
from virtometer.runner.watch import host
from virtometer.store.ledger import Ledger

PLAN = """\
virtometer: 1
name: NAME
control: false
environments:
  - {name: native, kind: native}
  - {name: again, kind: native}
workloads:
  - {name: calls, workload: os, op: system-call}
  - {name: sizes, workload: linpack, op: classic, factors: {size: [10, 20, 400]}}
blocks: 1
seconds: 600
fresh: block
SHORT
"""
SHORT = "short: {seconds: 0.02, workloads: {sizes: {factors: {size: [10, 20]}}}}"
IMPOSSIBLE = PLAN.replace("SHORT", f"{SHORT}\ndisk_span: 16T").replace("os, op: system-call", "disk, op: random-read")


def plan(name: str, text: str = PLAN) -> str:
    return text.replace("NAME", name).replace("SHORT", SHORT)


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the plans of klein2008, with two experiments."""
    folder = tmp_path / "plans" / "studies" / "klein2008"
    folder.mkdir(parents=True)
    monkeypatch.setattr(experiments, "built_in_folder", lambda: tmp_path / "plans")
    for name in ("calls", "solving"):
        (folder / f"{name}.yaml").write_text(plan(name))
    return folder


def run(results: Path, *words: str) -> tuple[int, str, str]:
    outcome = virtometer("study", "run", "klein2008", *words, "--out", str(results))
    return outcome.status, outcome.out, outcome.err


def left(directory: Path) -> int:
    with Ledger.open(directory) as ledger:
        return len(ledger.read().planned) - len(ledger.finished())


def failures(directory: Path) -> int:
    with Ledger.open(directory) as ledger:
        return sum(record.at_fault for record in ledger.read().trials)


def test_each_experiment_is_a_campaign_and_the_study_has_a_page(said: Said, plans: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    status, out, _ = run(results, "--short")
    assert status == 0
    assert {path.name for path in results.iterdir()} == {"calls", "solving", "klein2008.html"}
    assert [left(results / name) for name in ("calls", "solving")] == [0, 0]
    assert "klein2008" in (results / "klein2008.html").read_text(encoding="utf-8")
    said(out.partition("\n\n")[0], results=results)
    # A second call measures nothing again.
    before = (results / "calls" / "ledger.sqlite").read_bytes()
    status, out, _ = run(results, "--short")
    assert status == 0 and (results / "calls" / "ledger.sqlite").read_bytes() == before
    said(out, results=results)


def begun(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop a run after its first trial."""
    record = Ledger.record

    def stopped(self: Ledger, *given: object, **more: object) -> None:
        record(self, *given, **more)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "record", stopped)
        assert run(results, "--short")[0] == 130


def test_what_was_interrupted_goes_on(plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "results"
    begun(results, monkeypatch)
    measured = left(results / "calls")
    assert measured > 0 and not (results / "solving").exists()
    status, out, _ = run(results, "--short")
    assert status == 0
    with Ledger.open(results / "calls") as ledger:
        planned = len(ledger.read().planned)
    (of_rest,) = (line for line in out.splitlines() if line.startswith("calls: about"))
    assert f"{measured} of {planned} trials" in of_rest
    assert [left(results / name) for name in ("calls", "solving")] == [0, 0]


def test_an_experiment_that_this_host_cannot_do_leaves_the_others(plans: Path, tmp_path: Path) -> None:
    (plans / "calls.yaml").write_text(plan("calls", IMPOSSIBLE))
    results = tmp_path / "results"
    status, out, _ = run(results, "--short")
    assert status == 3
    assert "calls.yaml" in out and not (results / "calls").exists()
    assert left(results / "solving") == 0


def test_some_experiments_may_be_named(plans: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert run(results, "Solving", "--short")[0] == 0
    assert not (results / "calls").exists() and left(results / "solving") == 0


def test_two_forms_are_not_mixed_in_a_folder(said: Said, plans: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert run(results, "calls", "--short")[0] == 0
    status, _, err = run(results, "calls")
    assert status == 2
    said(err, results=results)


def test_an_unknown_experiment_has_its_neighbours(said: Said, plans: Path, tmp_path: Path) -> None:
    status, _, err = run(tmp_path / "results", "solve")
    assert status == 2 and not (tmp_path / "results").exists()
    said(err)


def test_a_study_without_experiments_says_so(said: Said, plans: Path) -> None:
    outcome = virtometer("study", "run", "appel2008")
    assert outcome.status == 2
    said(outcome.err)


def test_campaigns_of_two_studies_are_not_mixed_in_a_folder(said: Said, plans: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert run(results, "calls", "--short")[0] == 0
    (plans / "calls.yaml").write_text(plan("another study's calls"))
    status, _, err = run(results, "calls", "--short")
    assert status == 2
    said(err, results=results)


def test_an_experiment_of_a_damaged_campaign_leaves_the_others(plans: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    (results / "calls").mkdir(parents=True)
    (results / "calls" / "ledger.sqlite").write_bytes(b"no ledger")
    status, out, err = run(results, "--short")
    assert status == 4 and "ledger.sqlite" in err and out.count("calls: ") == 1
    assert left(results / "solving") == 0
    assert "klein2008 solving" in (results / "klein2008.html").read_text(encoding="utf-8")
    # Another experiment does not need it.
    status, out, err = run(results, "solving", "--short")
    assert status == 0 and "calls" not in out
    assert len([line for line in err.splitlines() if str(results / "calls" / "ledger.sqlite") in line]) == 1


def test_an_experiment_of_another_host_leaves_the_others(
    plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results"
    begun(results, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(host, "changed", lambda *_: ["its processor"])
        status, out, _ = run(results, "--short")
    assert status == 5 and "its processor" in out
    assert left(results / "calls") > 0 and left(results / "solving") == 0


def test_a_full_disk_ends_all(plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("no space")

    monkeypatch.setattr(Ledger, "record", full)
    assert run(tmp_path / "results", "--short")[0] == 7
    assert not (tmp_path / "results" / "solving").exists()


def test_failed_trials_are_told_and_measured_again_on_request(
    said: Said, plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results"
    record = Ledger.record

    def first_fails(self: Ledger, records: Sequence[TrialRecord], *given: object, **more: object) -> None:
        made = [
            failed(one.trial, Failure(FailureKind.GUEST, "it ended", 0), one.started_at, 0.1)
            if one.trial.index == 0
            else one
            for one in records
        ]
        record(self, made, *given, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "record", first_fails)
        assert run(results, "--short")[0] == 9
    assert left(results / "solving") == 0
    status, out, err = run(results, "calls", "--short")
    assert status == 9 and failures(results / "calls") == 1
    said(out, results=results)
    said(err, results=results)
    status, out, _ = run(results, "calls", "--short", "--failed")
    assert status == 0 and failures(results / "calls") == 0
    assert "for 1 of " in out
    assert failures(results / "solving") == 1


def test_an_experiment_without_a_plan_is_refused(said: Said, plans: Path, tmp_path: Path) -> None:
    status, _, err = run(tmp_path / "results", "calls", "MPI-IO", "--short")
    assert status == 2 and not (tmp_path / "results").exists()
    said(err)
