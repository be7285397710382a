"""Programs in a mount namespace of their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from virtometer.host import own_mounts as tested
from virtometer.host.own_mounts import own_mounts, without_bare_cgroup2
from virtometer.programs import Programs

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a mount namespace needs root")


@needs_root
def test_what_is_mounted_is_there_and_not_on_the_host(tmp_path: Path) -> None:
    place = tmp_path / "a place with 'quotes'"
    place.mkdir()
    words = own_mounts(Programs(), [["mount", "-t", "tmpfs", "none", place]])
    done = subprocess.run([*words, "cat", "/proc/self/mountinfo"], capture_output=True, text=True, check=True)
    assert "quotes" in done.stdout
    assert "quotes" not in Path("/proc/self/mountinfo").read_text()


@needs_root
def test_a_mount_that_fails_ends_it_before_the_program(tmp_path: Path) -> None:
    words = own_mounts(Programs(), [["mount", "--bind", tmp_path / "missing", tmp_path]])
    done = subprocess.run([*words, "echo", "started"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "started" not in done.stdout
    assert "missing" in done.stderr


@needs_root
def test_a_cgroup2_beside_v1_is_not_seen_there() -> None:
    words = without_bare_cgroup2(Programs())
    done = subprocess.run([*words, "cat", "/proc/self/mountinfo"], capture_output=True, text=True, check=True)
    kinds = {line.partition(" - ")[2].split()[0] for line in done.stdout.splitlines()}
    assert not {"cgroup", "cgroup2"} <= kinds


def test_where_there_is_none_nothing_is_put_before_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested, "bare_unified", list)
    assert without_bare_cgroup2(Programs()) == []
