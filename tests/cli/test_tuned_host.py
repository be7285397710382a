"""A plan that tunes the host by files below /sys, through the command line, on the real agent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.laboratory import PROGRAM, line_with, program, virtometer
from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.host.owned.journal import Journal, state_directory

SCANS = Path("/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan")
PLAN = """\
virtometer: 1
control: false
name: scans of huge pages
environments:
  - {name: native, kind: native}
factors:
  - name: scans
    levels:
      some: {tuning: [{where: host, sysfs: {"FILE": 4000}}]}
      more: {tuning: [{where: host, sysfs: {"FILE": 5000}}]}
workloads:
  - {name: a system call, workload: os, op: system-call}
blocks: 1
seconds: 0.02
fresh: trial
"""


@pytest.mark.skipif(os.geteuid() != 0 or not SCANS.exists(), reason="needs root and transparent huge pages")
def test_each_trial_has_its_level_and_the_host_has_its_own_value_afterwards(tmp_path: Path) -> None:
    before = SCANS.read_text()
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.replace("FILE", str(SCANS.parent / "pages_to_sca?")))
    outcome = program("run", plan, "--out", tmp_path / "r", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    found = json.loads(virtometer("report", tmp_path / "r", "--format", "json").out)
    tuned = {guest["environment"]: guest["given"]["tuning"] for guest in found["guests"]}
    done = {"where": "host", "what": str(SCANS), "before": before.strip()}
    assert tuned == {
        "native scans=some": [{**done, "after": "4000"}],
        "native scans=more": [{**done, "after": "5000"}],
    }
    assert SCANS.read_text() == before


def test_a_file_that_the_host_lacks_is_one_sentence_before_the_first_trial(said: Said, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.replace("FILE", "/sys/devices/system/cpu/cpu*/no-such-file"))
    outcome = program("run", plan, "--out", tmp_path / "r", cwd=tmp_path)
    assert outcome.status == 3
    said(line_with("/sys/devices/system/cpu/cpu*/no-such-file", outcome.err))
    assert "trial 1/" not in outcome.err


SWAPPINESS = Path("/proc/sys/vm/swappiness")
DEFRAG = Path("/sys/kernel/mm/transparent_hugepage/defrag")
TUNE = """\
virtometer: 1
name: tune
environments:
  - {name: native, kind: native}
factors:
  - name: swappiness
    levels:
      usual: {}
      low: {tuning: [{where: host, sysctl: {vm.swappiness: 11}}]}
  - name: thp
    levels:
      a: {tuning: [{where: host, sysfs: {/sys/kernel/mm/transparent_hugepage/defrag: never}}]}
      b: {}
  - name: cmd
    levels:
      on: {tuning: [{where: host, run: touch MARK, undo: rm MARK}]}
      off: {}
design: {type: full}
workloads:
  - {name: system call, workload: os, op: system-call}
control: false
blocks: BLOCKS
seconds: 0.1
fresh: trial
"""
MEASURE = """\
virtometer: 1
name: measure
environments:
  - {name: native, kind: native}
workloads:
  - {name: system call, workload: os, op: system-call}
blocks: 1
seconds: 0.02
"""


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Those that the plan changes, as they are; they are put back where a fault has left others.

    What such a fault leaves in the journal goes too: the next laboratory would set it.
    """
    swappiness, defrag = SWAPPINESS.read_text(), DEFRAG.read_text()
    yield swappiness, defrag
    journal = Journal(state_directory())
    for path in journal.directory.glob("tune-*.json"):
        entry = journal.read(path)
        ours = ("vm/swappiness", str(DEFRAG), str(tmp_path))
        if entry is not None and not entry.owner.alive() and any(word in str(entry.resources) for word in ours):
            path.unlink(missing_ok=True)
    if SWAPPINESS.read_text() != swappiness:
        SWAPPINESS.write_text(swappiness)
    if DEFRAG.read_text() != defrag:
        DEFRAG.write_text(defrag.partition("[")[2].partition("]")[0])


@pytest.mark.skipif(os.geteuid() != 0 or not DEFRAG.exists(), reason="needs root and transparent huge pages")
def test_of_two_that_tune_the_host_the_second_is_refused(said: Said, tmp_path: Path, settings: tuple[str, str]) -> None:
    """Each put back what the other one had set: the host kept the settings of the plan."""
    mark = tmp_path / "mark"
    long, tune, measure = (tmp_path / f"{name}.yaml" for name in ("long", "tune", "measure"))
    long.write_text(TUNE.replace("MARK", str(mark)).replace("BLOCKS", "50"))
    tune.write_text(TUNE.replace("MARK", str(mark)).replace("BLOCKS", "1"))
    measure.write_text(MEASURE)
    words = [str(PROGRAM), "run", str(long), "--out", str(tmp_path / "a")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path) as first:
        try:
            wait_until(lambda: SWAPPINESS.read_text() == "11\n")
            second = program("run", tune, "--beside", "--out", tmp_path / "b", cwd=tmp_path)
            third = program("run", measure, "--beside", "--out", tmp_path / "c", cwd=tmp_path)
        finally:
            first.send_signal(signal.SIGINT)
        assert first.wait() == 130, "it lasts longer than it takes to refuse the others"
    assert (SWAPPINESS.read_text(), DEFRAG.read_text()) == settings
    assert not mark.exists()
    assert [second.status, third.status] == [10, 10]
    said(line_with(" tunes the host, ", second.err), pid=first.pid)
    said(line_with(" tunes this host, ", third.err), pid=first.pid)
    assert not (tmp_path / "b").exists()
    assert not (tmp_path / "c").exists()
    measured = program("run", measure, "--beside", "--out", tmp_path / "c", cwd=tmp_path)
    assert measured.status == 0
