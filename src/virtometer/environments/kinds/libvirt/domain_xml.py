"""XML of libvirt's domains: templates that are filled in for each guest, facts and the channel read from what libvirt
made of them. Source: libvirt's "Domain XML format".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from virtometer.errors import EnvironmentFailed

PORT = "org.virtometer.0"
"""The name of the virtio port at which an agent answers, also in machines that others define."""

TEMPLATES = Path(__file__).parent / "domain_templates"

_PLACE = re.compile(r"\$\{(\w+)\}")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def built_in(driver: str) -> str:
    """The template for a driver. EnvironmentFailed where there is none."""
    try:
        return (TEMPLATES / f"{driver}.xml").read_text()
    except OSError as cause:
        known = ", ".join(sorted(path.stem for path in TEMPLATES.glob("*.xml")))
        raise EnvironmentFailed(
            f"there is no template for domains of the driver {driver}",
            advice=f"name one by the setting template, or use a driver of {known}",
        ) from cause


def places(template: str) -> frozenset[str]:
    """The names of what is filled in, such as memory_kib of ${memory_kib}."""
    return frozenset(_PLACE.findall(_COMMENT.sub("", template)))


def filled(template: str, words: Mapping[str, str], elements: Mapping[str, str], where: str) -> str:
    """Fill a template in: `words` are text, `elements` are XML. `where` is the template's name in errors.

    Raises EnvironmentFailed for a place that nothing fills, for what is no XML, and for a domain of another name.
    """

    def put(place: re.Match[str]) -> str:
        name = place[1]
        if name in elements:
            return elements[name]
        if name in words:
            return escape(words[name], {"'": "&apos;", '"': "&quot;"})
        known = ", ".join(sorted({*words, *elements}))
        raise EnvironmentFailed(
            f"the template {where} has ${{{name}}}, and nothing fills it here", advice=f"it may have {known}"
        )

    text = _PLACE.sub(put, _COMMENT.sub("", template))
    root = parsed(text, f"the template {where}")
    if root.findtext("name") != words["name"] or root.findtext("uuid") != words["uuid"]:
        raise EnvironmentFailed(
            f"the template {where} makes a domain with a name of its own",
            advice="write <name>${name}</name> and <uuid>${uuid}</uuid>, by which the laboratory removes its domains",
        )
    return text


def parsed(text: str, what: str) -> ElementTree.Element:
    """A domain's XML. Raises EnvironmentFailed for what is none."""
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as cause:
        raise EnvironmentFailed(f"{what} is no XML: {cause}") from cause
    if root.tag != "domain":
        raise EnvironmentFailed(f"{what} is no definition of a domain: it begins with <{root.tag}>")
    return root


# --- elements -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk of a machine: libvirt's bus and target, drivers of the guest, its device there.

    generic: only Debian's generic kernel has the drivers.
    """

    bus: str
    target: str
    drivers: tuple[str, ...]
    path: str
    controller: str = ""
    generic: bool = False


DISKS = {
    "virtio": Disk("virtio", "vda", ("virtio_blk",), "/dev/vda"),
    "virtio-scsi": Disk(
        "scsi", "sda", ("virtio_scsi", "sd_mod"), "/dev/sda", "<controller type='scsi' model='virtio-scsi'/>"
    ),
    "sata": Disk("sata", "sda", ("ahci", "sd_mod"), "/dev/sda", generic=True),
    "ide": Disk("ide", "hda", ("ata_piix", "sd_mod"), "/dev/sda"),
}
CARDS: dict[str, tuple[str, bool]] = {
    "virtio": ("virtio_net", False),
    "e1000": ("e1000", True),
    "e1000e": ("e1000e", True),
    "rtl8139": ("8139cp", True),
}
"""Driver of each network card in the guest, and whether only Debian's generic kernel has it."""


def disk_element(device: str, file: Path, cache: str, aio: str) -> str:
    """A disk on a file, which other guests may use at the same time."""
    disk = DISKS[device]
    return (
        f"{disk.controller}<disk type='file' device='disk'><driver name='qemu' type='raw' cache='{cache}' io='{aio}'/>"
        f"<source file={quoteattr(str(file))}/><target dev='{disk.target}' bus='{disk.bus}'/><shareable/></disk>"
    )


def card_element(device: str) -> str:
    """A network card behind the emulator's own address translation. Without its boot ROM it costs no time."""
    return f"<interface type='user'><model type='{device}'/><rom enabled='no'/></interface>"


def cpu_element(model: str) -> str:
    """maximum: all that can be emulated; host: the processor of the host; or a model that libvirt knows."""
    if model in ("maximum", "host"):
        return f"<cpu mode='{'maximum' if model == 'maximum' else 'host-passthrough'}'/>"
    words = quoteattr("forbid")
    return f"<cpu mode='custom' match='exact' check='none'><model fallback={words}>{escape(model)}</model></cpu>"


