"""Devices of QEMU's machines: their options, the drivers that the guest needs for them, where it finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DISK_ID: Final = "disk0"
CARD_ID: Final = "net0"
CONTROLLER_ID: Final = "scsi"
"""Of the disk virtio-scsi."""
ROOT_SERIAL: Final = "virtometer-root"
"""The serial number of the disk of an image, by which the guest finds it."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a machine.

    drivers: modules of the guest's kernel. before: options of `-device` that come before its own. pci: the name of the
    device on a PCI bus. mmio: its name on a machine without one, None where it has none. generic: only Debian's generic
    kernel has the drivers. queues: it can have several queues and a thread of its own. name: in conditions. path: of
    the disk, in the guest.
    """

    drivers: tuple[str, ...]
    pci: str
    name: str
    path: str = ""
    mmio: str | None = None
    before: tuple[str, ...] = ()
    generic: bool = False
    queues: bool = False


DISKS = {
    "virtio": Device(
        ("virtio_blk",), "virtio-blk-pci", "virtio-blk", "/dev/vda", mmio="virtio-blk-device", queues=True
    ),
    "virtio-scsi": Device(
        ("virtio_scsi", "sd_mod"),
        "scsi-hd,bus=scsi.0",
        "virtio-scsi",
        "/dev/sda",
        mmio="scsi-hd,bus=scsi.0",
        queues=True,
    ),
    "nvme": Device(("nvme",), "nvme,serial=virtometer", "nvme", "/dev/nvme0n1"),
    "ide": Device(("ata_piix", "sd_mod"), "ide-hd,bus=ide.0", "ide", "/dev/sda"),
    "ahci": Device(("ahci", "sd_mod"), "ide-hd,bus=ahci.0", "ahci", "/dev/sda", before=("ahci,id=ahci",), generic=True),
}
CARDS = {
    "virtio": Device(("virtio_net",), "virtio-net-pci", "virtio-net", mmio="virtio-net-device", queues=True),
    "vmxnet3": Device(("vmxnet3",), "vmxnet3", "vmxnet3"),
    "e1000": Device(("e1000",), "e1000", "e1000", generic=True),
    "e1000e": Device(("e1000e",), "e1000e", "e1000e", generic=True),
    "rtl8139": Device(("8139cp",), "rtl8139", "rtl8139", generic=True),
}

_OFFLOADS = (
    "csum", "gso", "guest_csum", "guest_tso4", "guest_tso6", "guest_ecn", "guest_ufo",
    "host_tso4", "host_tso6", "host_ecn", "host_ufo",
)  # fmt: skip


def disk_devices(device: str, *, mmio: bool, iothread: bool, queues: int | None) -> list[str]:
    """Options that attach the drive `disk` as this device."""
    found = DISKS[device]
    more = ",iothread=disk-thread" if iothread else ""
    words: list[str] = ["-object", "iothread,id=disk-thread"] if iothread else []
    if device == "virtio-scsi":
        controller = f"virtio-scsi-{'device' if mmio else 'pci'},id={CONTROLLER_ID}"
        more += f",num_queues={queues}" if queues else ""
        words += ["-device", f"{controller}{more}"]
        more = ""
    elif queues:
        more += f",num-queues={queues}"
    for one in found.before:
        words += ["-device", one]
    name = found.mmio if mmio else found.pci
    return [*words, "-device", f"{name},drive=disk,id={DISK_ID}{more}"]


def root_disk(file: str, form: str, *, mmio: bool) -> list[str]:
    """Options for the disk of an image: a file that all guests read, and none writes."""
    name = file.replace(",", ",,")
    device = f"virtio-blk-{'device' if mmio else 'pci'},drive=root,serial={ROOT_SERIAL}"
    drive = f"if=none,id=root,format={form},file={name},readonly=on,file.locking=off"
    return ["-drive", drive, "-device", device]


def card_device(device: str, *, mmio: bool, queues: int, offloads: bool, mac: str = "") -> list[str]:
    """Options that attach the network `lan` as this device."""
    found = CARDS[device]
    # Without its boot ROM a network card costs no time before the kernel starts; without PCI it has none.
    words = f"{found.mmio if mmio else found.pci},netdev=lan,id={CARD_ID}"
    words += "" if mmio else ",romfile="
    words += f",mac={mac}" if mac else ""
    if queues > 1:
        words += ",mq=on" + ("" if mmio else f",vectors={2 * queues + 2}")
    if not offloads:
        words += "".join(f",{name}=off" for name in _OFFLOADS)
    return ["-device", words]
