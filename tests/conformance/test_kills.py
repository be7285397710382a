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
from virtometer.environments.leftovers import remove_leftovers
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.environments.registry import KINDS
from virtometer.host.mount_table import mount_table

REPOSITORY = Path(__file__).resolve().parents[2]


ROOTS = {kind: one.settings_type for kind, one in KINDS.items() if issubclass(one.settings_type, RootSettings)}
WITH_LAYERS = [kind for kind, one in ROOTS.items() if not one.no_host_root]
"""Kinds whose guests can have the host's files under a layer of their own."""


@pytest.mark.parametrize("kills", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_moment_a_laboratory_is_killed_at(
    works: None, kind: str, kills: int, agent: Path, disk_file: Path, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    _kill(kind, "{}", kills, agent, disk_file, tmp_path, new_id)


@pytest.mark.parametrize("kills", [1, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", WITH_LAYERS)
def test_no_layer_over_the_hosts_files_is_left(
    works: None, kind: str, kills: int, agent: Path, disk_file: Path, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    _kill(kind, '{"root": "host"}', kills, agent, disk_file, tmp_path, new_id)


def _kill(
    kind: str, settings: str, kills: int, agent: Path, disk_file: Path, tmp_path: Path, new_id: Callable[[], str]
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
            *map(str, (agent, directory, disk_file, settings)),
        ]
        laboratory = subprocess.Popen(words, stdout=subprocess.PIPE, cwd=REPOSITORY)
        assert laboratory.stdout is not None
        assert laboratory.stdout.readline() == b"up\n"
        assert not [one for one in mount_table() if str(directory) in one.point]
        moment = moments.uniform(0.0, 0.5)
        time.sleep(moment)
        assert laboratory.poll() is None
        laboratory.kill()
        laboratory.communicate()
        (directory / "next").mkdir()
        lab = lab_context(agent, directory / "next", disk_file).lab
        lab.journal.directory = directory / "state"
        said = remove_leftovers(lab.journal, lab.programs)
        told = f"kill {number} after {moment:.3f} s: {said}"
        assert not any("could not" in sentence for sentence in said), told
        assert list((directory / "state").iterdir()) == [], told
        assert list((directory / "scratch").iterdir()) == [], told
        assert traces.after_a_kill(prefix, str(directory), f"virtometer-{laboratory.pid}") == [], told
        assert not [one for one in mount_table() if str(directory) in one.point], told
    assert traces.host_interfaces() == interfaces
