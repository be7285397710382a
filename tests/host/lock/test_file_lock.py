"""Locks on files: alone or shared, gone with their process, and no file is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from virtometer.host.lock.file_lock import FileLock

HOLDS = """
import sys
from pathlib import Path
from virtometer.host.lock.file_lock import FileLock
lock = FileLock.taken(Path(sys.argv[1]), shared="shared" in sys.argv)
print(lock is not None, flush=True)
sys.stdin.read()
"""
CONTENDS = """
import os, sys
from pathlib import Path
from virtometer.host.lock.file_lock import FileLock
path, inside = Path(sys.argv[1]), Path(sys.argv[2])
taken = 0
while taken < 200:
    lock = FileLock.taken(path)
    if lock is not None:
        os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails where another one is inside
        inside.unlink()
        lock.release()
        taken += 1
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def test_one_has_it_alone_until_it_is_released(path: Path) -> None:
    lock = FileLock.taken(path)
    assert lock is not None
    assert path.stat().st_mode & 0o777 == 0o600
    assert FileLock.taken(path) is None
    assert FileLock.taken(path, shared=True) is None
    lock.release()
    lock.release()
    assert not path.exists()


def test_several_share_it_and_the_last_one_removes_the_file(path: Path) -> None:
    first, second = FileLock.taken(path, shared=True), FileLock.taken(path, shared=True)
    assert first is not None
    assert second is not None
    first.release()
    assert FileLock.taken(path) is None
    second.release()
    assert not path.exists()


@pytest.mark.parametrize("shared", [True, False])
def test_it_ends_with_a_process_that_is_killed(path: Path, shared: bool) -> None:
    words = [sys.executable, "-c", HOLDS, str(path), *(["shared"] if shared else [])]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert FileLock.taken(path) is None
        process.kill()
    lock = FileLock.taken(path)
    assert lock is not None
    lock.release()


def test_nobody_has_a_lock_on_a_file_that_another_one_removes(path: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-c", CONTENDS, str(path), str(tmp_path / "inside")]
    processes = [subprocess.Popen(words) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]


def test_a_dropped_copy_leaves_the_file(path: Path) -> None:
    lock = FileLock.taken(path)
    assert lock is not None
    lock.drop()
    lock.release()
    assert path.exists()


def test_a_link_is_no_lock(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        FileLock.taken(path)
    assert not (tmp_path / "elsewhere").exists()
