"""`virtometer image`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.laboratory import line_with, virtometer
from tests.environments.journals import dead_owner, leave
from tests.environments.oci_images import Member, content, layer, layout, made
from tests.environments.planted_image import plant
from tests.sentences import Said
from virtometer.host.owned.journal import Journal
from virtometer.runner.lab import image_store


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(image_store, "state_directory", lambda: tmp_path / "state")
    return tmp_path / "state"


def test_what_killed_laboratories_left_is_removed_first(tmp_path: Path, state: Path) -> None:
    left = tmp_path / "left"
    for words in (["list", "--json"], ["build", "fedora"], ["remove", "debian"]):
        left.mkdir()
        leave(Journal(state), "draft-1", dead_owner(), {"resource": "directory", "path": str(left)})
        outcome = virtometer("image", *words, XDG_CACHE_HOME=str(tmp_path))
        assert outcome.err.startswith("cleaned up: The guest draft-1 of a laboratory"), words
        assert not left.exists()
        if words[0] == "list":
            assert json.loads(outcome.out) == {"images": []}


def test_list_and_remove(said: Said, tmp_path: Path, agent: Path) -> None:
    cache = tmp_path / "virtometer"
    own = {"XDG_CACHE_HOME": str(tmp_path)}
    outcome = virtometer("image", "list", **own)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("no image is built")
    plant(cache, agent)
    shown = virtometer("image", "list", **own).out
    assert shown.split()[0] == "debian-planted"
    said(line_with(" MiB  1 packages ", shown).partition(" MiB  ")[2])
    [row] = json.loads(virtometer("image", "list", "--json", **own).out)["images"]
    assert (row["name"], row["bytes"] > 1 << 20) == ("debian-planted", True)
    assert virtometer("image", "remove", "debian-planted", "--beside", **own).out == "removed debian-planted\n"
    assert not (cache / "images" / "debian-planted").exists()
    outcome = virtometer("image", "remove", "debian-planted", "--beside", **own)
    assert (outcome.status, outcome.out) == (2, "")
    assert "'debian-planted'" in outcome.err
    said(outcome.err)


def test_an_image_of_containers_is_added_listed_and_removed(said: Said, tmp_path: Path) -> None:
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    image = made(layer(Member("a", bytes(2 << 20))))
    manifest, digest = layout(tmp_path / "image", {"v1": image}), content(image)
    reference = f"{tmp_path}/image:v1"
    for name in (f"oci-{digest[7:23]}", digest, manifest, reference, "oci"):
        outcome = virtometer("image", "add", reference, **own)
        assert outcome.status == 0, outcome.err
        [row] = json.loads(virtometer("image", "list", "--json", **own).out)["images"]
        assert row["name"].startswith(f"oci-{digest[7:23]}")
        assert row["bytes"] > 2 << 20
        assert all(one in row["contents"] for one in (digest, manifest, reference))
        outcome = virtometer("image", "remove", name, "--beside", **own)
        assert outcome.out == f"removed {row['name']}\n"
        assert [path.name for path in (tmp_path / "cache/virtometer/images").iterdir()] == ["lock"]
    outcome = virtometer("image", "add", f"{tmp_path}/image:v2", **own)
    assert (outcome.status, outcome.out) == (3, "")
    said(outcome.err.replace(str(tmp_path), "").partition("...\n")[2])


def test_build_refuses_what_is_no_image() -> None:
    outcome = virtometer("image", "build", "fedora")
    assert (outcome.status, outcome.out) == (2, "")
    assert "there are agent, debian" in outcome.err
