"""A plan that tunes the host by files below /sys, through the command line, on the real agent."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.laboratory import program, virtometer

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


def test_a_file_that_the_host_lacks_is_one_sentence_before_the_first_trial(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.replace("FILE", "/sys/devices/system/cpu/cpu*/no-such-file"))
    outcome = program("run", plan, "--out", tmp_path / "r", cwd=tmp_path)
    assert outcome.status == 3
    assert "this host has no file /sys/devices/system/cpu/cpu*/no-such-file" in outcome.err
    assert "trial 1/" not in outcome.err
