"""The host's files as a guest's root directory: which of them, and what stands in the way."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.host.owned.mounted import mounted
from tests.ordinary_user import MakeUser
from virtometer.environments.base import LabContext
from virtometer.environments.parts.guest_root import LAYERS, host_root, mounts_below, require_host_root
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.mount_table import Mount
from virtometer.host.own_mounts import own_mounts

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
TABLE = [
    Mount("/", "ext4"),
    Mount("/srv/a/b", "nfs4"),
    Mount("/srv/a", "fuse.sshfs"),
    Mount("/mnt", "cifs"),
    Mount("/srv/c/d", "fuse.mergerfs"),
    Mount("/srv/c", "xfs"),
    Mount("/proc", "proc"),
    Mount("/dev/shm", "tmpfs"),
    Mount("/sys/fs/fuse/connections", "fusectl"),
    Mount("/run", "tmpfs"),
    Mount("/run/user/1000", "tmpfs"),
    Mount("/run/media/disk", "vfat"),
    Mount("/tmp", "tmpfs"),
    Mount("/srv/asleep", "autofs"),
]


@pytest.mark.parametrize(
    ("current", "more"),
    [
        ("/var/lib", []), (None, []), ("/run/user/1000/x", ["/run/user/1000"]), ("/run/x", ["/run"]),
        ("/srv/a/b/x", ["/srv/a/b"]), ("/mnt/x", ["/mnt"]),
    ],
)  # fmt: skip
def test_files_of_all_file_systems_are_seen_and_not_what_the_kernel_or_daemons_show(
    current: str | None, more: list[str]
) -> None:
    usual = ["/run/media/disk", "/srv/c", "/srv/c/d", "/tmp"]
    assert mounts_below(TABLE, current) == sorted([*usual, *more])


@needs_root
def test_a_file_system_whose_place_is_not_seen_is_missing(
    lab: LabContext, new_id: Callable[[], str], tmp_path: Path
) -> None:
    covered = tmp_path / "covered"
    (covered / "below").mkdir(parents=True)
    with (
        ProcessGuest.starting(lab, new_id()) as guest,
        mounted(covered / "below", "-t", "tmpfs", "none"),
        mounted(covered, "-t", "tmpfs", "none"),
    ):
        root = host_root(guest, lab.agent)
        lab.programs.run(
            [*own_mounts(lab.programs, root.mounts), "test", "-d", root.directory / "usr"], purpose="mount"
        )
        layers = guest.effective[LAYERS]
        guest.stop()
    assert (layers["/"], layers[str(covered)], layers[str(covered / "below")]) == ("overlay", "overlay", "missing")


@needs_root
def test_a_layer_on_a_layer_cannot_be_written_and_is_refused_beforehand(lab: LabContext, tmp_path: Path) -> None:
    require_host_root(lab)
    for name in ("upper", "work"):
        (tmp_path / name).mkdir()
    options = f"lowerdir=/usr,upperdir={tmp_path}/upper,workdir={tmp_path}/work"
    with mounted(lab.scratch, "-t", "overlay", "overlay", "-o", options), pytest.raises(EnvironmentFailed) as refused:
        require_host_root(lab)
    assert str(lab.scratch) in refused.value.sentence
    assert "another file system" in refused.value.advice
    subprocess.run(["rm", "-rf", tmp_path / "work"], check=True)


def test_an_ordinary_user_is_told_who_can(make_user: MakeUser, lab: LabContext) -> None:
    with pytest.raises(EnvironmentFailed, match="only root can mount") as refused:
        make_user().call(lambda: require_host_root(lab))
    assert refused.value.advice == "run as root"
