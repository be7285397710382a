from __future__ import annotations

import dataclasses
import os
import stat
import subprocess
from pathlib import Path

import pytest

from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import agent_root
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.programs import HostProgram


@pytest.fixture
def cached(lab: LabContext, tmp_path: Path) -> LabContext:
    cache = tmp_path / "cache"
    cache.mkdir()
    return dataclasses.replace(lab, cache=cache)


def test_it_holds_nothing_but_the_agent_and_the_places_for_mounts(cached: LabContext) -> None:
    root = agent_root(cached)
    assert {path.name for path in root.iterdir()} == {
        "virtometer-agent",
        "proc",
        "sys",
        "dev",
        "tmp",
        "data",
        "etc",
        "run",
        "usr",
    }
    assert (root / "virtometer-agent").read_bytes() == cached.agent.read_bytes()
    assert stat.S_IMODE((root / "virtometer-agent").stat().st_mode) == 0o755
    assert [path for path in root.iterdir() if path.is_dir() and any(path.iterdir())] == []


def test_it_is_made_once_for_each_agent(cached: LabContext, tmp_path: Path) -> None:
    first = agent_root(cached)
    assert agent_root(cached) == first
    other = tmp_path / "other-agent"
    other.write_bytes(cached.agent.read_bytes() + b"\n")
    second = agent_root(dataclasses.replace(cached, agent=other))
    assert second != first
    assert sorted(cached.cache.iterdir()) == sorted([first, second]), "no draft is left"


def test_programs_of_the_host_lie_in_it_where_they_lie_there(cached: LabContext, tmp_path: Path) -> None:
    files = {tmp_path / "bin" / "tool": 4, tmp_path / "lib" / "libtool.so": 7}
    for file in files:
        file.parent.mkdir()
        file.write_text(file.name)
    tool = HostProgram("tool", tmp_path / "bin" / "tool", files, "digest", "")
    with_tool = dataclasses.replace(cached, host_programs=(tool,))
    root = agent_root(with_tool)
    for file in files:
        copy = root / file.relative_to("/")
        assert copy.read_text() == file.name
        assert stat.S_IMODE(copy.stat().st_mode) == 0o755
    assert agent_root(with_tool) == root != agent_root(cached)
    other = dataclasses.replace(tool, digest="another")
    assert agent_root(dataclasses.replace(cached, host_programs=(other,))) != root


def test_without_an_agent_it_is_one_sentence(cached: LabContext, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed, match="cannot be read"):
        agent_root(dataclasses.replace(cached, agent=tmp_path / "missing"))


def test_a_cache_that_cannot_be_written_is_one_sentence(cached: LabContext, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        agent_root(dataclasses.replace(cached, cache=file / "cache"))


@pytest.mark.skipif(os.geteuid() != 0, reason="a full file system needs a mount")
def test_a_full_disk_is_one_sentence_and_leaves_no_half_root(cached: LabContext) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", cached.cache], check=True)
    try:
        with pytest.raises(StorageError, match="No space left"):
            agent_root(cached)
        assert list(cached.cache.iterdir()) == []
    finally:
        subprocess.run(["umount", cached.cache], check=True)
