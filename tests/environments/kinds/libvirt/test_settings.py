"""Settings of guests that libvirt makes: what is refused in words before anything is started."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings


@pytest.mark.parametrize(
    "asked",
    [
        {"uri": "somewhere"},
        {"uri": "lxc:///system"},
        {"uri": "openvz+ssh://host/system"},
        {"domain": "web", "memory": "256M", "cpus": 1},
        {"domain": "web", "template": "web.xml"},
        {"domain": "-c evil"},
        {"address": "192.0.2.7"},
        {"address": "192.0.2.7:70000"},
        {"cpu": "<x/>"},
        {"guest_kernel": "686"},
        {"kernel_parameters": "init=/bin/sh"},
        {"disk_device": "ide", "machine": "q35"},
        {"disk_aio": "native", "disk_cache": "unsafe"},
        {"disk_device": "sata", "guest_kernel": "cloud"},
        {"network_device": "e1000", "guest_kernel": "cloud"},
    ],
    ids=lambda asked: " ".join(f"{name}={value}" for name, value in asked.items()),
)
def test_what_cannot_be_is_refused(said: Said, asked: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        DomainSettings.model_validate(asked)
    [error] = refused.value.errors()
    said(error["msg"].removeprefix("Value error, "))


def test_a_container_is_not_made_by_a_driver_for_machines(said: Said) -> None:
    with pytest.raises(ValidationError, match="uri qemu:///system makes machines") as refused:
        DomainContainerSettings.model_validate({"uri": "qemu:///system"})
    [error] = refused.value.errors()
    said(error["msg"].removeprefix("Value error, "))
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
