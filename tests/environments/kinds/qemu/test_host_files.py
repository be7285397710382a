"""The host's files in emulated machines: who may read what, and where the writes go."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.environments.booted import greet, lab, require
from tests.ordinary_user import MakeUser
from virtometer.environments.base import Check, LabContext
from virtometer.environments.kinds.qemu.host_files import LAYER, check_host_files, host_device, require_host_files
from virtometer.environments.kinds.qemu.kind import Qemu, QemuSettings
from virtometer.environments.parts.guest_root import LAYERS
from virtometer.errors import EnvironmentFailed
from virtometer.host.network.lan import Lan
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs

NO_DEVICE = "virtio-9p-of-nobody"
SETTINGS = QemuSettings(root="host", memory=256 << 20, cpus=1)


def test_a_program_that_serves_no_files_is_refused_in_a_sentence_with_its_name(tmp_path: Path) -> None:
    with lab(tmp_path) as one:
        environment = Qemu(one)
        require(environment.check())
        qemu = environment.program_file()
        for mmio in (False, True):
            require_host_files(one.programs, qemu, host_device(mmio=mmio))
        with pytest.raises(EnvironmentFailed) as refused:
            require_host_files(one.programs, qemu, NO_DEVICE)
        assert str(qemu) in refused.value.sentence
        assert NO_DEVICE in refused.value.sentence
        assert environment.check().found["root_host"] == "by virtio-9p"
        lacking = check_host_files(one.programs, Path("/bin/true"), Check(True, "", found={"kept": "x"}))
        assert lacking.works
        assert lacking.found["kept"] == "x"
        assert "/bin/true" in lacking.found["root_host"]
        faulty = Check(False, "broken")
        assert check_host_files(one.programs, qemu, faulty) is faulty


def _in_a_guest(one: LabContext, words: list[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """How a guest has the file systems, and what a program in it answers."""
    guest = Qemu(one).start(SETTINGS, f"files-{os.getpid()}")
    try:
        session = greet(guest)
        ran = session.request("run-program", {"words": words, "seconds": 60}, 70)
        return dict(guest.effective[LAYERS]), dict(ran)
    finally:
        guest.stop()


def test_a_file_of_memory_takes_what_programs_write_and_the_host_has_none_of_it(tmp_path: Path) -> None:
    """Written over, renamed, removed, locked and mapped: the layer is a file system of the guest's own kernel."""
    there = tmp_path / "there"
    there.mkdir()
    (there / "kept").write_text("of the host\n")
    script = (
        f"cd {there} && echo more >>kept && mv kept moved && cat moved && python3 -c '"
        "import fcntl, mmap, os, tempfile\n"
        "with tempfile.TemporaryFile() as file:\n"
        "    file.truncate(4096); fcntl.lockf(file, fcntl.LOCK_EX)\n"
        '    mapped = mmap.mmap(file.fileno(), 4096); mapped[:2] = b"ok"; mapped.flush()\n'
        "    print(os.fstat(file.fileno()).st_nlink, os.pread(file.fileno(), 2, 0).decode())\n"
        "' && stat -c %u:%a /etc/shadow /usr/bin/env && grep -c ^overlay /proc/mounts"
    )
    with lab(tmp_path, disk=False) as one:
        require(Qemu(one).check())
        Qemu(one).prepare(SETTINGS)
        layers, ran = _in_a_guest(one, ["/bin/sh", "-c", script])
    natively = [Path(one).stat() for one in ("/etc/shadow", "/usr/bin/env")]
    told = [f"{one.st_uid}:{one.st_mode & 0o7777:o}" for one in natively]
    assert ran["output"].splitlines() == ["of the host", "more", "0 ok", *told, "1"]
    assert layers["/"] == LAYER
    assert [path.name for path in there.iterdir()] == ["kept"]
    assert (there / "kept").read_text() == "of the host\n"


def test_an_ordinary_user_has_a_machine_with_the_files_that_this_user_may_read(
    make_user: MakeUser, tmp_path: Path
) -> None:
    script = "id -u; cat /etc/shadow 2>/dev/null || echo closed; echo written >/tmp/new && cat /tmp/new"
    with lab(tmp_path, disk=False) as one, tempfile.TemporaryDirectory() as readable:
        require(Qemu(one).check())
        Qemu(one).prepare(SETTINGS)
        Path(readable).chmod(0o755)
        agent = Path(shutil.copy(one.agent, Path(readable, "agent")))
        kernels = Path(readable, "kernels")
        kernels.mkdir()
        link = (one.cache / "kernels" / "current-generic").readlink()
        shutil.copytree(one.cache / "kernels" / link, kernels / link)
        (kernels / "current-generic").symlink_to(link)

        def run() -> tuple[dict[str, str], dict[str, Any]]:
            with tempfile.TemporaryDirectory() as own:
                cache, scratch = Path(own, "cache"), Path(own, "scratch")
                scratch.mkdir()
                cache.mkdir()
                (cache / "kernels").symlink_to(kernels)
                programs, journal = Programs(), Journal(Path(own, "state"))
                lan = Lan(journal, programs)
                return _in_a_guest(
                    LabContext(agent, cache, scratch, None, journal, programs, lan), ["/bin/sh", "-c", script]
                )

        layers, ran = make_user().call(run)
    assert ran["output"].split() == ["0", "closed", "written"]
    assert layers["/"] == LAYER
    assert not Path("/tmp/new").exists()
