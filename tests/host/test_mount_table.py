"""The mount table, as the kernel has it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.host.owned.mounted import mounted
from virtometer.host.mount_table import Mount, mount_table


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_a_mount_is_in_it_with_the_plain_name_of_its_place_and_its_type(tmp_path: Path) -> None:
    place = tmp_path / "a b\\c"
    place.mkdir()
    with mounted(place, "-t", "tmpfs", "none"):
        assert mount_table()[-1] == Mount(str(place), "tmpfs")
    assert str(place) not in [one.point for one in mount_table()]
