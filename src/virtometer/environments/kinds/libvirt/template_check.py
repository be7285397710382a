"""Is the template of a domain fit for the settings of a plan? Found out before anything is defined."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from virtometer.environments.kinds.libvirt import domain_xml
from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings
from virtometer.errors import EnvironmentFailed

_EVERY = ("name", "uuid", "processors", "memory_kib")
_KERNEL = ("kernel", "initramfs", "kernel_parameters")
_MACHINE = (*_EVERY, "cpus", "disk_image", "serial_host", "serial_port")
_WORDS = {
    "qemu": (*_MACHINE, *_KERNEL, "type", "machine", "console", "channel"),
    "xen": (*_MACHINE, *_KERNEL),
    "lxc": (*_EVERY, "agent", "root", "network_process"),
    "openvz": (*_EVERY, "disk_image"),
}
_MOST = 1 << 20  # characters of a template
_ELEMENTS = {"qemu": ("disk", "interface", "cpu", "labels"), "lxc": ("quota", "data", "labels")}

AnySettings = DomainSettings | DomainContainerSettings


def template_of(driver: str, settings: AnySettings) -> tuple[str, str]:
    """The template for guests with these settings, and its name in errors. Raises EnvironmentFailed without one."""
    if settings.template is None:
        return domain_xml.built_in(driver), f"of the driver {driver}"
    try:
        with Path(settings.template).open(encoding="utf-8") as file:
            text = file.read(_MOST + 1)
    except (OSError, UnicodeDecodeError) as cause:
        raise EnvironmentFailed(f"the template {settings.template} cannot be read: {cause}") from cause
    if len(text) > _MOST:
        raise EnvironmentFailed(f"the template {settings.template} has more than {_MOST >> 20} MiB")
    return text, f"{settings.template} for the driver {driver}"


def checked_template(driver: str, settings: AnySettings) -> ElementTree.Element:
    """The template with something in each of its places.

    Raises EnvironmentFailed where it cannot be read, makes no domain of ours, has a place that nothing fills with this
    driver, or lacks the place of a setting that the plan names.
    """
    text, where = template_of(driver, settings)
    words = dict.fromkeys(_WORDS.get(driver, _MACHINE), "1")
    elements = dict.fromkeys(_ELEMENTS.get(driver, ()), "")
    root = domain_xml.parsed(domain_xml.filled(text, words, elements, where), f"the template {where}")
    places = domain_xml.places(text)
    for setting, place in settings.places.items():
        if setting in settings.model_fields_set and getattr(settings, setting) is not None and place not in places:
            raise EnvironmentFailed(
                f"the template {where} has no ${{{place}}}, so {setting} cannot be set",
                advice=f"leave {setting} out, or name a template that has it by the setting template",
            )
    return root
