"""What a machine's disk lies on, beside a plain file: a block device of the host, or a server of blocks.

Sources: losetup(8), qemu-nbd(8), tgtd(8), tgtadm(8).
"""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.journal import Resource
from virtometer.programs import Programs

Backing = Literal["file", "block", "nbd", "iscsi"]


def as_block_device(guest: ProcessGuest, file: Path, *, direct: bool) -> tuple[Path, bool]:
    """A loop device over a file until the guest stops, and whether it goes past the host's page cache.

    Raises EnvironmentFailed where the host gives none.
    """
    programs = guest.lab.programs
    losetup = programs.find("losetup", "mount")
    guest.lab.journal.record(guest.guest_id, LOOP, file=str(file))
    try:
        words = ["--find", "--show", f"--direct-io={'on' if direct else 'off'}"]
        made = programs.run([losetup, *words, file], purpose="make a block device of the disk file")
    except VirtometerError as cause:
        raise EnvironmentFailed(
            f"disk_backing block needs a loop device, and the host gives none: {cause.sentence}",
            advice="run as root, on a host with the driver loop, or use disk_backing file",
        ) from cause
    device = made.stdout.decode().strip()
    # Other guests may have devices of their own over the same file.
    guest.on_stop(lambda: programs.run([losetup, "--detach", device], purpose="remove a block device"))
    asked = programs.run([losetup, "--noheadings", "--output", "DIO", device], purpose="ask how a block device reads")
    return Path(device), asked.stdout.decode().strip() == "1"


def served(
    guest: ProcessGuest, directory: Path, file: Path, form: str, cache: str, aio: str
) -> tuple[list[str | Path], str]:
    """Words before QEMU's own that start a server for the file first, and the name by which QEMU reaches it.

    The server ends with its only client. Both belong to the guest, so that the work of both is counted.
    """
    programs = guest.lab.programs
    socket = "/proc/self/cwd/nbd"  # of both programs: a directory's own path may be too long for the name of a socket
    # Unlocked, as a file is that QEMU has itself: several guests may have a server each.
    image = f"driver={form},file.driver=file,file.locking=off,file.filename={str(file.resolve()).replace(',', ',,')}"
    server = [programs.find("qemu-nbd", "qemu-utils"), "-k", socket, f"--cache={cache}", f"--aio={aio}"]
    start = shlex.join(map(str, [*server, "--image-opts", image]))
    wait = "until [ -S nbd ]; do kill -0 $! || exit 1; sleep 0.01; done"
    there = f"cd {shlex.quote(str(directory.resolve()))} || exit 1"
    return ["/bin/sh", "-c", f'{there}; {start} & {wait}; exec "$@"', "sh"], f"nbd+unix:///?socket={socket}"


# Arguments: the port, the file, flags of the store, then QEMU's own words. The server keeps no descriptor of QEMU's, so
# that the channels of a machine that has ended are seen to be closed.
_TARGET = """
port=$1 file=$2 flags=$3
shift 3
mkdir /run/tgtd || exit 1
(
    for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done
    exec tgtd -f -C 1 --iscsi "portal=127.0.0.1:$port"
) &
ask() { tgtadm -C 1 --lld iscsi "$@"; }
until ask --op new --mode target --tid 1 --targetname TARGET 2>/dev/null; do kill -0 $! || exit 1; sleep 0.01; done
ask --op new --mode logicalunit --tid 1 --lun 1 --backing-store "$file" $flags || exit 1
ask --op bind --mode target --tid 1 --initiator-address ALL && exec "$@"
"""
_TARGET_NAME = "iqn.2026-01.org.virtometer:disk"


def target(guest: ProcessGuest, file: Path, *, direct: bool) -> tuple[list[str | Path], str]:
    """Words before QEMU's own that start an iSCSI target for the file first, and the name by which QEMU reaches it.

    The target is in QEMU's network namespace, and keeps its state in a directory that ends with it. It belongs to the
    guest. Raises EnvironmentFailed for an ordinary user, MissingProgram.
    """
    programs = guest.lab.programs
    if os.geteuid() != 0:
        raise EnvironmentFailed("disk_backing iscsi needs root", advice="use disk_backing nbd or file")
    for name in ("tgtd", "tgtadm"):
        programs.find(name, "tgt")
    port = secrets.randbelow(20_000) + 40_000
    state: list[str | Path] = ["mount", "-t", "tmpfs", "-o", "mode=700", "none", "/run"]
    words: list[str | Path] = [*own_mounts(programs, [state]), programs.find("bash", "bash"), "-c"]
    words += [_TARGET.replace("TARGET", _TARGET_NAME), "bash", str(port), file.resolve()]
    words.append("--bsoflags=direct" if direct else "")
    return words, f"iscsi://127.0.0.1:{port}/{_TARGET_NAME}/1"


def _remove_left(fields: Mapping[str, Any], programs: Programs) -> str:
    """Take the loop devices off a file whose laboratory has died."""
    losetup = programs.find("losetup", "mount")
    words: list[str | Path] = [losetup, "--noheadings", "--output", "NAME", "--associated", str(fields["file"])]
    removed = programs.run(words, purpose="find block devices that are left", whole=True).stdout.decode().split()
    for device in removed:
        programs.run([losetup, "--detach", device], purpose="remove a block device", check=False)
    return f"block device {' '.join(removed)}" if removed else ""


LOOP = Resource("loop", _remove_left, ends_at_boot=True)
"""Field: file (which loop devices of ours stand on)."""
