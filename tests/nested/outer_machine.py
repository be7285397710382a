"""A machine under emulation that has what this host lacks: a processor with virtualization, or another hypervisor.

QEMU emulates SVM of AMD with nested paging. The machine has the files of this host, read-only, below a layer that is
lost with it: the programs, the laboratory and its caches of this host are in it as they are here.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from virtometer.environments.base import LabContext
from virtometer.environments.images.machines import GuestKernel, guest_kernel, initramfs
from virtometer.host.programs import find_host_program

REPOSITORY = Path(__file__).resolve().parents[2]
MODULES = (
    "virtio_pci", "9pnet_virtio", "9p", "overlay", "kvm_amd", "tun", "veth", "bridge", "loop",
    "xen_evtchn", "xen_privcmd", "xen_gntdev", "xen_gntalloc", "xenfs", "xen_blkback", "xen_netback",
)  # fmt: skip
"""Drivers of the outer machine itself, and of what it does."""

# TCG of QEMU 7.2 has faults of its own. With two processors it now and then delivers an interrupt between two machines
# of KVM, where a processor holds them back, and the outer kernel panics. It refuses `iret` to paravirtualized kernels
# where SMAP is on, and lets Xen use `mwait`, which is not there.
_PROCESSORS = 1
_PROCESSOR = "EPYC,+svm,+npt,-smap,-monitor"
_WORDS = "quiet panic=-1"
_BOOT_S = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the commands ended, None where they did not; what they wrote to /dev/ttyS1; and the console."""

    status: int | None
    answer: str
    console: str


def run_inside(
    commands: str,
    lab: LabContext,
    limit_s: float,
    *,
    layers: Sequence[Path] = (),
    hypervisor: Path | None = None,
    words: str = "",
) -> Outcome:
    """Boot a machine and run a shell script in it, as root, in the repository's folder.

    layers: directories whose files are put over those of the host. hypervisor: what boots in the kernel's place, with
    the kernel as its first module. words: more words for the command line, the hypervisor's where there is one.
    """
    kernel = guest_kernel(lab.cache / "outer-machine", lab.journal, lab.programs, "generic", MODULES)
    perl = find_host_program("perl", "perl-base", lab.programs)
    drivers = [name for name in MODULES if kernel.has(name)]
    image = initramfs(lab, kernel.modules(drivers), [perl], Path(__file__).with_name("init.pl"))
    with tempfile.TemporaryDirectory(prefix="virtometer-outer-") as directory:
        given, console, answer = (Path(directory) / name for name in ("given", "console", "answer"))
        given.mkdir()
        (given / "run-inside").write_text(_script(commands))
        below = [given, *layers, Path("/")]
        argv = [
            lab.programs.find("qemu-system-x86_64", "qemu-system-x86"),
            "-accel", "tcg", "-cpu", _PROCESSOR, "-machine", "q35", "-smp", str(_PROCESSORS), "-m", "5G",
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{console}", "-serial", f"file:{answer}",
            *_booted(kernel, image, len(below), hypervisor, words),
        ]  # fmt: skip
        for number, layer in enumerate(below):
            shared = f"local,path={layer},mount_tag=layer{number},security_model=none,readonly=on,multidevs=remap"
            argv += ["-virtfs", shared]
        machine = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL)
        try:
            machine.wait(limit_s + _BOOT_S)
        except subprocess.TimeoutExpired:
            pass
        finally:
            machine.kill()
            machine.wait()
        said = answer.read_text(errors="replace").replace("\r\n", "\n") if answer.exists() else ""
        shown = console.read_text(errors="replace").replace("\r\n", "\n") if console.exists() else ""
    body, _, end = said.rpartition("ended: ")
    return Outcome(int(end) if re.fullmatch(r"\d+\n", end) else None, body or said, shown)


def conformance_of(chosen: str, lab: LabContext, **boot: Any) -> dict[str, str]:
    """Run conformance tests in an outer machine: passed, skipped, or what failed, by the name of each test.

    chosen: which of them, as pytest's -k. boot: arguments of `run_inside`.
    """
    done = run_inside(
        f"{sys.executable} -m pytest -q -p no:cacheprovider --junit-xml /inside/results.xml "
        f"-k '{chosen}' tests/conformance; cat /inside/results.xml > /dev/ttyS1",
        lab,
        limit_s=1500,
        **boot,
    )
    if not done.answer.strip():
        pytest.fail(f"no tests ran: {done.console[-4000:]}")
    found = {}
    for case in ElementTree.fromstring(done.answer).iter("testcase"):
        ends = [one for one in case if one.tag in ("skipped", "failure", "error")]
        said = [one.tag if one.tag == "skipped" else str(one.get("message")) for one in ends]
        found[str(case.get("name"))] = said[0] if said else "passed"
    return found


def _script(commands: str) -> str:
    kept = ("PATH", "HOME", "XDG_CACHE_HOME", "VIRTUAL_ENV", "LANG", "LC_ALL")
    given: Mapping[str, str] = {name: os.environ[name] for name in kept if name in os.environ} | {"TMPDIR": "/inside"}
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in given.items())
    return f"{exports}stty -F /dev/ttyS1 raw\nip link set lo up\ncd {shlex.quote(str(REPOSITORY))}\n{commands}\n"


def _booted(kernel: GuestKernel, image: Path, layers: int, hypervisor: Path | None, words: str) -> list[str | Path]:
    """Options for what the machine boots."""
    own = f"{_WORDS} layers={layers}"
    if hypervisor is None:
        return ["-kernel", kernel.image, "-initrd", image, "-append", f"console=ttyS0 {own} {words}"]
    return ["-kernel", hypervisor, "-initrd", f"{kernel.image} console=hvc0 {own},{image}", "-append", words]
