"""What machines and containers of libvirt have in common, where no daemon runs."""

from __future__ import annotations

import pytest

from tests.environments.kinds.libvirt.test_virsh import needs_virsh
from tests.sentences import Said
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.libvirt.guest import DomainGuest
from virtometer.environments.kinds.libvirt.kind import Libvirt, LibvirtContainer
from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings
from virtometer.environments.kinds.libvirt.virsh import Connection


@needs_virsh
@pytest.mark.parametrize("kind", [Libvirt, LibvirtContainer])
def test_without_a_daemon_the_check_says_what_is_missing(
    said: Said, kind: type[Environment], lab: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", "qemu+unix:///system?socket=/no/such/socket")
    check = kind(lab).check()
    assert not check.works
    assert "Failed to connect socket to '/no/such/socket'" in check.reason
    assert "libvirt-daemon-driver-" in check.advice
    said(check.advice)


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


@needs_virsh
@pytest.mark.parametrize(
    ("uri", "here"), [("qemu+unix:///system?socket=/no/such/socket", True), ("test:///default", False)]
)
def test_a_machine_that_this_host_hides_works_on_it_all_the_same(
    said: Said, lab: LabContext, uri: str, here: bool
) -> None:
    guest = DomainGuest(lab, "hidden", DomainSettings())
    connection = Connection(lab.programs, uri)
    assert Libvirt(lab).follow(guest, connection, "no-such-web", "99999999-2222-4333-8444-555555555555") is None
    assert guest.on_this_host is here
    unknown = guest.effective["cpu_accounting"]
    said(unknown)
    assert guest.effective.get("foreign_load") == (unknown if here else None)


@pytest.mark.parametrize(
    ("uri", "disk", "several"),
    [
        ("qemu:///system", True, True),
        ("qemu+ssh://host/system", False, True),
        ("xen:///system", False, True),
        ("esx://host/", False, False),
    ],
)
def test_what_machines_can_have_is_that_of_the_default_driver(
    said: Said, lab: LabContext, monkeypatch: pytest.MonkeyPatch, uri: str, disk: bool, several: bool
) -> None:
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", uri)
    lacks = Libvirt(lab).lacks()
    assert (not lacks.disk, not lacks.several_guests) == (disk, several)
    said(lacks.disk)
    said(lacks.several_guests)
    assert lacks.network == lacks.disk.replace("no disk", "no network")
    assert not (lacks.cpu_limit or lacks.memory_limit)


def test_a_container_of_an_image_has_no_limit(said: Said, lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", "openvz:///system")
    said(LibvirtContainer(lab).lacks().cpu_limit)
