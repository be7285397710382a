"""The images that guests boot from. That a kernel can read them is shown by the guests of the kinds qemu and uml."""

from __future__ import annotations

import dataclasses
import errno
import lzma
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.environments.booted import agent, lab
from tests.sentences import Said
from virtometer.cache import cache_directory
from virtometer.environments.images import machines as images
from virtometer.environments.images.machines import (
    ArchiveMember,
    GuestKernel,
    cached_kernel,
    guest_kernel,
    initramfs,
    newc,
)
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import EnvironmentFailed, MissingProgram, StorageError
from virtometer.host.owned.journal import Journal
from virtometer.host.programs import HostProgram
from virtometer.programs import Programs


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def unpack(archive: bytes) -> list[ArchiveMember]:
    """Read a newc archive, strictly, by the table in the kernel's buffer-format.rst."""
    entries, at, inodes = [], 0, set()
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        inode, mode, uid, gid, _, mtime, size, _, _, major, minor, name_size, check = fields
        assert (uid, gid, mtime, check) == (0, 0, 0, 0)
        assert inode not in inodes
        inodes.add(inode)
        name = archive[at + 110 : at + 110 + name_size]
        assert name.endswith(b"\0")
        start = (at + 110 + name_size + 3) & ~3
        entries.append(ArchiveMember(name[:-1].decode(), mode, archive[start : start + size], (major, minor)))
        at = (start + size + 3) & ~3
        if entries[-1].path == "TRAILER!!!":
            assert at == len(archive)
            return entries[:-1]


def test_an_archive_is_byte_for_byte_what_the_format_says() -> None:
    packed = newc([ArchiveMember("a", 0o100644, b"hi")])
    header = b"070701" + b"".join(
        field.encode() for field in
        ("00000001", "000081A4", "00000000", "00000000", "00000001", "00000000", "00000002",
         "00000000", "00000000", "00000000", "00000000", "00000002", "00000000")
    )  # fmt: skip
    assert packed.startswith(header + b"a\0" + b"hi\0\0" + b"070701")
    assert packed.endswith(b"TRAILER!!!\0\0\0\0")


@given(
    st.lists(
        st.builds(
            ArchiveMember,
            st.text("abc/.-", min_size=1, max_size=20),
            st.sampled_from([0o100644, 0o100755, 0o020600]),
            st.binary(max_size=20),
            st.tuples(st.integers(0, 255), st.integers(0, 255)),
        ),
        max_size=6,
    )
)
def test_what_is_packed_can_be_unpacked(entries: list[ArchiveMember]) -> None:
    assert unpack(newc(entries)) == entries


def test_an_initramfs_holds_the_agent_its_modules_in_order_and_what_the_first_process_needs(tmp_path: Path) -> None:
    modules = [tmp_path / "zulu.ko", tmp_path / "alpha.ko"]
    for module in modules:
        module.write_bytes(module.name.encode() * 7)
    with lab(tmp_path, disk=False) as one:
        one = dataclasses.replace(one, cache=tmp_path / "cache")
        entries = {entry.path: entry for entry in unpack(initramfs(one, modules).read_bytes())}
        assert entries["init"].data == one.agent.read_bytes()
        assert stat.S_IMODE(entries["init"].mode) == 0o755
        assert entries["modules/order"].data == b"zulu.ko\nalpha.ko\n"
        assert entries["modules/zulu.ko"].data == modules[0].read_bytes()
        assert stat.S_ISCHR(entries["dev/console"].mode)
        assert entries["dev/console"].device == (5, 1)
        directories = {path for path, entry in entries.items() if stat.S_ISDIR(entry.mode)}
        assert directories == {"dev", "modules", "proc", "sys", "tmp"}


def test_an_initramfs_is_named_after_its_content_and_made_once(tmp_path: Path) -> None:
    module, program = tmp_path / "m.ko", tmp_path / "agent"
    module.write_bytes(b"module")
    program.write_bytes(b"first")
    with lab(tmp_path, disk=False) as one:
        one = dataclasses.replace(one, cache=tmp_path / "cache", agent=program)
        first = initramfs(one)
        made = first.stat().st_mtime_ns
        assert initramfs(one) == first
        assert first.stat().st_mtime_ns == made
        assert initramfs(one, [module]) != first
        program.write_bytes(b"other")
        assert initramfs(one) != first
        assert {path.suffix for path in first.parent.iterdir()} == {".cpio"}


