"""The image with a user land of Debian's: found, shared, and the same bytes from every build."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.environments.planted_image import plant
from tests.sentences import Said
from virtometer.cache import cache_directory
from virtometer.environments.images import debian as module
from virtometer.environments.images.debian import (
    PACKAGE,
    PACKAGES,
    cached_image,
    debian_image,
    debian_sources,
    images,
    installed,
    wanted_packages,
)
from virtometer.environments.images.root_image import make_disk
from virtometer.errors import EnvironmentFailed, MissingProgram, StorageError, VirtometerError
from virtometer.host.owned.journal import Journal
from virtometer.host.programs import HostProgram
from virtometer.programs import Programs

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of several users need root")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def test_packages_are_those_of_every_image_and_more_each_once() -> None:
    assert wanted_packages(()) == PACKAGES == tuple(sorted(PACKAGES))
    assert wanted_packages(["iperf3", "fio"]) == tuple(sorted({*PACKAGES, "iperf3"}))
    assert all(PACKAGE.fullmatch(name) for name in (*PACKAGES, "libc6-i386", "g++-12"))
    assert not any(PACKAGE.fullmatch(name) for name in ("", "-x", "a b", "a,b", "A", "a/b"))


def test_an_image_has_its_programs_and_refuses_others(said: Said, tmp_path: Path, agent: Path) -> None:
    image = plant(tmp_path, agent)
    assert image.find("tool") == "/usr/sbin/tool"
    assert image.find("/usr/sbin/tool") == "/usr/sbin/tool"
    assert image.find("fio") is None is image.find("/usr/bin/fio")
    host = [HostProgram("tool", Path("/opt/tool"), {}, "", ""), HostProgram("fio", None, {}, "", "not installed")]
    refused = image.refusals(host)
    assert list(refused) == ["fio"]
    said(refused["fio"])
    assert [one.name for one in images(tmp_path)] == ["debian-planted"]
    assert cached_image(tmp_path, ["iperf3"]) is None


def test_each_agent_has_a_root_directory_of_the_same_files(tmp_path: Path, agent: Path, journal: Journal) -> None:
    image = plant(tmp_path, agent)
    other = tmp_path / "other"
    other.write_bytes(b"another agent")
    roots = [image.with_agent(one, journal, Programs()) for one in (agent, other, agent)]
    assert roots[0] == roots[2] != roots[1]
    assert (roots[1] / "virtometer-agent").read_bytes() == b"another agent"
    inodes = {(root / "usr/sbin/tool").stat().st_ino for root in (*roots, image.root)}
    assert len(inodes) == 1
    assert not (image.root / "virtometer-agent").exists()


def test_a_disk_of_the_same_files_has_the_same_bytes(tmp_path: Path) -> None:
    """Files that were made in another order, and at other times, in directories of other names."""
    made = []
    for name, order in (("one", (1, 2, 3)), ("two", (3, 1, 2))):
        root = tmp_path / name / "root"
        (root / "dev").mkdir(parents=True)
        for number in order:
            (root / f"file-{number}").write_bytes(bytes([number]) * 5_000 * number)
            (root / f"link-{number}").symlink_to(f"file-{number}")
        (root / "file-1").chmod(0o4755)
        for path in (*root.iterdir(), root):
            os.utime(path, (1_600_000_000, 1_600_000_000), follow_symlinks=False)
        made.append(tmp_path / name / "disk.ext4")
        make_disk(root, made[-1], Programs())
    assert digest(made[0]) == digest(made[1])
    fsck = Programs().find("e2fsck", "e2fsprogs")
    checked = subprocess.run([fsck, "-f", "-n", made[0]], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    debugfs = Programs().find("debugfs", "e2fsprogs")
    shown = subprocess.run([debugfs, "-R", "stat /file-1", made[0]], capture_output=True, text=True).stdout
    assert "Mode:  04755" in shown
    assert "Size: 5000" in shown


def test_a_disk_of_the_format_qcow2_is_made_once_with_the_same_contents(
    tmp_path: Path, agent: Path, journal: Journal
) -> None:
    programs = Programs()
    try:
        tool = programs.find("qemu-img", "qemu-utils")
    except MissingProgram as cause:
        pytest.skip(cause.sentence)
    image = plant(tmp_path, agent)
    made = image.as_qcow2(journal, programs)
    inode = made.stat().st_ino
    assert image.as_qcow2(journal, programs).stat().st_ino == inode
    subprocess.run([tool, "compare", "-f", "raw", "-F", "qcow2", image.disk, made], check=True, capture_output=True)
    assert not list(image.directory.glob(".partial-*"))


def test_what_is_missing_is_named_with_its_package(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgram, match="mmdebstrap is not installed") as raised:
        debian_image(tmp_path / "cache", journal, Programs())
    assert raised.value.advice == "install the Debian package mmdebstrap"


def require_builder() -> None:
    for program in ("mmdebstrap", "apt-get", "mke2fs"):
        try:
            Programs().find(program, program)
        except MissingProgram as cause:
            pytest.skip(cause.sentence)


def test_an_ordinary_user_and_a_full_disk_are_one_sentence(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_builder()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentFailed, match="which only root can make"):
        debian_image(tmp_path / "cache", journal, Programs())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(module, "NEEDED", 1 << 60)
    with pytest.raises(StorageError, match=r"needs \d+ GiB"):
        debian_image(tmp_path / "cache", journal, Programs())


def test_the_archives_are_those_that_apt_knows() -> None:
    require_builder()
    try:
        suite, sources = debian_sources(Programs())
    except VirtometerError as cause:
        pytest.skip(cause.sentence)
    lines = sources.splitlines()
    assert any(line.split()[2:] == [suite, "main"] for line in lines)
    assert all(line.startswith("deb ") and line.split()[2].startswith(suite) for line in lines)


@needs_root
@pytest.mark.slow
def test_two_builds_have_the_same_name_and_the_same_bytes(tmp_path: Path, journal: Journal) -> None:
    require_builder()
    first = debian_image(cache_directory(), journal, Programs())
    assert debian_image(cache_directory(), journal, Programs()) == first
    second = debian_image(tmp_path / "cache", journal, Programs())
    try:
        assert (second.digest, second.packages) == (first.digest, first.packages)
        assert digest(second.disk) == digest(first.disk)
        assert set(PACKAGES) <= second.packages.keys() == installed(second.root).keys()
        listed = [sorted(str(path.relative_to(one.root)) for path in one.root.rglob("*")) for one in (first, second)]
        assert listed[0] == listed[1]
        assert not any((second.root / "etc" / "apt").glob("sources.list*"))
        kept = {path.name for path in (tmp_path / "cache" / "images").iterdir()}
        assert kept == {second.name, "lock", *(name for name in kept if name.startswith("recipe-"))}
    finally:
        shutil.rmtree(tmp_path / "cache")


@needs_root
@pytest.mark.slow
def test_a_package_that_debian_has_not_is_one_sentence(tmp_path: Path, journal: Journal) -> None:
    require_builder()
    with pytest.raises(EnvironmentFailed, match="the image debian cannot be built") as raised:
        debian_image(tmp_path / "cache", journal, Programs(), ["no-such-package-of-ours"])
    assert "\n" not in raised.value.sentence
    assert [path.name for path in (tmp_path / "cache" / "images").iterdir()] == ["lock"]
