"""Images in the cache: unpacked once, found again, and nothing of those that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.environments.oci_images import Member, docker_archive, layer, layout, made
from virtometer.environments.images.oci.image import oci_image, oci_images
from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs

IMAGE = made(layer(Member("a", b"1")), Env=["A=1"], Entrypoint=["/a"], User="7:8", WorkingDir="/w", Cmd=["b", "c"])


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def test_an_image_is_unpacked_once_whatever_it_is_called(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    digest = layout(tmp_path / "layout", {"v1": IMAGE, "v2": IMAGE})
    first = oci_image(f"{tmp_path}/layout:v1", cache, journal, Programs())
    assert (first.digest, first.condition, first.reference) == (digest, f"oci:{digest}", f"{tmp_path}/layout:v1")
    assert first.name.startswith(f"oci-{digest[7:23]}")
    assert (first.config.user, first.config.entrypoint, first.config.command) == ("7:8", ("/a",), ("b", "c"))
    (first.root / "mark").touch()
    assert oci_image(f"{tmp_path}/layout:v2", cache, journal, Programs()) == first
    assert oci_images(cache) == [first]
    monkeypatch.setenv("PATH", "/nonexistent")
    assert oci_image(f"{tmp_path}/layout:v1", cache, journal, Programs()) == first, "no program is needed"
    assert (first.root / "mark").exists()


def test_a_changed_image_is_unpacked_anew(tmp_path: Path, journal: Journal) -> None:
    cache, saved = tmp_path / "cache", tmp_path / "saved"
    docker_archive(saved, [("a:b", IMAGE)])
    first = oci_image(str(saved), cache, journal, Programs())
    docker_archive(saved, [("a:b", made(layer(Member("other", b"22"))))])
    second = oci_image(str(saved), cache, journal, Programs())
    assert second.digest != first.digest
    assert {one.digest for one in oci_images(cache)} == {first.digest, second.digest}
    assert oci_image(str(saved), cache, journal, Programs(), again=True) == second


@pytest.mark.parametrize("fault", ["machine", "tag", "link", "cut", "there"])
def test_nothing_of_a_refused_image_stays(tmp_path: Path, journal: Journal, fault: str) -> None:
    cache, place = tmp_path / "cache", tmp_path / "layout"
    reference = f"{place}:{'v2' if fault == 'tag' else 'v1'}"
    image = made(layer(Member("tmp" if fault == "link" else "a", bytes(9_000))))
    layout(place, {"v1": image.other("linux", "s390x") if fault == "machine" else image})
    if fault == "cut":
        max((place / "blobs/sha256").iterdir(), key=lambda path: path.stat().st_size).write_bytes(b"")
    with pytest.raises(EnvironmentFailed):
        oci_image("/nonexistent" if fault == "there" else reference, cache, journal, Programs())
    left = [path.name for path in cache.rglob("*")]
    assert left in ([], ["images", "lock"])
    assert not list((tmp_path / "state").glob("*"))


def test_what_is_no_image_in_the_cache_is_none(tmp_path: Path) -> None:
    assert oci_images(tmp_path) == []
    for name, content in (
        ("oci-1", "{"),
        ("oci-2", "[]"),
        ("oci-3", '{"digest": "", "reference": "", "config": {"x": 1}}'),
    ):
        (tmp_path / "images" / name).mkdir(parents=True)
        (tmp_path / "images" / name / "image.json").write_text(content)
    assert oci_images(tmp_path) == []