def test_programs_of_the_host_lie_in_an_initramfs_where_they_lie_there(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_bytes(b"tool")
    tool = HostProgram("tool", program, {program: 4}, "digest", "")
    with lab(tmp_path, disk=False) as one:
        one = dataclasses.replace(one, cache=tmp_path / "cache")
        image = initramfs(one, programs=[tool])
        entries = unpack(image.read_bytes())
        paths = [entry.path for entry in entries]
        assert (entries[-1].path, entries[-1].mode, entries[-1].data) == (str(program)[1:], 0o100755, b"tool")
        for directory in program.relative_to("/").parents[:-1]:
            assert paths.count(str(directory)) == 1, "and before what lies in it"
        assert paths.index(str(tmp_path)[1:]) < len(paths) - 1
        assert initramfs(one, programs=[tool]) == image != initramfs(one)
        program.unlink()
        with pytest.raises(EnvironmentFailed, match="cannot be read"):
            initramfs(one, programs=[dataclasses.replace(tool, digest="another")])


def test_an_agent_that_is_missing_is_one_sentence_with_advice(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        one = dataclasses.replace(one, agent=tmp_path / "nowhere")
        with pytest.raises(EnvironmentFailed, match=r"the agent .*nowhere cannot be read") as caught:
            initramfs(one)
    assert "make setup" in caught.value.advice


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("not a directory")
    with lab(tmp_path, disk=False) as one:
        one = dataclasses.replace(one, cache=tmp_path / "cache")
        with pytest.raises(StorageError, match="cannot be written"):
            initramfs(one)
        with pytest.raises(StorageError, match="cannot be kept"):
            guest_kernel(one.cache, one.journal, one.programs)


def test_modules_come_after_what_they_need_and_built_in_drivers_need_none(tmp_path: Path) -> None:
    depends = {"top": ("left", "right"), "left": ("base",), "right": ("base",), "base": ()}
    kernel = GuestKernel(tmp_path, "linux-image-x", "1", depends, ("nvme",))
    names = [path.name for path in kernel.modules(["nvme", "top", "left"])]
    assert names == ["base.ko", "left.ko", "right.ko", "top.ko"]
    assert kernel.has("nvme")
    assert not kernel.has("e1000")
    with pytest.raises(EnvironmentFailed, match=r"linux-image-x 1\) has no driver e1000"):
        kernel.modules(["e1000"])


def test_a_module_that_is_not_one_is_an_error() -> None:
    for data in (b"", b"\x7fELF\x02\x01" + bytes(70), b"#!/bin/sh\n"):
        with pytest.raises(EnvironmentFailed, match="kernel module"):
            images.module_depends(data)


@pytest.fixture(scope="module", params=["cloud", pytest.param("686", marks=pytest.mark.slow)])
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> GuestKernel:
    """The real kernel, from the cache or downloaded now."""
    try:
        return guest_kernel(
            cache_directory(), Journal(tmp_path_factory.mktemp("state") / "s"), Programs(), request.param
        )
    except (EnvironmentFailed, MissingProgram) as cause:
        pytest.skip(f"{cause} ({cause.advice})")


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> GuestKernel:
    """The real kernel, downloaded now; skips where the archive cannot be reached."""
    try:
        place = tmp_path_factory.mktemp("fetched")
        return guest_kernel(place, Journal(place / "state"), Programs())
    except (EnvironmentFailed, MissingProgram) as cause:
        pytest.skip(f"{cause} ({cause.advice})")


def test_the_kernel_is_one_and_its_modules_are_what_their_names_say(kernel: GuestKernel) -> None:
    image = kernel.image.read_bytes()
    assert image[0x202:0x206] == b"HdrS"  # the boot protocol's mark (Documentation/x86/boot.rst)
    seen: list[str] = []
    for path in kernel.modules(["virtio_pci", "virtio_console", "virtio_blk", "virtio_net", "ata_piix", "sd_mod"]):
        data = path.read_bytes()
        assert f"\0name={path.stem}\0".encode() in data
        assert set(images.module_depends(data)) <= set(seen)
        seen.append(path.stem)


def test_a_cached_kernel_is_found_without_running_anything(kernel: GuestKernel, journal: Journal) -> None:
    programs = Programs()
    flavour: images.Flavour = "686" if "686" in kernel.package else "cloud"
    assert guest_kernel(cache_directory(), journal, programs, flavour) == kernel
    assert programs.drain() == []


def test_compressed_modules_are_kept_decompressed(kernel: GuestKernel, tmp_path: Path) -> None:
    modules = tmp_path / "tree" / "usr" / "lib" / "modules" / "9.9"
    modules.mkdir(parents=True)
    (modules / "modules.builtin").write_text("kernel/drivers/virtio/virtio.ko\nkernel/drivers/virtio/virtio_ring.ko\n")
    original = kernel.modules(["virtio_blk"])[-1].read_bytes()
    (modules / "virtio_blk.ko.xz").write_bytes(lzma.compress(original))
    (tmp_path / "tree" / "boot").mkdir()
    (tmp_path / "tree" / "boot" / "vmlinuz-9.9").write_bytes(b"kernel")
    images.keep_kernel(tmp_path / "tree", tmp_path / "kept", "linux-image-9.9", "9.9-1")
    assert (tmp_path / "kept" / "modules" / "virtio_blk.ko").read_bytes() == original
    (modules / "virtio_blk.ko.xz").rename(modules / "virtio_blk.ko.lz")
    with pytest.raises(EnvironmentFailed, match="unknown way"):
        images.keep_kernel(tmp_path / "tree", tmp_path / "again", "linux-image-9.9", "9.9-1")
    with pytest.raises(EnvironmentFailed, match="no kernel of a known layout"):
        images.keep_kernel(tmp_path, tmp_path / "third", "linux-image-9.9", "9.9-1")


def test_two_that_fetch_at_once_download_once(fetched: GuestKernel, tmp_path: Path, journal: Journal) -> None:
    found: list[GuestKernel] = []
    records = [Programs(), Programs()]
    threads = [threading.Thread(target=lambda p=p: found.append(guest_kernel(tmp_path, journal, p))) for p in records]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]
    assert found[0].image.read_bytes() == fetched.image.read_bytes()
    downloads = [line for record in records for line in record.drain() if "download" in line.argv]
    assert len(downloads) == 1
    assert not list((tmp_path / "kernels").glob(".partial-*"))


def test_a_kill_at_any_moment_leaves_no_half_kernel(fetched: GuestKernel, tmp_path: Path, journal: Journal) -> None:
    program = (
        "import sys; from pathlib import Path; from virtometer.environments.images.machines import guest_kernel; "
        "from virtometer.host.owned.journal import Journal; from virtometer.programs import Programs; "
        "guest_kernel(Path(sys.argv[1]), Journal(Path(sys.argv[1], 'state')), Programs())"
    )
    for delay in (0.4, 0.8, 1.1, 1.4, 1.8):
        child = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], start_new_session=True)
        time.sleep(delay)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        found = cached_kernel(tmp_path)
        if found is not None:
            assert found.image.read_bytes() == fetched.image.read_bytes()
            assert found.depends == fetched.depends
            (tmp_path / "kernels" / "current-cloud").unlink()
    remove_leftovers(journal, Programs())
    assert guest_kernel(tmp_path, journal, Programs()).image.read_bytes() == fetched.image.read_bytes()
    assert not list((tmp_path / "kernels").glob(".partial-*"))


