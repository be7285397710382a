"""A laboratory killed at any moment leaves nothing that the next one does not find."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import traces
from tests.conformance.conftest import lab_context
from virtometer.environments.sweep import sweep

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kills", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_moment_a_laboratory_is_killed_at(
    works: None, kind: str, kills: int, agent: Path, disk_file: Path, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    moments = random.Random(20_261_121)
    interfaces = traces.host_interfaces()
    for number in range(kills):
        directory, prefix = tmp_path / str(number), new_id()
        directory.mkdir()
        words = [
            sys.executable,
            "-m",
            "tests.conformance.restless",
            kind,
            prefix,
            *map(str, (agent, directory, disk_file)),
        ]
        laboratory = subprocess.Popen(words, stdout=subprocess.PIPE, cwd=REPOSITORY)
        assert laboratory.stdout is not None
        assert laboratory.stdout.readline() == b"up\n"
        moment = moments.uniform(0.0, 0.5)
        time.sleep(moment)
        assert laboratory.poll() is None
        laboratory.kill()
        laboratory.communicate()
        (directory / "next").mkdir()
        lab = lab_context(agent, directory / "next", disk_file).lab
        lab.journal.directory = directory / "state"
        said = sweep(lab.journal, lab.programs)
        told = f"kill {number} after {moment:.3f} s: {said}"
        assert not any("could not" in sentence for sentence in said), told
        assert list((directory / "state").iterdir()) == [], told
        assert list((directory / "scratch").iterdir()) == [], told
        assert traces.after_a_kill(prefix, str(directory), f"virtometer-{laboratory.pid}") == [], told
    assert traces.host_interfaces() == interfaces
