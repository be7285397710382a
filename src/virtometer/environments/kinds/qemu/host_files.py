"""The host's files as the root directory of a machine: QEMU serves them by virtio-9p, for reading alone.

The guest's kernel has them under a layer in its own memory, which the agent mounts (agent/agent/src/linux/init.rs). So
the host needs no overlay, and an ordinary user can have this too: QEMU then serves what this user may read. Root's QEMU
has the file systems of `mounts_below` in a mount namespace of its own, which ends with it, also after SIGKILL.
Source: QEMU's system/invocation (-fsdev), Linux Documentation/filesystems/9p.rst.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Final

from virtometer.environments.base import Check
from virtometer.environments.parts.guest_root import LAYERS, current_directory, mounts_below
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.host.mount_table import mount_table
from virtometer.host.own_mounts import own_mounts
from virtometer.programs import Programs, Words

TAG: Final = "virtometer-root"
"""By which the guest finds the files."""
DRIVERS: Final = ("9pnet_virtio", "9p", "overlay")
"""Modules of the guest's kernel."""
LAYER: Final = "9p"
"""Of `LAYERS`: read from the host by 9p, and written into the guest's memory."""

# A file system of the host at its place below the root directory. $1: its directory, $2: its number, $3: the guest's.
_BELOW = 'cd "$3" && { mount --bind "$1" "root$1" 2>/dev/null || echo "$2" >>missing; }'


def host_device(*, mmio: bool) -> str:
    """The device of QEMU's that serves files."""
    return f"virtio-9p-{'device' if mmio else 'pci'}"


def require_host_files(programs: Programs, qemu: Path, device: str) -> None:
    """Raise EnvironmentFailed where this QEMU has no such device."""
    asked = programs.run([qemu, "-device", f"{device},help"], purpose="ask for virtio-9p", check=False)
    if not asked.stdout:  # the options of the device; the exit status is 0 for an unknown one too
        raise EnvironmentFailed(
            f"root host needs the device {device}, which {qemu} lacks",
            advice="install a QEMU that is built with virtfs, or use root debian",
        )


def check_host_files(programs: Programs, qemu: Path, check: Check) -> Check:
    """Add to a check that went well whether guests can have the host's files, or why not."""
    if not check.works:
        return check
    try:
        require_host_files(programs, qemu, host_device(mmio=False))
    except VirtometerError as cause:
        return dataclasses.replace(check, found={**check.found, "root_host": f"no: {cause.sentence}"})
    return dataclasses.replace(check, found={**check.found, "root_host": "by virtio-9p"})


def served_files(guest: ProcessGuest, *, mmio: bool) -> tuple[Words, list[str]]:
    """Words before QEMU's own, and its options, that serve the host's files to a guest; notes how each is there."""
    below = mounts_below(mount_table(), current_directory())
    layers = dict.fromkeys(["/", *below], LAYER)
    before: Words = []
    path = Path("/")
    if os.geteuid() == 0:
        directory = guest.make_directory()
        path = directory / "root"
        path.mkdir()
        commands: list[Words] = [["mount", "--bind", "/", path]]
        commands += [["sh", "-c", _BELOW, "sh", point, str(number), directory] for number, point in enumerate(below)]
        before = own_mounts(guest.lab.programs, commands)
        guest.read_back(lambda: {LAYERS: layers | _missing(directory, below)})
    else:
        guest.effective[LAYERS] = layers
    name = str(path).replace(",", ",,")
    # Files keep their owners. Those of several file systems can have the same number: QEMU gives them others.
    options = f"local,id=host,path={name},security_model=none,readonly=on,multidevs=remap"
    return before, ["-fsdev", options, "-device", f"{host_device(mmio=mmio)},fsdev=host,mount_tag={TAG}"]


def _missing(directory: Path, below: list[str]) -> dict[str, str]:
    """The file systems that the launcher could not bind."""
    noted = directory / "missing"
    return {below[int(number)]: "missing" for number in (noted.read_text().split() if noted.exists() else ())}
