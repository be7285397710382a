"""What all images with a root directory have: the agent in it, without harm to what they share, and a disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.environments.planted_image import plant
from virtometer.environments.images.agent_root import AGENT
from virtometer.environments.images.root_image import RootImage
from virtometer.errors import StorageError
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


@pytest.mark.parametrize("as_link", [True, False])
def test_the_agent_takes_the_place_of_a_file_of_the_image(
    tmp_path: Path, agent: Path, journal: Journal, *, as_link: bool
) -> None:
    """A link that leads out of the image is not followed, and a file that the image shares is not written."""
    image, precious = plant(tmp_path, agent), tmp_path / "precious"
    precious.write_text("mine")
    place = image.root / AGENT.lstrip("/")
    if as_link:
        place.symlink_to(precious)
    else:
        place.hardlink_to(precious)
    root = image.with_agent(agent, journal, Programs())
    assert (root / AGENT.lstrip("/")).read_bytes() == agent.read_bytes()
    assert precious.read_text() == "mine" == place.read_text()
    assert image.with_agent(agent, journal, Programs()) == root
    assert (root / "usr/sbin/tool").samefile(image.root / "usr/sbin/tool")


def test_a_disk_is_made_once_and_of_what_cannot_be_made_nothing_stays(
    tmp_path: Path, agent: Path, journal: Journal
) -> None:
    image = plant(tmp_path, agent)
    image.disk.unlink()
    disk = image.as_ext4(journal, Programs())
    assert disk == image.disk
    assert disk.read_bytes()[0x438:0x43A] == b"\x53\xef", "the mark of ext4"
    disk.write_bytes(b"kept")
    assert image.as_ext4(journal, Programs()).read_bytes() == b"kept"
    gone = RootImage(tmp_path / "gone", "gone")
    with pytest.raises(StorageError):
        gone.with_agent(agent, journal, Programs())
    assert not (tmp_path / "gone").exists() or not list((tmp_path / "gone").iterdir())
    assert (gone.name, gone.condition) == ("gone", "gone")
    assert "no program x" in gone.missing("x")
