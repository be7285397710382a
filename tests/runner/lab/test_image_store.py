"""Images as a user sees them: listed with their sizes, removed, refused by name."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.environments.planted_image import plant
from tests.sentences import Said
from virtometer.cache import cache_directory
from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import agent_root
from virtometer.errors import HostBusy, UsageError
from virtometer.host.lock.host_lock import HostLock
from virtometer.runner.lab.image_store import build_image, remove_image, stored_images


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    cache_directory().mkdir(parents=True)
    return cache_directory()


def test_an_empty_cache_has_no_images(said: Said, cache: Path) -> None:
    assert stored_images() == []
    with pytest.raises(UsageError, match="'debian'") as refused:
        remove_image("debian", beside=True)
    said(refused.value.sentence)


def test_images_are_listed_with_what_they_take_and_removed(cache: Path, agent: Path, lab: LabContext) -> None:
    agent_root(dataclasses.replace(lab, cache=cache))
    image = plant(cache, agent)
    size = agent.stat().st_size
    found = {one.name: one for one in stored_images()}
    assert found.keys() == {"agent", "debian-planted"}
    assert size <= found["agent"].bytes < 2 * size
    assert found["agent"].contents == "kernels none; the agent in 1 root directories"
    assert size <= found["debian-planted"].bytes
    before = found["debian-planted"].bytes
    image.with_agent(agent, lab.journal, lab.programs)
    after = next(one.bytes for one in stored_images() if one.name == "debian-planted")
    assert size <= after - before < 2 * size, "what is linked counts once"
    with pytest.raises(UsageError, match="there are: agent, debian-planted"):
        remove_image("debian-other", beside=True)
    with HostLock(beside=True), pytest.raises(HostBusy):
        remove_image("debian")
    assert remove_image("debian", beside=True) == ["debian-planted"]
    assert list((cache / "images").iterdir()) == []
    assert remove_image("agent", beside=True) == ["agent"]
    assert stored_images() == []


def test_a_damaged_image_of_containers_is_listed_and_removed(cache: Path) -> None:
    damaged = cache / "images" / "oci-damaged"
    (damaged / "root").mkdir(parents=True)
    [listed] = stored_images()
    assert (listed.name, listed.contents) == ("oci-damaged", "its description cannot be read: remove it")
    assert remove_image("oci-damaged", beside=True) == ["oci-damaged"]
    assert not damaged.exists()


def test_what_cannot_be_built_is_said(said: Said, cache: Path) -> None:
    with pytest.raises(UsageError, match=r"'fedora' .* agent, debian") as refused:
        build_image("fedora")
    said(refused.value.sentence)
    with pytest.raises(UsageError, match="'a b' is no name of a Debian package"):
        build_image("debian", ["a b"])
    with pytest.raises(UsageError, match="the image agent has no packages"):
        build_image("agent", ["fio"])