def directory_element(source: Path, target: str) -> str:
    """A directory of the host in a container."""
    return (
        f"<filesystem type='mount'><source dir={quoteattr(str(source))}/><target dir={quoteattr(target)}/></filesystem>"
    )


def quota_element(cpus: float | None) -> str:
    """Processors' worth of CPU time in each period of 0.1 s."""
    return "" if cpus is None else f"<cputune><period>100000</period><quota>{round(cpus * 100_000)}</quota></cputune>"


def labels(models: Sequence[str], user: int, group: int) -> str:
    """Run as `user`, with no file relabelled and no profile: as other kinds start their guests."""
    found = []
    for model in models:
        if model == "dac":
            label = f"<label>+{user}:+{group}</label>"
            found.append(f"<seclabel type='static' model='dac' relabel='no'>{label}</seclabel>")
        elif model != "none":
            found.append(f"<seclabel type='none' model={quoteattr(model)}/>")
    return "".join(found)


# --- what libvirt made ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Way:
    """How the agent of a domain is reached: `where` is a path, or HOST:PORT."""

    kind: Literal["unix", "tcp", "pty"]
    where: str


def way_in(root: ElementTree.Element) -> Way | None:
    """The channel of a running domain: the virtio port PORT, else a serial port over TCP, else a console."""
    for channel in root.iterfind("devices/channel"):
        target, source = channel.find("target"), channel.find("source")
        if target is not None and target.get("name") == PORT and source is not None:
            if channel.get("type") == "unix" and source.get("path"):
                return Way("unix", str(source.get("path")))
            if channel.get("type") == "pty" and source.get("path"):
                return Way("pty", str(source.get("path")))
    for serial in root.iterfind("devices/serial"):
        source = serial.find("source")
        if serial.get("type") == "tcp" and source is not None and source.get("mode") == "bind":
            return Way("tcp", f"{source.get('host', '')}:{source.get('service', '')}")
    for console in [*root.iterfind("devices/console"), *root.iterfind("devices/serial")]:
        source = console.find("source")
        if console.get("type") == "pty" and source is not None and source.get("path"):
            return Way("pty", str(source.get("path")))
    return None


def planned_way(root: ElementTree.Element) -> Way | None:
    """As `way_in`, of a domain that does not run yet: libvirt still chooses the paths that its XML lacks."""
    for channel in root.iterfind("devices/channel"):
        target = channel.find("target")
        if target is not None and target.get("name") == PORT and channel.get("type") in ("unix", "pty"):
            return Way("unix" if channel.get("type") == "unix" else "pty", "that the template makes")
    ports = [*root.iterfind("devices/serial"), *root.iterfind("devices/console")]
    if (way := way_in(root)) is None and any(port.get("type") == "pty" for port in ports):
        return Way("pty", "that the template makes")
    return way


def facts(root: ElementTree.Element) -> dict[str, Any]:
    """What a domain is by its XML. What the XML does not say is left out."""
    kind = root.find("os/type")
    found: dict[str, Any] = {
        "domain": root.findtext("name"),
        "domain_uuid": root.findtext("uuid"),
        "domain_type": root.get("type"),
        "os_type": None if kind is None else kind.text,
        "machine": None if kind is None else kind.get("machine"),
        "emulator": root.findtext("devices/emulator"),
    }
    if (cpus := root.findtext("vcpu")) is not None:
        found["cpus"] = int(cpus)
    if (memory := root.find("memory")) is not None and memory.text:
        found["memory_bytes"] = int(memory.text) * _UNITS.get(memory.get("unit", "KiB"), 1024)
    if (cpu := root.find("cpu")) is not None:
        found["cpu"] = cpu.findtext("model") or cpu.get("mode")
    for disk in root.iterfind("devices/disk"):
        driver, target = disk.find("driver"), disk.find("target")
        if driver is not None:
            names = {"cache": "disk_cache", "type": "disk_format", "io": "disk_aio"}
            found |= {name: driver.get(key) for key, name in names.items()}
        if target is not None:
            found["disk_device"] = target.get("bus")
        break
    for card in root.iterfind("devices/interface"):
        model = card.find("model")
        found |= {"network_device": None if model is None else model.get("type"), "network_backend": card.get("type")}
        break
    return {name: value for name, value in found.items() if value is not None}


_UNITS = {
    "b": 1,
    "bytes": 1,
    "KB": 1000,
    "k": 1024,
    "KiB": 1024,
    "M": 1 << 20,
    "MiB": 1 << 20,
    "G": 1 << 30,
    "GiB": 1 << 30,
}
