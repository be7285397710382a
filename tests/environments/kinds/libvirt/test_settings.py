"""Settings of guests that libvirt makes: what is refused in words before anything is started."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings

ENTERED = "domain web is entered as it is: leave out"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"uri": "somewhere"}, "it must be a URI of libvirt such as qemu:///system"),
        ({"uri": "lxc:///system"}, "uri lxc:///system makes containers: use kind libvirt-lxc"),
        ({"uri": "openvz+ssh://host/system"}, "makes containers: use kind libvirt-lxc"),
        ({"domain": "web", "memory": "256M", "cpus": 1}, f"{ENTERED} cpus, memory"),
        ({"domain": "web", "template": "web.xml"}, f"{ENTERED} template"),
        ({"domain": "-c evil"}, "a domain must be named as virsh list shows it"),
        ({"address": "192.0.2.7"}, "an address must be HOST:PORT"),
        ({"address": "192.0.2.7:70000"}, "an address must be HOST:PORT"),
        ({"cpu": "<x/>"}, "a processor must be maximum, host, or a model"),
        ({"guest_kernel": "686"}, "Input should be 'cloud' or 'generic'"),
        ({"kernel_parameters": "init=/bin/sh"}, "the kernel parameter init is the laboratory's own"),
        ({"disk_device": "ide", "machine": "q35"}, "disk_device ide needs machine pc"),
        ({"disk_aio": "native", "disk_cache": "unsafe"}, "disk_aio native needs disk_cache none or directsync"),
        ({"disk_device": "sata", "guest_kernel": "cloud"}, "disk_device sata needs guest_kernel generic"),
        ({"network_device": "e1000", "guest_kernel": "cloud"}, "network_device e1000 needs guest_kernel generic"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        DomainSettings.model_validate(asked)


def test_a_container_is_not_made_by_a_driver_for_machines() -> None:
    with pytest.raises(ValidationError, match="uri qemu:///system makes machines: use kind libvirt"):
        DomainContainerSettings.model_validate({"uri": "qemu:///system"})
    with pytest.raises(ValidationError, match="leave out memory"):
        DomainContainerSettings.model_validate({"domain": "web", "memory": "64M"})


@pytest.mark.parametrize("uri", ["qemu:///system", "xen:///system", "esx://root@esx.example/?no_verify=1",
                                 "vbox:///session", "hyperv://host", "vz:///system", "test:///default",
                                 "qemu+ssh://host/system"])  # fmt: skip
def test_every_driver_for_machines_is_taken(uri: str) -> None:
    assert DomainSettings.model_validate({"uri": uri}).uri == uri


def test_what_follows_from_settings() -> None:
    assert DomainSettings().flavour == "cloud"
    assert DomainSettings(network_device="e1000").flavour == "generic"
    assert DomainSettings(disk_device="sata").flavour == "generic"
    assert DomainSettings(cpus=3).fewest_processors == 3
    assert DomainSettings().caches_disk == ""
    assert DomainSettings(disk_cache="writeback").caches_disk == "has disk_cache writeback"
    entered = DomainSettings(domain="web", address="192.0.2.7:5000", processors=(0,))
    assert entered.domain == "web"
