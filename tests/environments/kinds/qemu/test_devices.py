"""Options for devices. That QEMU takes them is shown by test_qemu_facts and the guests of test_qemu."""

from __future__ import annotations

from virtometer.environments.kinds.qemu.devices import CARDS, DISKS, card_device, disk_devices


def test_a_disk_is_on_the_bus_of_its_machine() -> None:
    assert disk_devices("virtio", mmio=False, iothread=False, queues=None) == [
        "-device", "virtio-blk-pci,drive=disk,id=disk0",
    ]  # fmt: skip
    assert disk_devices("virtio", mmio=True, iothread=False, queues=2) == [
        "-device", "virtio-blk-device,drive=disk,id=disk0,num-queues=2",
    ]  # fmt: skip
    assert disk_devices("virtio-scsi", mmio=False, iothread=True, queues=4) == [
        "-object", "iothread,id=disk-thread",
        "-device", "virtio-scsi-pci,id=scsi,iothread=disk-thread,num_queues=4",
        "-device", "scsi-hd,bus=scsi.0,drive=disk,id=disk0",
    ]  # fmt: skip
    assert disk_devices("ahci", mmio=False, iothread=False, queues=None)[:2] == ["-device", "ahci,id=ahci"]


def test_a_network_card_has_its_queues_and_offloads() -> None:
    plain = ["-device", "virtio-net-pci,netdev=lan,id=net0,romfile="]
    assert card_device("virtio", mmio=False, queues=1, offloads=True) == plain
    assert card_device("virtio", mmio=True, queues=1, offloads=True) == [
        "-device",
        "virtio-net-device,netdev=lan,id=net0",
    ]
    [_, several] = card_device("virtio", mmio=False, queues=2, offloads=False, mac="52:54:00:4d:00:02")
    assert ",mac=52:54:00:4d:00:02,mq=on,vectors=6," in several
    assert ",csum=off," in several


def test_what_needs_drivers_says_which() -> None:
    assert all(device.drivers for device in (*DISKS.values(), *CARDS.values()))
    assert all(device.path.startswith("/dev/") for device in DISKS.values())
    assert {name for name, device in (*DISKS.items(), *CARDS.items()) if device.mmio} == {"virtio", "virtio-scsi"}
