"""Ways of timing commands, from the command line to the ledger: entered guests, cold caches, files that differ."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.laboratory import line_with, program
from virtometer.analysis import analyse
from virtometer.errors import AnswersDiffer
from virtometer.store.ledger import Ledger

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="containers need root")


@needs_root
def test_guests_are_entered_natively_and_in_a_container(tmp_path: Path) -> None:
    words = ["--enter", "--in", "runc", "-r", "1", "--beside", "--out", str(tmp_path / "out"), "true"]
    ended = program("time", *words, cwd=tmp_path)
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        found = analyse(ledger.read()).entries
    assert {name: one.count for name, one in found.items()} == {"native": 5, "runc": 5}
    assert "runc exec" in line_with("runc exec", ended.out)
    natively, inside = (one.time.estimate.value for one in found.values() if one.time and one.time.estimate)
    assert natively < inside, "an entry makes namespaces and groups its own"


@pytest.mark.skipif(shutil.which("strace") is None, reason="files are found by strace")
def test_a_file_that_a_command_reads_leaves_the_page_cache(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(os.urandom(8 << 20))
    words = ["--cache", "cold", "--in", "native", "-r", "2", "--beside", "--out", str(tmp_path / "out")]
    ended = program("time", *words, "cat data", cwd=tmp_path)
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    (workload,) = campaign.plan.workloads
    assert str(tmp_path / "data") in str(workload.parameters["evict"])
    runs = [run for record in campaign.trials for run in record.scored]
    assert {run.conditions["page_cache"] for run in runs} <= {"cold", "cold in part"}
    # The C library stays, which is a fifth of all at most.
    assert all(float(run.conditions["page_cache_left"].rstrip(" %")) < 50 for run in runs)


@needs_root
def test_a_file_that_is_another_one_in_a_container_is_named(tmp_path: Path) -> None:
    words = ["--check-file", "made", "--in", "runc", "-r", "1", "--beside", "--out", str(tmp_path / "out")]
    ended = program("time", *words, "-S", "sh", "hostname > made", cwd=tmp_path)
    assert ended.status == AnswersDiffer.exit_status, "it is done, and the page is there"
    assert "in runc has another content of files" in " ".join(ended.err.split())
    with Ledger.open(tmp_path / "out") as ledger:
        found = next(one for one in analyse(ledger.read()).findings if one.subject == "runc")
    assert found.unlike == ("files",)
    assert not found.comparable
    assert "contents of made" in " ".join(ended.out.split())


def test_a_file_that_changes_from_run_to_run_is_a_failed_run_that_names_it(tmp_path: Path) -> None:
    words = ["--check-file", "made", "--in", "native", "--beside", "--out", str(tmp_path / "out")]
    ended = program("time", *words, "-S", "sh", "echo $$ > made", cwd=tmp_path)
    assert ended.status == 125
    assert str(tmp_path / "made") in line_with("made", ended.err)
