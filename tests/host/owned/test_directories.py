"""Directories with something mounted in them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.host.owned.mounted import mounted
from tests.ordinary_user import MakeUser
from virtometer.host.owned.directories import remove_directory


def mount_points() -> list[str]:
    """What the mount table names, blanks as \\040."""
    return [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_no_mount_is_left_by_a_test_that_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError), mounted(tmp_path, "-t", "tmpfs", "none"):
        assert str(tmp_path) not in mount_points()
    assert str(tmp_path) not in mount_points()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_a_mount_is_taken_off_even_while_it_is_in_use(tmp_path: Path) -> None:
    where = tmp_path / "mounted"
    where.mkdir()
    with mounted(where, "-t", "tmpfs", "none"):
        user = subprocess.Popen(["sleep", "600"], cwd=where)
        try:
            removed = remove_directory(where)
        finally:
            user.kill()
            user.wait()
        assert removed == f"directory {where}"
        assert str(where) not in mount_points()
        assert not where.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_a_left_directory_is_never_removed_through_a_mount(tmp_path: Path) -> None:
    precious, left = tmp_path / "precious", tmp_path / "left behind"
    (left / "root").mkdir(parents=True)
    precious.mkdir()
    (precious / "data").write_text("keep me")
    with mounted(left / "root", "--bind", precious):
        remove_directory(left)
        assert not left.exists()
        assert (precious / "data").read_text() == "keep me"


def test_what_a_user_has_closed_to_itself_is_removed_too(make_user: MakeUser) -> None:
    def work() -> bool:
        left = Path(tempfile.mkdtemp()) / "left"
        (left / "closed" / "below").mkdir(parents=True)
        (left / "closed" / "file").touch()
        (left / "closed" / "below").chmod(0)
        (left / "closed").chmod(0o500)
        (left / "link").symlink_to(left.parent)
        remove_directory(left)
        return left.exists()

    assert make_user().call(work) is False
