"""What machines and containers of libvirt have in common, where no daemon runs."""

from __future__ import annotations

import pytest

from tests.environments.test_virsh import needs_virsh
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.libvirt import Libvirt, LibvirtContainer
from virtometer.environments.libvirt_settings import DomainContainerSettings, DomainSettings


@needs_virsh
@pytest.mark.parametrize("kind", [Libvirt, LibvirtContainer])
def test_without_a_daemon_the_check_says_what_is_missing(
    kind: type[Environment], lab: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", "qemu+unix:///system?socket=/no/such/socket")
    check = kind(lab).check()
    assert not check.works
    assert "Failed to connect socket to '/no/such/socket'" in check.reason
    assert "Debian packages libvirt-daemon-system and libvirt-daemon-driver-" in check.advice


@needs_virsh
def test_a_check_asks_the_hypervisor_of_the_settings(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", "qemu+unix:///system?socket=/no/such/socket")
    machine = Libvirt(lab)
    assert not machine.check().works
    check = machine.check_with(DomainSettings(uri="test:///default"))
    assert (check.works, check.reason) == (True, "libvirt answers at test:///default")
    assert set(check.found) == {"libvirt", "hypervisor"}
    for kind, settings in (
        (Libvirt, DomainSettings(uri="qemu+ssh://127.0.0.1:1/system", template="mine.xml")),
        (LibvirtContainer, DomainContainerSettings(uri="lxc+unix:///system?socket=/no/such/other", domain="web")),
    ):
        refused = kind(lab).check_with(settings)
        assert not refused.works
        assert f"libvirt at {settings.uri} (ask for versions): " in refused.reason
        assert refused.advice
