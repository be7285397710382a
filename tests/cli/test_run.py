"""Campaigns through the command line, on the real agent: run, stop, resume, report."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.laboratory import PROGRAM, drained, line_with, program, virtometer
from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.conclude import busy_host, comparisons
from virtometer.model import Campaign
from virtometer.store.ledger import Ledger

PLAN = """\
virtometer: 1
control: false
name: two of a kind
environments:
  - {name: native, kind: native}
  - {name: again, kind: native}
workloads:
  - {name: a system call, workload: os, op: system-call}
  - {name: a small system, workload: linpack, op: classic, parameters: {size: 50}}
blocks: BLOCKS
seconds: 0.02
fresh: FRESH
"""


def written(directory: Path, blocks: int, fresh: str = "trial") -> Path:
    path = directory / "plan.yaml"
    path.write_text(PLAN.replace("BLOCKS", str(blocks)).replace("FRESH", fresh))
    return path


def read(directory: Path) -> Campaign:
    with Ledger.open(directory) as ledger:
        return ledger.read()


def started(plan: Path, out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PROGRAM, "run", plan, "--out", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=out.parent
    )


def wait_for_trials(process: subprocess.Popen[str], number: int) -> None:
    """Read the progress of a laboratory until so many trials are in its ledger."""
    assert process.stderr is not None
    for line in process.stderr:
        if f"trial {number}/" in line:
            return
    raise AssertionError("the laboratory ended before")


def test_run_prints_the_table_and_last_where_the_report_is(tmp_path: Path) -> None:
    outcome = program("run", written(tmp_path, 8, "block"), "--out", tmp_path / "r", "--seed", "5", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[-1] == f"report: {tmp_path / 'r' / 'report.html'}"
    assert "a system call" in outcome.out
    assert "comparisons with native" in outcome.out
    assert f"results: {tmp_path / 'r'}; 32 trials in 8 blocks" in outcome.err
    assert [int(found) for found in re.findall(r"trial (\d+)/32", outcome.err)] == list(range(1, 33))
    assert re.search(r"block 8/8, trial 32/32, .*, 0:00 left", outcome.err)
    assert re.search(r"efficiency so far [\d.]+ \[", outcome.err)
    campaign = read(tmp_path / "r")
    assert campaign.seed == 5
    assert [record.trial for record in campaign.trials] == list(campaign.planned)
    assert all(record.status == "done" for record in campaign.trials), [record.reason for record in campaign.trials]
    assert campaign.plan_text == (tmp_path / "plan.yaml").read_text() == (tmp_path / "r" / "plan.yaml").read_text()
    html = (tmp_path / "r" / "report.html").read_text()
    assert "a small system" in html

    # The report again, from the directory alone.
    (tmp_path / "r" / "report.html").unlink()
    again = virtometer("report", tmp_path / "r")
    assert (again.status, again.out.splitlines()[:-1], again.err) == (0, lines[:-1], "")
    assert not (tmp_path / "r" / "report.html").exists()
    found = json.loads(virtometer("report", tmp_path / "r", "--format", "json").out)
    assert {"findings", "effects", "environments", "trials", "host", "plan", "versions"} <= set(found)
    assert len(found["trials"]) == 32
    for kind in ("csv", "findings-csv", "groups-csv", "matrices-csv", "samples-csv", "probes-csv"):
        text = virtometer("report", tmp_path / "r", "--format", kind).out  # test_report.py has the same in a file
        assert text.count("\n") > 4 or (kind in ("groups-csv", "matrices-csv") and text.count("\n") == 1)
    assert virtometer("report", tmp_path / "r", "--format", "html").out == f"{tmp_path / 'r' / 'report.html'}\n"
    assert (tmp_path / "r" / "report.html").read_text() == html
    refused = virtometer("report", tmp_path / "r", "--format", "csv", "--out", tmp_path / "none" / "x.csv")
    assert refused.status == 4

    # A campaign that is complete has nothing to go on with, and says what it found.
    resumed = virtometer("resume", tmp_path / "r")
    assert (resumed.status, resumed.out) == (0, outcome.out)
    assert read(tmp_path / "r") == campaign


def test_the_results_directory_without_out_and_blocks_from_the_command_line(tmp_path: Path) -> None:
    outcome = program("run", written(tmp_path, 500), "--blocks", "1", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    (made,) = (tmp_path / "results").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z-two-of-a-kind", made.name)
    assert outcome.out.splitlines()[-1] == f"report: results/{made.name}/report.html"
    campaign = read(made)
    assert len(campaign.trials) == len(campaign.planned) == 4
    assert campaign.plan.blocks == 1
    assert "blocks: 500" in campaign.plan_text


def test_a_part_of_a_plan_is_all_that_its_campaign_knows(said: Said, tmp_path: Path) -> None:
    plan = written(tmp_path, 2)
    plan.write_text(plan.read_text().replace("workloads:", "  - {name: third, kind: native}\nworkloads:"))
    words = ["--only", "a system call", "--in", "third"]
    outcome = program("run", plan, "--out", tmp_path / "r", "--seed", "3", *words)
    assert outcome.status == 0, outcome.err
    campaign = read(tmp_path / "r")
    assert [workload.name for workload in campaign.plan.workloads] == ["a system call"]
    assert [environment.name for environment in campaign.plan.environments] == ["native", "third"]
    treatments = {(place.environment, place.workload) for trial in campaign.planned for place in trial.placements}
    assert treatments == {("native", "a system call"), ("third", "a system call")}
    assert len(campaign.trials) == len(campaign.planned) == 4
    comment, _, below = campaign.plan_text.partition("\n")
    assert below == plan.read_text()
    assert all(name in comment for name in ("'a system call'", "'native'", "'third'"))
    said(comment)
    assert "a small system" not in outcome.out

    resumed = virtometer("resume", tmp_path / "r")
    assert (resumed.status, resumed.out) == (0, outcome.out)


def test_a_resumed_campaign_measures_its_part_of_the_plan_alone(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [PROGRAM, "run", written(tmp_path, 20), "--out", tmp_path / "r", "--only", "a system call", "--in", "again"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for_trials(process, 3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    before = read(tmp_path / "r")
    assert 3 <= len(before.trials) < 40
    resumed = program("resume", tmp_path / "r")
    assert resumed.status == 0, resumed.err
    after = read(tmp_path / "r")
    assert after.planned == before.planned
    assert [record.trial for record in after.trials] == list(before.planned)
    assert {place.workload for trial in after.planned for place in trial.placements} == {"a system call"}


def test_the_quick_plan_can_be_chosen_from(said: Said, tmp_path: Path) -> None:
    words = ["--quick", "--only", "system call", "--in", "native", "--blocks", "1"]
    outcome = program("run", *words, "--out", tmp_path / "r")
    assert outcome.status == 0, outcome.err
    campaign = read(tmp_path / "r")
    assert [one.name for one in campaign.plan.environments] == ["native"]
    assert [one.name for one in campaign.plan.workloads] == ["system call"]
    refused = program("run", "--quick", "--only", "sistem call", "--out", tmp_path / "none")
    assert (refused.status, refused.out) == (2, "")
    first, second = refused.err.splitlines()
    assert "'sistem call'" in first and first.endswith("'system call'?")
    said(first)
    assert second.startswith("virtometer: its workloads: 'cpu linpack 100', ")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("number", "fresh"), [(signal.SIGINT, "trial"), (signal.SIGTERM, "block"), (signal.SIGHUP, "trial")]
)
def test_stopped_and_resumed_with_the_command_that_it_names(tmp_path: Path, number: signal.Signals, fresh: str) -> None:
    process = started(written(tmp_path, 6, fresh), tmp_path / "r")
    wait_for_trials(process, 5)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    kept = re.search(r"^virtometer: stopped: (\d+) of 24 trials are kept in (.*)$", err, re.MULTILINE)
    assert kept
    assert kept[2] == str(tmp_path / "r")
    before = read(tmp_path / "r")
    assert 5 <= int(kept[1]) == len(before.trials) < 24
    assert "Traceback" not in err

    command = re.search(r"^virtometer: go on with: (virtometer .*)$", err, re.MULTILINE)
    assert command
    outcome = program(*shlex.split(command[1])[1:], cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert f"24 trials in 6 blocks, {kept[1]} of them done before" in outcome.err
    after = read(tmp_path / "r")
    assert after.trials[: len(before.trials)] == before.trials
    assert [record.trial for record in after.trials] == list(after.planned)


def test_stopped_before_anything_was_measured(tmp_path: Path) -> None:
    process = started(written(tmp_path, 10), tmp_path / "r")
    status = Path(f"/proc/{process.pid}/status")
    wait_until(lambda: _handles(status.read_text(), signal.SIGHUP))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("virtometer: stopped")
    assert "Traceback" not in err


def _handles(status: str, number: signal.Signals) -> bool:
    caught = re.search(r"^SigCgt:\s+([0-9a-f]+)$", status, re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def test_a_storm_of_ctrl_c_from_a_terminal_leaves_nothing_behind(tmp_path: Path) -> None:
    """A terminal sends the signal to the whole foreground group, and people press the keys more than once."""
    plan, out = written(tmp_path, 200), tmp_path / "out"
    process = subprocess.Popen(
        [PROGRAM, "run", plan, "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    wait_for_trials(process, 5)
    for _ in range(20):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.005)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "are kept in" in said
    assert "Traceback" not in said
    assert not [path.name for path in out.iterdir() if path.name.startswith("work-")]
    assert len(read(out).trials) >= 5


def test_a_second_laboratory_is_kept_out_and_a_report_is_not(tmp_path: Path) -> None:
    process = started(written(tmp_path, 300), tmp_path / "r")
    try:
        wait_for_trials(process, 2)
        second = virtometer("resume", tmp_path / "r")
        assert second.status == 4
        assert f"another laboratory (process {process.pid}) works in {tmp_path / 'r'}" in second.err
        assert virtometer("report", tmp_path / "r").status == 0
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_the_display_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal: block, trial, time left, running estimates; afterwards the cursor is back."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "run", written(tmp_path, 8, "block"), "--out", tmp_path / "r"],
        stdin=slave, stdout=subprocess.PIPE, stderr=slave, text=True,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"},
    )  # fmt: skip
    os.close(slave)
    shown = drained(master, lambda: process.poll() is not None)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, shown
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert re.search(r"checking native, since \d\d:\d\d:\d\d", plain)
    assert re.search(r"starting (native|again), since \d\d:\d\d:\d\d", plain)
    assert re.search(r"block 1/8 +trial 1/32", plain)
    assert re.search(r"trial 32/32 .* 0:0\d left\s+a s\w+ (system|call) in (native|again)", plain)
    assert re.search(r"efficiency so far +native +again", plain)
    assert re.search(r"a system call +1 +[\d.]+ \[[\d.]+, [\d.]+\]", plain)
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1
    assert out.splitlines()[-1].startswith("report: ")


def test_a_host_that_changed_is_status_5(tmp_path: Path) -> None:
    virtometer("run", written(tmp_path, 1), "--out", tmp_path / "r")
    of = read(tmp_path / "r")
    shutil.rmtree(tmp_path / "r")
    elsewhere = replace(of, host={**of.host, "cpu_model": "another processor"}, trials=(), guests=(), commands=())
    with Ledger.create(tmp_path / "r", elsewhere) as ledger:
        ledger.record(of.trials, of.guests, of.commands)
    outcome = virtometer("resume", tmp_path / "r")
    assert (outcome.status, outcome.out) == (5, "")
    assert "another processor" in outcome.err
    assert virtometer("report", tmp_path / "r").status == 0


def test_a_precision_fixes_further_blocks_once_and_more_are_a_stage_of_their_own(tmp_path: Path) -> None:
    """The real rule on real noise: whatever it finds, it is measured, and each comparison is in one of four states."""
    directory = tmp_path / "results"
    ended = program("run", written(tmp_path, 9, "block"), "--precision", "1%", "--out", directory)
    assert ended.status == 0, ended.err
    first = read(directory)
    assert {trial.block for trial in first.planned[:24]} == set(range(6)), "six blocks, whatever the plan says"
    (stage,) = first.stages
    assert (stage.first_trial, stage.trials) == (24, len(first.planned) - 24)
    decided_on = replace(first, trials=first.trials[:24])
    table = by_treatment(decided_on)
    disturbed = busy_host(decided_on, table, comparisons(decided_on, table))  # more blocks decide nothing there
    for workload in ("a system call", "a small system"):
        later = [
            one for one in first.trials
            if one.trial.block >= 6
            and (one.trial.placements[0].workload, one.trial.placements[0].environment) == (workload, "again")
        ]  # fmt: skip
        assert len(later) == stage.blocks.get((workload, "again"), 0) <= 9 * 6
        if not later and (workload, "again") not in {*stage.beyond, *disturbed}:
            ratio = next(
                one.decisive for one in analyse(first).findings if (one.workload, one.subject) == (workload, "again")
            )
            assert ratio is not None and ratio.low is not None and ratio.high is not None
            assert (ratio.high / ratio.low) ** 0.5 < 1.018, "1 %, and at most 1.8 times as wide"
    ended = program("resume", directory, "--more", "2")
    assert ended.status == 0, ended.err
    second = read(directory)
    assert second.trials[: len(first.trials)] == first.trials
    assert second.stages[0] == stage and len(second.stages) == 2
    assert all(count <= 2 for count in second.stages[1].blocks.values())
    assert len(second.trials) == len(first.trials) + second.stages[1].trials


def test_a_budget_that_the_first_blocks_exceed_is_reported_before_they_are_measured(tmp_path: Path) -> None:
    ended = program("run", written(tmp_path, 6, "block"), "--budget", "2s", "--out", tmp_path / "results")
    assert ended.status == 0
    told = [line for line in ended.err.splitlines() if "more than the budget of 2 seconds" in line]
    assert len(told) == 1 and told[0].startswith("virtometer: the first 6 blocks take about ")
    assert len(read(tmp_path / "results").trials) == 24
    ended = program("run", written(tmp_path, 6, "block"), "--budget", "1h", "--blocks", "1", "--out", tmp_path / "long")
    assert "more than the budget" not in ended.err


@pytest.mark.parametrize("unavailable", ["refuse", "skip"])
def test_an_environment_that_does_not_work_here(said: Said, tmp_path: Path, unavailable: str) -> None:
    """bubblewrap without the program bwrap: no directory of programs is searched."""
    plan = written(tmp_path, 1)
    text = plan.read_text().replace("{name: again, kind: native}", "{name: again, kind: bubblewrap}")
    plan.write_text(text + f"unavailable: {unavailable}\n")
    outcome = virtometer("run", plan, "--out", tmp_path / "r", PATH="/nonexistent")
    if unavailable == "refuse":
        assert (outcome.status, outcome.out) == (3, "")
        refused = [line for line in outcome.err.splitlines() if line.startswith("virtometer: ")]
        assert " again " in refused[0] and "bubblewrap" in refused[1]
        said("\n".join(refused))
        assert not (tmp_path / "r").exists()
    else:
        assert outcome.status == 0, outcome.err
        told = line_with("again is not available here: ", outcome.err)
        assert told.startswith("again ") and "bubblewrap" in told
        said(told)
        assert "not available here" in outcome.out
        assert {record.trial.placements[0].environment for record in read(tmp_path / "r").trials} == {"native"}


def test_a_report_of_a_campaign_that_is_not_complete_says_how_to_go_on(tmp_path: Path) -> None:
    directory = tmp_path / "a directory"
    process = started(written(tmp_path, 10), directory)
    wait_for_trials(process, 5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert f"go on with: virtometer resume '{directory}'" in err
    outcome = virtometer("report", directory)
    assert outcome.status == 0
    todo = len(read(directory).planned) - len(read(directory).trials)
    assert f"{todo} of 40 trials are still to do: virtometer resume '{directory}'" in outcome.out


def test_not_one_trial_worked(tmp_path: Path) -> None:
    """A clock limit that nothing can keep: every trial fails, and is in the report with its reason."""
    plan = written(tmp_path, 1)
    plan.write_text(plan.read_text() + "limits: {prepare_s: 0.000001}\n")
    outcome = program("run", plan, "--out", tmp_path / "r")
    assert outcome.status == 3, outcome.err
    assert re.search(r"^virtometer: not one trial worked; the first: \S", outcome.err, re.MULTILINE)
    assert outcome.out.splitlines()[-1] == f"report: {tmp_path / 'r' / 'report.html'}"
    campaign = read(tmp_path / "r")
    assert len(campaign.trials) == 4
    assert all(record.status == "failed" and record.reason for record in campaign.trials)
    shown = virtometer("report", tmp_path / "r")
    assert shown.status == 0
    assert "4 of 4 trials failed" in shown.out


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_becomes_full_is_status_7_and_the_campaign_goes_on_when_there_is_space(
    said: Said, tmp_path: Path
) -> None:
    plan = written(tmp_path, 200)
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        'mount -t tmpfs -o size=700k t "$1"; "$2" run "$3" --out "$1/r"; echo "status $?"; '
        'mount -o remount,size=50m "$1"; "$2" report "$1/r" --format json --out "$4"; echo "status $?"; '
        'timeout -s INT 8 "$2" resume "$1/r"; echo "status $?"'
    )
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", disk, PROGRAM, plan, tmp_path / "json"],
        capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert result.stdout.splitlines()[:2] == ["status 7", "status 0"], result.stderr
    assert result.stdout.splitlines()[-1] in {"status 130", "status 124", "status 0"}, result.stderr
    said(line_with("no space left", result.stderr), place=disk / "r")
    assert f"go on with: virtometer resume {disk / 'r'}" in result.stderr
    kept = len([trial for trial in json.loads((tmp_path / "json").read_text())["trials"] if trial["status"] == "done"])
    assert kept > 3
    assert f"800 trials in 200 blocks, {kept} of them done before" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount read-only")
def test_a_report_from_a_read_only_place_prints_the_table_and_goes_elsewhere(said: Said, tmp_path: Path) -> None:
    directory = tmp_path / "r"
    made = program("run", written(tmp_path, 1), "--out", directory)
    table, _, _ = made.out.rpartition("report: ")
    script = (
        'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"; "$2" report "$1"; '
        '"$2" report "$1" --format html; echo "status $?"; '
        '"$2" report "$1" --format html --out "$3"; echo "status $?"'
    )
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", directory, PROGRAM, tmp_path / "x.html"],
        capture_output=True, text=True, check=False, timeout=200, env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    )  # fmt: skip
    assert result.stdout.startswith(table)
    page, *statuses = result.stdout.removeprefix(table).splitlines()
    assert page.endswith(f": virtometer report {directory} --format html")
    assert statuses == ["status 7", "status 0"]
    assert f"virtometer report {directory} --format html --out FILE" in result.stderr
    said(result.stderr, directory=directory)
    assert (tmp_path / "x.html").read_text() == (directory / "report.html").read_text()
