"""Xen in an outer machine: Debian's packages, unpacked beside the host's files, and dom0 with its daemons."""

from __future__ import annotations

import gzip
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.base import LabContext
from virtometer.environments.images.machines import kept_alone
from virtometer.host.owned.drafts import draft_in

_VERSION = "4.17"
_PACKAGES = (
    f"xen-hypervisor-{_VERSION}-amd64", f"xen-utils-{_VERSION}", "xen-utils-common", "xenstore-utils",
    "libvirt-daemon-driver-xen", f"libxenmisc{_VERSION}", "libxencall1", "libxendevicemodel1", "libxenevtchn1",
    "libxenforeignmemory1", "libxengnttab1", "libxenhypfs1", "libxenstore4", "libxentoolcore1", "libxentoollog1",
)  # fmt: skip
WORDS = "com1=115200,8n1 console=com1 dom0_mem=2560M loglvl=none noreboot"

# libvirtd is started again where it crashes, as systemd does it: Debian 12's sometimes does with Xen.
# libvirt knows no processor without the feature vme, which TCG lacks; and its driver for QEMU wants a user of its own.
DAEMONS = f"""
mount -t xenfs xenfs /proc/xen
mkdir -p /run/xen /var/lib/xen /var/log/xen /var/log/libvirt /run/libvirt
export PATH=$PATH:/usr/lib/xen-{_VERSION}/bin LIBVIRT_DEFAULT_URI=xen:///system
xenstored --pid-file /run/xenstored.pid
until xenstore-exists /; do sleep 0.1; done
xen-init-dom0
xenconsoled --pid-file=/run/xenconsoled.pid
sed -i /vme/d /usr/share/libvirt/cpu_map/x86_486.xml
rm -f /usr/lib/*/libvirt/connection-driver/libvirt_driver_qemu.so
virtlogd -d
until libvirtd; do sleep 0.1; done &
until virsh version; do sleep 0.2; done
"""
"""Commands that start what dom0 needs."""


@dataclass(frozen=True, slots=True)
class Xen:
    """hypervisor: what boots. layer: the files of its packages, as they would be installed."""

    hypervisor: Path
    layer: Path


def xen(lab: LabContext) -> Xen:
    """Unpack Xen's packages into the cache; the first time they are fetched (7 MB). Raises EnvironmentFailed."""
    place = lab.cache / "outer-machine"
    found = Xen(place / f"xen-{_VERSION}" / "boot" / "xen", place / f"xen-{_VERSION}")
    if found.hypervisor.exists():
        return found
    with kept_alone(place), draft_in(place, lab.journal, lab.programs) as work:
        apt, dpkg = lab.programs.find("apt-get", "apt"), lab.programs.find("dpkg-deb", "dpkg")
        argv: list[str | Path] = [apt, "-o", "APT::Sandbox::User=root", "-q", "download", *_PACKAGES]
        lab.programs.run(argv, purpose="download Xen", limit_s=300, cwd=work)
        tree = work / "tree"
        for archive in work.glob("*.deb"):
            lab.programs.run([dpkg, "-x", archive, tree], purpose="unpack Xen", limit_s=60)
        for name in ("bin", "lib", "sbin"):  # these are links to folders in usr on the host
            if (tree / name).exists():
                shutil.copytree(tree / name, tree / "usr" / name, dirs_exist_ok=True, symlinks=True)
                shutil.rmtree(tree / name)
        [packed] = [file for file in tree.glob("boot/xen-*.gz") if re.search(r"amd64\.gz$", file.name)]
        (tree / "boot" / "xen").write_bytes(gzip.decompress(packed.read_bytes()))
        shutil.rmtree(found.layer, ignore_errors=True)
        tree.rename(found.layer)
    return found
