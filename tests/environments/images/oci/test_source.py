"""What references name, and when an image has changed."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from tests.environments.oci_images import Member, docker_archive, layer, layout, made, packed
from tests.sentences import Said
from virtometer.environments.images.oci.source import Source, entries, is_path, source_of, state_of
from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs

IMAGE = made(layer(Member("a", b"1")))


def test_every_kind_of_place_is_known(tmp_path: Path) -> None:
    place = tmp_path / "a:b"  # a colon belongs to the path where that is there
    layout(place, {"latest": IMAGE, "v1": IMAGE})
    archive = packed(place, tmp_path / "o.tar")
    saved = docker_archive(tmp_path / "d.tar", [("one:v1", IMAGE), ("two:v2", IMAGE)])
    plain = tmp_path / "plain"
    (plain / "bin").mkdir(parents=True)
    for reference, transport, name in (
        (f"{place}", "layout", "latest"), (f"{place}:v1", "layout", "v1"), (f"{archive}:v1", "oci-archive", "v1"),
        (f"{saved}:one:v1", "docker-archive", "@0"), (f"{saved}:v2", "docker-archive", "@1"),
        (f"{plain}", "directory", ""),
        ("docker:a/b:c", "docker", "a/b:c"), ("podman:a", "podman", "a"), ("docker://h:1/a:b", "registry", "h:1/a:b"),
    ):  # fmt: skip
        found = source_of(reference)
        assert (found.transport, found.name) == (transport, name), reference
        assert is_path(reference) == reference.startswith("/")
    assert source_of("docker://h/a") == Source("docker://h/a", "registry", name="h/a")


def test_what_is_no_image_gets_one_sentence(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    layout(Path("two"), {"v1": IMAGE, "v2": IMAGE})
    docker_archive(Path("saved"), [("one:v1", IMAGE)])
    Path("empty").mkdir()
    Path("full").mkdir()
    Path("full/file").touch()
    Path("text").write_text("text")
    Path("nothing").touch()
    with tarfile.open("other.tar", "w") as archive:
        archive.add("text")
    for name, content in (("json", "{"), ("list", "[]"), ("wrong", '{"manifests": 1}'), ("deep", '{"manifests": [1]}')):
        layout(Path(name), {"v1": IMAGE})
        Path(name, "index.json").write_text(content)
    for reference in (
        "nowhere", "nowhere:v1", "two", "two:v3", "saved:v2", "empty", "full:v1", "text", "nothing", "other.tar",
        "json", "list", "wrong", "deep", "/", "", "docker:", "docker:-x", "docker://", "podman:a b", "docker:$(id)",
    ):  # fmt: skip
        with pytest.raises(EnvironmentFailed) as refused:
            source_of(reference)
        sentence = refused.value.sentence.replace(str(tmp_path), "")
        assert "\n" not in sentence
        said(f"{reference}: {sentence}")


def test_a_docker_archive_that_is_cut_off_is_named_so(tmp_path: Path) -> None:
    saved = docker_archive(tmp_path / "saved", [("one:v1", made(layer(Member("a", bytes(100_000)))))])
    with saved.open("r+b") as file:
        file.truncate(60_000)
    with pytest.raises(EnvironmentFailed, match="cut off"):
        source_of(str(saved))


def test_a_state_changes_with_the_image(tmp_path: Path) -> None:
    plain, place = tmp_path / "plain", tmp_path / "layout"
    plain.mkdir()
    (plain / "a").write_text("1")
    layout(place, {"v1": IMAGE})
    saved = docker_archive(tmp_path / "saved", [("one:v1", IMAGE)])
    references = [f"{plain}", f"{place}:v1", f"{saved}"]
    before = [state_of(one, Programs()) for one in references]
    assert [state_of(one, Programs()) for one in references] == before
    (plain / "a").write_text("12")
    (place / "index.json").write_text('{"manifests": []}')
    os.utime(saved, (1, 1))
    after = [state_of(one, Programs()) for one in references]
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert state_of("docker://h/a", Programs()) == "", "of a registry nothing is asked"


def test_devices_and_sockets_of_a_root_directory_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "c")
    if os.geteuid() == 0:
        os.mknod(tmp_path / "d", 0o20666, os.makedev(1, 3))
    assert [path.name for path in entries(tmp_path)[1:]] == ["a", "b", "c"]


def test_a_local_store_without_the_image_says_so() -> None:
    with pytest.raises(EnvironmentFailed, match="no image virtometer-none"):
        state_of("podman:virtometer-none", Programs())
