"""XML of domains: every template by libvirt's own schema, what is filled in, what is read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from virtometer.environments.kinds.libvirt import domain_xml
from virtometer.environments.kinds.libvirt.domain_xml import CARDS, DISKS, TEMPLATES, Way
from virtometer.errors import EnvironmentFailed

UUID = "11111111-2222-4333-8444-555555555555"
WORDS = {
    "name": "virtometer-a-1", "uuid": UUID, "processors": "0-1", "memory_kib": "524288", "cpus": "2", "type": "qemu",
    "machine": "q35", "kernel": "/k <&> 'x'", "initramfs": "/i", "kernel_parameters": 'console=ttyS0 a="b"',
    "console": "/tmp/console", "channel": "/tmp/agent", "disk_image": "/vm/disk.img", "serial_host": "192.0.2.7",
    "serial_port": "5000", "agent": "/virtometer-agent", "root": "/srv/root", "network_process": "4711",
}  # fmt: skip
IMAGES = {"esx": "[datastore1] agent/agent.vmdk", "openvz": "debian-12"}
DRIVERS = sorted(path.stem for path in TEMPLATES.glob("*.xml"))
needs_schemas = pytest.mark.skipif(
    None in (shutil.which("virt-xml-validate"), shutil.which("xmllint")),
    reason="the Debian packages libvirt-clients and libxml2-utils are not installed",
)


def elements(**more: str) -> dict[str, str]:
    return {
        "cpu": domain_xml.cpu_element("maximum"),
        "disk": domain_xml.disk_element("virtio", Path("/d"), "none", "native"),
        "interface": domain_xml.card_element("virtio"),
        "labels": domain_xml.labels(["dac", "apparmor", "none"], 0, 0),
        "quota": domain_xml.quota_element(0.5),
        "data": domain_xml.directory_element(Path("/srv/d"), "/data"),
        **more,
    }


def valid(text: str, directory: Path) -> None:
    path = directory / "domain.xml"
    path.write_text(text)
    done = subprocess.run(["virt-xml-validate", str(path), "domain"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_is_a_template_for_every_driver() -> None:
    assert DRIVERS == ["esx", "hyperv", "lxc", "openvz", "qemu", "test", "vbox", "vz", "xen"]


@needs_schemas
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_template_is_what_libvirts_schema_allows(driver: str, tmp_path: Path) -> None:
    words = {**WORDS, "disk_image": IMAGES.get(driver, WORDS["disk_image"])}
    valid(domain_xml.filled(domain_xml.built_in(driver), words, elements(), driver), tmp_path)


@needs_schemas
def test_the_schema_finds_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="fails to validate"):
        valid(f"<domain type='qemu'><name>x</name><uuid>{UUID}</uuid><cpus>1</cpus></domain>", tmp_path)


@needs_schemas
@pytest.mark.parametrize("disk", DISKS)
@pytest.mark.parametrize("card", CARDS)
def test_every_device_is_what_libvirts_schema_allows(disk: str, card: str, tmp_path: Path) -> None:
    given = elements(
        disk=domain_xml.disk_element(disk, Path("/d'<&>"), "unsafe", "io_uring"),
        interface=domain_xml.card_element(card),
        cpu=domain_xml.cpu_element("EPYC"),
    )
    text = domain_xml.filled(domain_xml.built_in("qemu"), WORDS, given, "of the test")
    valid(text, tmp_path)
    source = ElementTree.fromstring(text).find("devices/disk/source")
    assert source is not None
    assert source.get("file") == "/d'<&>"


def test_an_unknown_driver_is_named_with_those_that_are_known() -> None:
    with pytest.raises(EnvironmentFailed, match="no template for domains of the driver bhyve") as raised:
        domain_xml.built_in("bhyve")
    assert "esx, hyperv, lxc" in raised.value.advice


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("<domain><name>${name}</name><uuid>${uuid}</uuid>${gpu}</domain>", "has ${gpu}, and nothing fills it here"),
        ("<domain><name>${name}</name>", "the template mine is no XML"),
        ("<network><name>${name}</name></network>", "it begins with <network>"),
        ("<domain><name>web</name><uuid>${uuid}</uuid></domain>", "makes a domain with a name of its own"),
        ("<domain><name>${name}</name></domain>", "makes a domain with a name of its own"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused(template: str, said: str) -> None:
    with pytest.raises(EnvironmentFailed) as raised:
        domain_xml.filled(template, WORDS, elements(), "mine")
    assert said in raised.value.sentence


def test_words_are_text_and_what_is_no_place_stays() -> None:
    template = "<!-- ${nothing} --><domain><name>${name}</name><uuid>${uuid}</uuid><k>${kernel} $HOME</k></domain>"
    root = ElementTree.fromstring(domain_xml.filled(template, WORDS, {}, "mine"))
    assert root.findtext("k") == "/k <&> 'x' $HOME"


def way(devices: str) -> Way | None:
    return domain_xml.way_in(ElementTree.fromstring(f"<domain><devices>{devices}</devices></domain>"))


def test_the_way_in_is_found() -> None:
    port = "<target type='virtio' name='org.virtometer.0'/>"
    others = "<channel type='unix'><source path='/ga'/><target type='virtio' name='org.qemu.guest_agent.0'/></channel>"
    console = "<console type='pty' tty='/dev/pts/3'><source path='/dev/pts/3'/></console>"
    serial = "<serial type='tcp'><source mode='bind' host='192.0.2.7' service='5000'/></serial>"
    ours = f"<channel type='unix'><source mode='bind' path='/a'/>{port}</channel>"
    assert way(others) is None
    assert way(others + console) == Way("pty", "/dev/pts/3")
    assert way(console + serial) == Way("tcp", "192.0.2.7:5000")
    assert way(console + serial + others + ours) == Way("unix", "/a")
    assert way(f"<channel type='pty'><source path='/dev/pts/4'/>{port}</channel>") == Way("pty", "/dev/pts/4")


@pytest.mark.parametrize(
    ("driver", "kind"),
    [("qemu", "unix"), ("xen", "pty"), ("esx", "tcp"), ("hyperv", None), ("test", None)],
)
def test_a_template_says_how_its_agent_is_reached(driver: str, kind: str | None) -> None:
    text = domain_xml.filled(domain_xml.built_in(driver), WORDS, elements(), driver)
    way = domain_xml.planned_way(domain_xml.parsed(text, driver))
    assert (None if way is None else way.kind) == kind


def test_facts_are_those_of_the_xml() -> None:
    text = domain_xml.filled(domain_xml.built_in("qemu"), WORDS, elements(), "of the test")
    assert domain_xml.facts(domain_xml.parsed(text, "it")) == {
        "domain": "virtometer-a-1", "domain_uuid": UUID, "domain_type": "qemu", "os_type": "hvm", "machine": "q35",
        "cpus": 2, "memory_bytes": 512 << 20, "cpu": "maximum", "disk_cache": "none", "disk_format": "raw",
        "disk_aio": "native", "disk_device": "virtio", "network_device": "virtio", "network_backend": "user",
    }  # fmt: skip
    assert domain_xml.facts(ElementTree.fromstring("<domain type='xen'/>")) == {"domain_type": "xen"}


def test_labels_leave_files_as_they_are() -> None:
    assert domain_xml.labels([], 0, 0) == ""
    text = domain_xml.labels(["apparmor", "dac"], 1000, 100)
    assert "<seclabel type='none' model=\"apparmor\"/>" in text
    assert "relabel='no'><label>+1000:+100</label>" in text
