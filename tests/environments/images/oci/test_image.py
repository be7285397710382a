"""Images in the cache: unpacked once, found again, and nothing of those that are refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environments.oci_images import Member, content, docker_archive, layer, layout, made
from tests.environments.own_registry import installed, own_registry
from virtometer.cache import cache_directory
from virtometer.environments.images.debian import debian_image
from virtometer.environments.images.oci.image import oci_image, oci_images, unreadable_images
from virtometer.errors import EnvironmentFailed, VirtometerError
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
    manifest, digest = layout(tmp_path / "layout", {"v1": IMAGE, "v2": IMAGE}), content(IMAGE)
    first = oci_image(f"{tmp_path}/layout:v1", cache, journal, Programs())
    assert (first.digest, first.condition, first.reference) == (digest, f"oci:{digest}", f"{tmp_path}/layout:v1")
    assert first.manifest == manifest
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
    for name, index in (
        ("oci-1", "{"),
        ("oci-2", "[]"),
        ("oci-3", '{"digest": "", "reference": "", "config": {"x": 1}}'),
    ):
        (tmp_path / "images" / name).mkdir(parents=True)
        (tmp_path / "images" / name / "image.json").write_text(index)
    assert oci_images(tmp_path) == []
    assert [path.name for path in unreadable_images(tmp_path)] == ["oci-1", "oci-2", "oci-3"]


def test_a_damaged_image_is_unpacked_anew(tmp_path: Path, journal: Journal) -> None:
    cache = tmp_path / "cache"
    layout(tmp_path / "layout", {"v1": IMAGE})
    first = oci_image(f"{tmp_path}/layout:v1", cache, journal, Programs())
    (first.directory / "image.json").write_text("{")
    (first.root / "a").write_bytes(b"other")
    assert oci_image(f"{tmp_path}/layout:v1", cache, journal, Programs()) == first
    assert (first.root / "a").read_bytes() == b"1"
    assert unreadable_images(cache) == []


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """The address of a registry on the loopback."""
    if not installed():
        pytest.skip("the program docker-registry (Debian package docker-registry) is not installed")
    with own_registry(tmp_path) as address:
        yield address


def test_an_image_of_a_registry_is_fetched_once(tmp_path: Path, journal: Journal, registry: str) -> None:
    cache, reference = tmp_path / "cache", f"docker://{registry}/team/a:v1"
    layout(tmp_path / "layout", {"v1": IMAGE})
    push = ["skopeo", "copy", "--preserve-digests", "--dest-tls-verify=false", f"oci:{tmp_path}/layout:v1", reference]
    subprocess.run(push, check=True, capture_output=True)
    image = oci_image(reference, cache, journal, Programs())
    assert image.digest == content(IMAGE)
    assert (image.root / "a").read_bytes() == b"1"
    with pytest.raises(EnvironmentFailed, match="manifest unknown"):
        oci_image(f"docker://{registry}/team/a:v2", cache, journal, Programs())
    shutil.rmtree(tmp_path / "registry")
    assert oci_image(reference, cache, journal, Programs()) == image


@pytest.mark.skipif(os.geteuid() != 0, reason="files of several users need root")
def test_a_real_debian_is_a_root_directory(tmp_path: Path, journal: Journal) -> None:
    """Built by mmdebstrap, where the network allows it: links, owners and set-user-ID bits of thousands of files."""
    try:
        debian = debian_image(cache_directory(), journal, Programs())
    except VirtometerError as cause:
        pytest.skip(f"{cause} ({cause.advice})")
    image = oci_image(str(debian.root), tmp_path / "cache", journal, Programs())
    for name in ("usr/bin/passwd", "etc/shadow", "var/mail", "usr/bin/perl"):
        here, there = (root.joinpath(name).lstat() for root in (image.root, debian.root))
        assert (here.st_mode, here.st_uid, here.st_gid, here.st_size) == (
            there.st_mode, there.st_uid, there.st_gid, there.st_size,
        ), name  # fmt: skip
    shown = subprocess.run(["chroot", image.root, "dpkg", "--version"], check=True, capture_output=True, text=True)
    assert "dpkg" in shown.stdout
    assert len(list(image.root.rglob("*"))) >= len(list(debian.root.rglob("*")))
