"""What comes out of layers, and what of an image nothing comes out of."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.environments.oci_images import (
    Made,
    Member,
    content,
    directory,
    docker_archive,
    layer,
    layout,
    link,
    made,
    packed,
    sha,
)
from tests.sentences import Said
from virtometer.environments.images.oci.source import source_of
from virtometer.environments.images.oci.unpacking import Unpacked, unpack
from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="devices, owners and mounts need root")
MADE_HERE = {"data", "dev", "etc", "proc", "run", "sys", "tmp", "usr"}


def unpacked(tmp_path: Path, image: Made) -> Path:
    """The root directory of an image."""
    layout(tmp_path / "layout", {"latest": image})
    return of(tmp_path, str(tmp_path / "layout"))[0]


def of(tmp_path: Path, reference: str) -> tuple[Path, Unpacked]:
    """The root directory of a reference, and what is known of it."""
    work = tmp_path / "work"
    work.mkdir()
    return work / "root", unpack(source_of(reference), work, Programs(), owners=ROOT)


def test_later_layers_cover_and_remove_what_earlier_ones_have(tmp_path: Path) -> None:
    first = layer(
        directory("a"), Member("a/kept", b"1"), Member("a/gone", b"2"), directory("opaque"), Member("opaque/old", b"3"),
        Member("changed", b"4"), directory("whole"), Member("whole/x", b"5"), Member("one", b"6"),
        link("other", "one", hard=True),
    )  # fmt: skip
    second = layer(
        Member("a/.wh.gone"), directory("opaque"), Member("opaque/.wh..wh..opq"), Member("opaque/new", b"7"),
        Member("changed", b"8", mode=0o4755), Member(".wh.whole"),
    )  # fmt: skip
    root = unpacked(tmp_path, made(first, second))
    assert {path.name for path in root.iterdir()} == {"a", "opaque", "changed", "one", "other"} | MADE_HERE
    assert [path.name for path in (root / "a").iterdir()] == ["kept"]
    assert [path.name for path in (root / "opaque").iterdir()] == ["new"]
    assert (root / "changed").read_bytes() == b"8"
    assert stat.S_IMODE((root / "changed").stat().st_mode) == 0o4755
    assert (root / "one").samefile(root / "other")


@needs_root
def test_owners_are_those_of_the_image_and_devices_are_left_out(tmp_path: Path) -> None:
    root = unpacked(
        tmp_path,
        made(
            layer(
                directory("dev"),
                Member("dev/null", kind=tarfile.CHRTYPE, device=(1, 3)),
                Member("disk", kind=tarfile.BLKTYPE, device=(7, 0)),
                directory("srv", 0o750, (1234, 1235)),
                Member("srv/disk", kind=tarfile.BLKTYPE, device=(7, 0)),
                Member("srv/pipe", kind=tarfile.FIFOTYPE),
            )
        ),
    )
    assert list((root / "dev").iterdir()) == []
    assert not (root / "disk").exists()
    assert [path.name for path in (root / "srv").iterdir()] == ["pipe"]
    found = (root / "srv").stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 1235, 0o750)
    assert stat.S_IMODE((root / "tmp").stat().st_mode) == 0o1777


def test_nothing_is_written_outside_of_the_root_directory(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    to = str(outside)
    root = unpacked(
        tmp_path,
        made(
            layer(Member("/absolute", b"x"), link("out", to), link("relative", "../../outside"), Member("..a..", b"x")),
            layer(Member("out/file", b"x"), Member("relative/file", b"x")),
            WorkingDir="/out/work",
        ),
    )
    assert list(outside.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["layout", "outside", "work"]
    assert (root / "..a..").exists()
    assert (root / "absolute").exists()
    assert (root / to.lstrip("/") / "file").exists()
    assert (root / to.lstrip("/") / "work").is_dir()


def packed_by(program: str, content: bytes) -> tuple[bytes, str]:
    """A layer that a program has packed, and the end of its type."""
    return subprocess.run([program, "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout, f"+{program}"


@pytest.mark.skipif(shutil.which("zstd") is None, reason="the program zstd packs the layers")
def test_layers_may_be_packed_by_zstd_too(tmp_path: Path) -> None:
    again = layer(Member("a", b"1" * 5000))
    image = made(again, layer(Member("b", b"2")), again, Env=["A=1"])
    of_gzip = iter(("gzip", "zstd", "zstd"))
    manifest = layout(tmp_path / "layout", {"latest": image}, lambda one: packed_by(next(of_gzip), one))
    root, found = of(tmp_path, str(tmp_path / "layout"))
    assert ((root / "a").read_bytes(), (root / "b").read_bytes()) == (b"1" * 5000, b"2")
    assert (found.digest, found.manifest) == (content(image), manifest)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="the program zstd packs the layers")
def test_what_zstd_has_packed_and_is_cut_off_or_leads_outside_is_refused(tmp_path: Path) -> None:
    cut = made(layer(Member("a", bytes(5000))))
    layout(tmp_path / "layout", {"latest": cut}, lambda one: (packed_by("zstd", one)[0][:-9], "+zstd"))
    with pytest.raises(EnvironmentFailed, match="cannot be unpacked"):
        of(tmp_path, str(tmp_path / "layout"))
    leaves = made(layer(Member("../a")))
    layout(tmp_path / "other", {"latest": leaves}, lambda one: packed_by("zstd", one))
    shutil.rmtree(tmp_path / "work")
    with pytest.raises(EnvironmentFailed, match="leaves the root directory"):
        of(tmp_path, str(tmp_path / "other"))


@pytest.mark.parametrize("path", ["../up", "a/../../up", "/../up", "..", "a/..", "a\nb/../../up"])
def test_a_path_that_leaves_the_root_directory_is_refused(tmp_path: Path, path: str, said: Said) -> None:
    first = layer(directory("a"), Member("a/kept", b"x"))
    with pytest.raises(EnvironmentFailed) as refused:
        unpacked(tmp_path, made(first, layer(Member(path, b"x"))))
    assert not (tmp_path / "work" / "root").exists()
    said(refused.value.sentence.replace(str(tmp_path), ""))


def test_a_path_that_leaves_the_root_directory_is_refused_before_a_list_of_megabytes(tmp_path: Path) -> None:
    names = [Member(f"{number:0100}") for number in range(45_000)]
    with pytest.raises(EnvironmentFailed) as refused:
        unpacked(tmp_path, made(layer(Member("../up", b"x"), *names)))
    assert "layer 1" in refused.value.sentence
    assert not (tmp_path / "work" / "root").exists()


def test_a_hard_link_reaches_into_an_earlier_layer(tmp_path: Path) -> None:
    first = layer(directory("a"), Member("a/one", b"1", mode=0o640))
    root = unpacked(tmp_path, made(first, layer(directory("b"), link("b/two", "a/one", hard=True)), layer(
        Member("a/.wh.one"), link("three", "b/two", hard=True))))  # fmt: skip
    assert not (root / "a" / "one").exists()
    assert (root / "b" / "two").samefile(root / "three")
    assert ((root / "three").read_bytes(), stat.S_IMODE((root / "three").stat().st_mode)) == (b"1", 0o640)


def test_a_hard_link_to_a_file_that_an_earlier_layer_removed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed):
        unpacked(
            tmp_path, made(layer(Member("one", b"1")), layer(Member(".wh.one")), layer(link("two", "one", hard=True)))
        )


def test_a_hard_link_does_not_bring_a_file_of_the_host(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(EnvironmentFailed):
        unpacked(tmp_path, made(layer(link("stolen", str(tmp_path / "secret"), hard=True))))
    assert (tmp_path / "secret").stat().st_nlink == 1


@pytest.mark.parametrize("name", ["dev", "proc", "tmp", "run"])
def test_a_place_for_mounts_that_is_a_link_is_refused(tmp_path: Path, name: str, said: Said) -> None:
    with pytest.raises(EnvironmentFailed) as refused:
        unpacked(tmp_path, made(layer(link(name, "/etc"))))
    said(refused.value.sentence.replace(str(tmp_path), ""))


def test_all_forms_of_an_image_give_the_same_files(tmp_path: Path) -> None:
    image = made(layer(directory("bin", 0o711), Member("bin/a", b"1", 0o755)), Env=["A=1"], WorkingDir="/new/work")
    layout(tmp_path / "layout", {"latest": image})
    references = (
        tmp_path / "layout",
        packed(tmp_path / "layout", tmp_path / "oci.tar"),
        docker_archive(tmp_path / "docker.tar", [("a:latest", image)]),
    )
    trees = []
    for number, reference in enumerate(references):
        (tmp_path / str(number)).mkdir()
        root, found = of(tmp_path / str(number), str(reference))
        trees.append({str(one.relative_to(root)): stat.S_IMODE(one.stat().st_mode) for one in root.rglob("*")})
        assert (found.config.variables, found.config.directory) == ({"A": "1"}, "/new/work")
        assert found.digest == content(image)
    assert trees[0] == trees[1] == trees[2]
    assert trees[0]["bin"] == 0o711
    assert "new/work" in trees[0]


@pytest.mark.parametrize("listed", [["sha256:" + 64 * "0"], [], None, "sha256", [7]])
def test_an_image_whose_layers_are_others_than_it_says_is_refused(tmp_path: Path, listed: object, said: Said) -> None:
    image = made(layer(Member("a", b"1")))
    digest = layout(tmp_path / "layout", {"latest": image})
    blobs = tmp_path / "layout" / "blobs" / "sha256"
    parts = json.loads((blobs / digest.partition(":")[2]).read_bytes())
    description = json.loads(image.description())
    description["rootfs"]["diff_ids"] = listed
    for one, place in ((description, "config"), (parts, "")):
        encoded = json.dumps(one).encode()
        (blobs / sha(encoded)).write_bytes(encoded)
        named = {"digest": f"sha256:{sha(encoded)}", "size": len(encoded)}
        if place:
            parts[place] |= named
    index = json.loads((tmp_path / "layout/index.json").read_bytes())
    index["manifests"][0] |= named
    (tmp_path / "layout/index.json").write_text(json.dumps(index))
    (tmp_path / "work").mkdir()
    with pytest.raises(EnvironmentFailed) as refused:
        of(tmp_path / "work", str(tmp_path / "layout"))
    said(refused.value.sentence.replace(str(tmp_path), ""))


def test_a_root_directory_has_the_digest_of_its_files(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    (plain / "bin").mkdir(parents=True)
    (plain / "bin/a").write_text("1")
    (plain / "bin/b").symlink_to("a")
    found = []
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        if number == 2:
            (plain / "bin/a").write_text("2")
        root, one = of(tmp_path / str(number), str(plain))
        found.append(one.digest)
        assert os.readlink(root / "bin/b") == "a"  # noqa: PTH115 - the text
    assert found[0] == found[1] != found[2]
    assert found[0].startswith("sha256:")


@pytest.mark.parametrize("where", [("linux", "s390x"), ("windows", "amd64")])
def test_an_image_for_another_machine_is_refused(tmp_path: Path, where: tuple[str, str], said: Said) -> None:
    with pytest.raises(EnvironmentFailed) as refused:
        unpacked(tmp_path, made(layer(Member("a"))).other(*where))
    said(refused.value.sentence.replace(str(tmp_path), ""))


def test_a_layer_that_was_changed_or_cut_off_is_refused(tmp_path: Path) -> None:
    image = made(layer(Member("a", bytes(50_000))))
    for number, (begin, rest) in enumerate(((b"", slice(20_000)), (b"x", slice(1, None)))):
        place = tmp_path / str(number)
        layout(place / "layout", {"latest": image})
        largest = max((place / "layout/blobs/sha256").iterdir(), key=lambda path: path.stat().st_size)
        largest.write_bytes(begin + largest.read_bytes()[rest])
        with pytest.raises(EnvironmentFailed) as refused:
            of(place, str(place / "layout"))
        assert "\n" not in refused.value.sentence
        assert not (place / "work" / "root").exists()


def test_an_archive_that_is_cut_off_after_its_index_is_refused(tmp_path: Path) -> None:
    image = made(layer(Member("a", bytes(200_000))))
    layout(tmp_path / "layout", {"latest": image})
    with tarfile.open(tmp_path / "cut.tar", "w") as file:
        for name in ("oci-layout", "index.json", "blobs"):
            file.add(tmp_path / "layout" / name, name)
    with (tmp_path / "cut.tar").open("r+b") as cut:
        cut.truncate(60_000)
    with pytest.raises(EnvironmentFailed):
        of(tmp_path, str(tmp_path / "cut.tar"))


@needs_root
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """In a small file system that a mount namespace of its own has."""
    layout(tmp_path / "layout", {"latest": made(layer(Member("a", os.urandom(3 << 20))))})
    (tmp_path / "small").mkdir()
    script = f"""
import sys
from pathlib import Path
from virtometer.environments.images.oci.image import oci_image
from virtometer.errors import StorageError
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs
cache = Path({str(tmp_path / "small")!r})
try:
    oci_image({str(tmp_path / "layout")!r}, cache, Journal(Path({str(tmp_path / "state")!r})), Programs())
except StorageError as cause:
    print(cause.sentence)
    print(sorted(path.name for path in (cache / "images").iterdir()))
"""
    mounted = 'mount -t tmpfs -o size=4M none "$0" && exec "$@"'
    words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounted, str(tmp_path / "small")]
    ran = subprocess.run([*words, sys.executable, "-c", script], capture_output=True, text=True, check=True)
    sentence, left = ran.stdout.splitlines()
    assert "does not fit" in sentence
    assert left == "['lock']"
