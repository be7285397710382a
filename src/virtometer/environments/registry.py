"""Every environment kind, at a glance, in the order in which reports show them. Importing does no work."""

from __future__ import annotations

from virtometer.environments.base import Environment
from virtometer.environments.bubblewrap import Bubblewrap
from virtometer.environments.crun import Crun
from virtometer.environments.gvisor import Gvisor
from virtometer.environments.libvirt import Libvirt, LibvirtContainer
from virtometer.environments.lxc import Lxc
from virtometer.environments.native import Native
from virtometer.environments.nspawn import Nspawn
from virtometer.environments.podman import Podman
from virtometer.environments.qemu import Kvm, Qemu
from virtometer.environments.runc import Runc
from virtometer.environments.uml import UserModeLinux

KINDS: dict[str, type[Environment]] = {
    "native": Native,
    "bubblewrap": Bubblewrap,
    "runc": Runc,
    "crun": Crun,
    "podman": Podman,
    "nspawn": Nspawn,
    "lxc": Lxc,
    "gvisor": Gvisor,
    "uml": UserModeLinux,
    "qemu": Qemu,
    "kvm": Kvm,
    "libvirt": Libvirt,
    "libvirt-lxc": LibvirtContainer,
}
