"""Every environment kind, at a glance, in the order in which reports show them. Importing does no work."""

from __future__ import annotations

from virtometer.environments.base import Environment
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.crun import Crun
from virtometer.environments.kinds.docker.kind import Docker
from virtometer.environments.kinds.gvisor import Gvisor
from virtometer.environments.kinds.libvirt.kind import Libvirt, LibvirtContainer
from virtometer.environments.kinds.lxc import Lxc
from virtometer.environments.kinds.native import Native
from virtometer.environments.kinds.nspawn import Nspawn
from virtometer.environments.kinds.podman import Podman
from virtometer.environments.kinds.qemu.kind import Kvm, Qemu
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.kinds.uml.kind import UserModeLinux

KINDS: dict[str, type[Environment]] = {
    "native": Native,
    "bubblewrap": Bubblewrap,
    "runc": Runc,
    "crun": Crun,
    "podman": Podman,
    "docker": Docker,
    "nspawn": Nspawn,
    "lxc": Lxc,
    "gvisor": Gvisor,
    "uml": UserModeLinux,
    "qemu": Qemu,
    "kvm": Kvm,
    "libvirt": Libvirt,
    "libvirt-lxc": LibvirtContainer,
}
