"""Images with a file system, made without mounting anything. That guests mount them is shown by tests/conformance."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.environments.booted import DISK_BYTES, lab
from virtometer.environments.base import Room
from virtometer.environments.parts.formatted_disk import formatted_disk, image_size, mounted_file
from virtometer.errors import EnvironmentFailed, MissingProgram


def directory(parent: Path) -> Path:
    made = parent / "guest"
    made.mkdir()
    return made


@pytest.mark.parametrize("room", [Room(4 << 20, 10), Room(0, 20_000), Room(300 << 20, 3)])
def test_an_image_is_right_has_the_disk_file_and_room_for_the_rest(tmp_path: Path, room: Room) -> None:
    with lab(tmp_path) as one:
        one = dataclasses.replace(one, room=room)
        assert one.disk_file is not None
        image = formatted_disk(one, directory(tmp_path))
        assert image.stat().st_blocks * 512 >= image.stat().st_size, "no hole is left for the guest to fill"
        subprocess.run(["e2fsck", "-fn", image], check=True, capture_output=True)
        held = subprocess.run(["debugfs", "-R", "cat /disk.img", image], check=True, capture_output=True).stdout
        assert held == one.disk_file.read_bytes()
        told = subprocess.run(["dumpe2fs", "-h", image], check=True, capture_output=True).stdout.decode()
        facts = dict(line.split(":", 1) for line in told.splitlines() if ":" in line)
        free = int(facts["Free blocks"]) * int(facts["Block size"])
        assert free > room.files + room.names * 4096
        assert int(facts["Free inodes"]) > room.names
        assert mounted_file(one) == "/data/disk.img"
        assert [path.name for path in image.parent.iterdir()] == ["disk.ext4"]


def test_the_size_covers_everything() -> None:
    assert image_size(DISK_BYTES, 0, 0) % (1 << 20) == 0
    assert image_size(1 << 30, 1 << 30, 1) > 2 << 30


def test_what_does_not_fit_or_is_missing_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab(tmp_path) as one:
        made = directory(tmp_path)
        with pytest.raises(EnvironmentFailed, match="does not fit into") as refused:
            formatted_disk(dataclasses.replace(one, room=Room(shutil.disk_usage(tmp_path).free * 2, 1)), made)
        assert "disk_span" in refused.value.advice
        monkeypatch.setenv("PATH", "/nonexistent")
        monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
        with pytest.raises(MissingProgram, match="mke2fs"):
            formatted_disk(dataclasses.replace(one, room=Room(1, 1)), made)