WRITER = """
import itertools, os, sys, time
os.chdir(sys.argv[1])
for number in itertools.count():
    try:
        open(str(number), "w").close()
    except FileNotFoundError:  # the folder is gone
        break
    if number == 20_000:  # removing these takes longer than the next one needs to come
        print("writes", flush=True)
        end = time.monotonic() + 1
    if number > 20_000 and time.monotonic() > end:
        break
"""


def test_what_a_killed_laboratory_had_started_may_still_write_while_the_next_cleans_up(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "fetch_kernel", lambda kernels, journal, programs, flavour, wanted: None)
    left = tmp_path / "kernels" / ".partial-left"
    (left / "tree").mkdir(parents=True)
    argv = [sys.executable, "-c", WRITER, str(left / "tree")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writes\n"
        with pytest.raises(EnvironmentFailed, match="cannot be read"):
            guest_kernel(tmp_path, journal, Programs())
    assert not left.exists()


def test_a_folder_that_cannot_be_removed_is_one_sentence(
    said: Said, tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)

    monkeypatch.setattr(images, "ENDING_S", 0.1)
    monkeypatch.setattr(shutil, "rmtree", refuse)
    (tmp_path / "kernels" / ".partial-left").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"\.partial-left .*\(Directory not empty\)") as caught:
        guest_kernel(tmp_path, journal, Programs())
    said(caught.value.sentence, cache=tmp_path)
    assert "end what still writes there" in caught.value.advice


def test_a_download_that_fails_says_what_to_do_and_leaves_nothing(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        images.resolve_kernel(Programs())
    except (EnvironmentFailed, MissingProgram) as cause:
        pytest.skip(f"{cause} ({cause.advice})")
    configuration = tmp_path / "apt.conf"
    configuration.write_text(
        'Acquire::http::Proxy "http://127.0.0.1:9";\nAcquire::https::Proxy "http://127.0.0.1:9";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(configuration))
    with pytest.raises(EnvironmentFailed, match=r"cannot be downloaded: .*apt-get") as caught:
        guest_kernel(tmp_path / "cache", journal, Programs())
    assert "apt-get update" in caught.value.advice
    assert {path.name for path in (tmp_path / "cache" / "kernels").iterdir()} == {"lock"}


def test_without_apt_the_reason_is_a_missing_program(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = Programs()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgram, match="apt-get"):
        guest_kernel(tmp_path, journal, programs)


def test_the_agent_of_this_checkout_is_static() -> None:
    data = agent().read_bytes()
    assert b"/lib64/ld-linux-x86-64.so.2" not in data  # an initramfs has no dynamic loader


def test_each_flavour_has_a_kernel_of_its_own(kernel: GuestKernel, journal: Journal) -> None:
    try:
        generic = guest_kernel(cache_directory(), journal, Programs(), "generic")
    except (EnvironmentFailed, MissingProgram) as cause:
        pytest.skip(f"{cause} ({cause.advice})")
    assert generic.package.removesuffix("amd64") + "cloud-amd64" == kernel.package
    for driver in ("e1000", "e1000e", "8139cp", "ahci"):
        assert not kernel.has(driver)
        assert generic.has(driver)
    names = [path.stem for path in generic.modules(["crc32c_generic", "ext4"])]
    assert names.index("jbd2") < names.index("ext4"), "built in or loaded before"
    assert kernel.modules(["crc32c_generic", "ext4"]) == []
