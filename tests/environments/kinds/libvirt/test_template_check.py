"""Templates of domains: which settings have a place in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sentences import Said
from virtometer.environments.kinds.libvirt import domain_xml
from virtometer.environments.kinds.libvirt.domain_xml import TEMPLATES
from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings
from virtometer.environments.kinds.libvirt.template_check import checked_template, template_of
from virtometer.environments.kinds.libvirt.virsh import CONTAINER_DRIVERS
from virtometer.errors import EnvironmentFailed


@pytest.mark.parametrize("driver", sorted(path.stem for path in TEMPLATES.glob("*.xml")))
def test_every_template_of_a_driver_fits_the_defaults(driver: str) -> None:
    kind = DomainContainerSettings if driver in CONTAINER_DRIVERS else DomainSettings
    root = checked_template(driver, kind())
    assert root.tag == "domain"
    assert "${" not in "".join(root.itertext())


@pytest.mark.parametrize(
    ("driver", "setting", "value", "place"),
    [
        ("xen", "disk_device", "virtio-scsi", "disk"),
        ("xen", "disk_cache", "none", "disk"),
        ("xen", "network_device", "e1000", "interface"),
        ("xen", "accelerator", "kvm", "type"),
        ("xen", "cpu", "EPYC", "cpu"),
        ("qemu", "disk_image", "/vm/disk.img", "disk_image"),
        ("esx", "kernel_parameters", "nohz=off", "kernel_parameters"),
        ("vbox", "guest_kernel", "generic", "kernel"),
        ("hyperv", "machine", "q35", "machine"),
    ],
)
def test_a_setting_without_a_place_is_refused(said: Said, driver: str, setting: str, value: str, place: str) -> None:
    with pytest.raises(EnvironmentFailed, match=rf"driver {driver} has no \$\{{{place}\}}, so {setting} ") as raised:
        checked_template(driver, DomainSettings.model_validate({setting: value}))
    said(raised.value.sentence)


@pytest.mark.parametrize(
    ("asked", "place"),
    [({"cpuset": [0]}, "processors"), ({"cpus": 0.5}, "quota"), ({"bits": 32}, "root"), ({"root": "debian"}, "root")],
)
def test_a_setting_of_a_container_without_a_place_is_refused(asked: dict[str, Any], place: str) -> None:
    checked_template("lxc", DomainContainerSettings.model_validate(asked))
    with pytest.raises(
        EnvironmentFailed, match=rf"driver openvz has no \$\{{{place}\}}, so {next(iter(asked))} cannot"
    ):
        checked_template("openvz", DomainContainerSettings.model_validate(asked))


def test_settings_with_a_place_and_those_that_are_not_set_are_taken() -> None:
    checked_template("qemu", DomainSettings(disk_device="ide", cpu="EPYC", network_device="e1000", memory=256 << 20))
    checked_template("xen", DomainSettings(kernel_parameters="nohz=off", guest_kernel="generic", cpus=2))
    checked_template("xen", DomainSettings(cpu=None, address="192.0.2.7:5000", processors=(0,)))


def test_a_template_of_the_plan_is_named_with_its_driver(said: Said, tmp_path: Path) -> None:
    template = tmp_path / "mine.xml"
    template.write_text(domain_xml.built_in("qemu").replace("${cpu}", ""))
    settings = DomainSettings(template=str(template), cpu="EPYC")
    assert template_of("qemu", settings)[1] == f"{template} for the driver qemu"
    with pytest.raises(EnvironmentFailed) as raised:
        checked_template("qemu", settings)
    assert "${cpu}" in raised.value.sentence
    said(raised.value.sentence, template=template)


def test_a_template_without_an_end_is_refused() -> None:
    with pytest.raises(EnvironmentFailed, match="the template /dev/zero has more than 1 MiB"):
        template_of("xen", DomainSettings(template="/dev/zero"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<domain><name>web</name><uuid>${uuid}</uuid></domain>", "a name of its own"),
        ("<domain><name>${name}</name><uuid>${uuid}</uuid>${quota}</domain>", r"has \$\{quota\}, and nothing fills it"),
        ("<domain>", "is no XML"),
    ],
)
def test_a_template_that_makes_no_domain_of_ours_is_refused(tmp_path: Path, text: str, said: str) -> None:
    template = tmp_path / "mine.xml"
    with pytest.raises(EnvironmentFailed, match="cannot be read"):
        checked_template("xen", DomainSettings(template=str(template)))
    template.write_text(text)
    with pytest.raises(EnvironmentFailed, match=said):
        checked_template("xen", DomainSettings(template=str(template)))
