"""What machines and containers of libvirt have in common: how a domain is made, followed, entered and reached."""

from __future__ import annotations

import secrets
import uuid
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar
from urllib.parse import urlsplit
from xml.etree import ElementTree

from virtometer.environments.base import Check, Environment, LabContext, Lacks
from virtometer.environments.kinds.libvirt import domain_xml
from virtometer.environments.kinds.libvirt.domain_xml import Way
from virtometer.environments.kinds.libvirt.guest import DomainGuest, connected
from virtometer.environments.kinds.libvirt.template_check import AnySettings, template_of
from virtometer.environments.kinds.libvirt.virsh import (
    DAEMON_DRIVERS,
    DOMAIN,
    Connection,
    default_uri,
    driver_of,
    is_local,
    process_of,
)
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.host.owned.journal import Resource

_START_S = 60.0
_NO_PROCESSES = ("xen", "test")
"""Drivers whose domains are no work of the kernel that the laboratory runs on: it is a guest beside them."""
BY_IMAGE = ("esx", "vbox", "hyperv", "vz", "openvz")
"""Drivers whose guests boot a disk or a template of their own."""
BOOTS_KERNEL = ("qemu", "xen")
"""Drivers whose machines boot a kernel of this host."""


class OfLibvirt(Environment):
    """What machines and containers of libvirt have in common."""

    program: ClassVar[str] = "virsh"
    package: ClassVar[str] = "libvirt-clients"
    resources: ClassVar[tuple[Resource, ...]] = (DOMAIN,)
    check_settings: ClassVar[tuple[str, ...]] = ("uri", "domain", "template")
    default_driver: ClassVar[str]

    def __init__(self, lab: LabContext) -> None:
        """Only keeps the context."""
        super().__init__(lab)
        self._connections: dict[str, Connection] = {}

    def connection(self, settings: AnySettings) -> Connection:
        """The hypervisor of these settings, which is asked nothing yet."""
        uri = settings.uri or default_uri(self.default_driver)
        return self._connections.setdefault(uri, Connection(self.lab.programs, uri))

    def lacks(self) -> Lacks:
        """What guests of the default hypervisor lack. Domains that are entered have no disk and no network."""
        uri = default_uri(self.default_driver)
        driver = driver_of(uri)
        whole = driver in DAEMON_DRIVERS
        reason = "" if whole else f"a domain of the driver {driver} gets none of the laboratory's"
        if whole and not is_local(uri):
            reason = f"a domain at {uri} is on another host"
        alone = f"all domains of the driver {driver} would boot one disk_image" if driver in BY_IMAGE else ""
        limits = self.no_limits(driver)
        return Lacks(
            disk=reason and f"no disk: {reason}",
            network=reason and f"no network: {reason}",
            several_guests=alone,
            cpu_limit=limits,
            memory_limit=limits,
        )

    def no_limits(self, driver: str) -> str:
        """Why guests of a driver have no limits of their processors and memory; empty where they have."""
        return ""

    @contextmanager
    def defining(self, guest: DomainGuest, connection: Connection) -> Iterator[dict[str, str]]:
        """Give the words that every template may have, for a domain that is removed when the guest stops."""
        words = {
            "name": f"virtometer-{guest.guest_id}-{secrets.token_hex(2)}",
            "uuid": str(uuid.uuid4()),
            "processors": str(guest.effective["processors"]),
        }
        self.lab.journal.record(guest.guest_id, DOMAIN, uri=connection.uri, name=words["name"], uuid=words["uuid"])
        guest.on_stop(lambda: connection.remove(words["name"]))
        guest.effective |= {"uri": connection.uri, **connection.version()}
        yield words

    def define(
        self,
        guest: DomainGuest,
        connection: Connection,
        settings: AnySettings,
        words: Mapping[str, str],
        elements: Mapping[str, str],
        *,
        start: list[str] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> ElementTree.Element:
        """Fill the template in, define and start the domain, and find its processes; returns its XML.

        start: options of virsh's start.
        """
        template, where = template_of(connection.driver, settings)
        text = domain_xml.filled(template, words, elements, where)
        name = words["name"]
        printed = connection.run(
            ["define", "/dev/stdin"],
            ["start", name, *(start or [])],
            ["dumpxml", name],
            purpose=f"define and start {name}",
            limit_s=_START_S,
            pass_fds=pass_fds,
            input_bytes=text.encode(),
        )
        root = domain_xml.parsed(_xml_of(printed), f"what libvirt made of {name}")
        guest.effective |= domain_xml.facts(root)
        if settings.template is not None:
            guest.effective["template"] = settings.template
        self.follow(guest, connection, name, words["uuid"])
        return root

    def follow(self, guest: DomainGuest, connection: Connection, name: str, identity: str) -> int | None:
        """Find the processes of a domain that runs; returns the first of them, None where they are not visible."""
        pid = process_of(name, identity) if connection.local else None
        if pid is not None:
            guest.follow(pid, name)
            return pid
        reason = f"libvirt at {connection.uri} shows no process of {name} on this host"
        here = connection.local and connection.driver not in _NO_PROCESSES
        guest.follow_nothing(reason, lambda: connection.state(name) == "running", on_this_host=here)
        time_ns = connection.statistics(name).get("cpu.time")
        if time_ns is not None:
            guest.effective["domain_cpu_ns_at_start"] = int(time_ns)
        return None

    def running(self, connection: Connection, settings: AnySettings) -> tuple[ElementTree.Element, Way | None]:
        """The XML of a domain that is entered, and the channel to its agent; None where one is started in it.

        Nothing of it is changed. Raises EnvironmentFailed where it does not exist or run, or has no channel.
        """
        assert settings.domain is not None
        state = connection.state(settings.domain)
        if state is None:
            raise EnvironmentFailed(f"libvirt at {connection.uri} has no domain {settings.domain}")
        if state != "running":
            raise EnvironmentFailed(
                f"the domain {settings.domain} is {state}", advice=f"start it: virsh start {settings.domain}"
            )
        root = domain_xml.parsed(connection.description(settings.domain), f"the definition of {settings.domain}")
        way = Way("tcp", settings.address) if settings.address else domain_xml.way_in(root)
        if way is not None and not (way.kind == "pty" and settings.containers):
            return root, on_host(way, connection.uri)
        if not self.takes_an_agent(connection, settings.domain, root):
            raise no_channel(settings.domain)
        return root, None

    def takes_an_agent(self, connection: Connection, name: str, root: ElementTree.Element) -> bool:
        """Whether an agent can be started in a domain that runs."""
        return False

    def entered(self, guest: DomainGuest, connection: Connection, settings: AnySettings) -> int | None:
        """Look at a domain that exists: its facts and processes. Nothing of it is changed. Raises EnvironmentFailed."""
        assert settings.domain is not None
        guest.owned = False
        root, way = self.running(connection, settings)
        guest.effective |= {"uri": connection.uri, **connection.version(), **domain_xml.facts(root), "entered": True}
        guest.refused_programs = dict.fromkeys(
            (one.name for one in self.lab.host_programs), "the domain has none of its own"
        )
        pid = self.follow(guest, connection, settings.domain, root.findtext("uuid") or "")
        if way is not None:
            guest.stream = connected(way)
        return pid

    def makes_guests(self, settings: AnySettings) -> bool:
        """Whether the laboratory makes guests with these settings from what this host has."""
        connection = self.connection(settings)
        entered_or_planned = settings.domain is not None or settings.template is not None
        return connection.local and connection.driver in (*BOOTS_KERNEL, "lxc") and not entered_or_planned

    def check_answer(self, settings: AnySettings) -> Check:
        """Whether libvirt answers. Whether the rest can be had, `prepare` says."""
        connection = self.connection(settings)
        try:
            found = connection.version()
        except VirtometerError as cause:
            return Check(False, cause.sentence, cause.advice or f"see whether virsh -c {connection.uri} works")
        return Check(True, f"libvirt answers at {connection.uri}", found=found)

    def check_domain(self, settings: AnySettings, guest_id: str) -> Check:
        """Whether a domain starts here."""
        connection = self.connection(settings)
        try:
            found = connection.version()
            self.try_start(settings, guest_id)
        except (VirtometerError, OSError) as cause:
            advice = cause.advice if isinstance(cause, VirtometerError) else ""
            return Check(False, str(cause).replace("\n", " "), advice or f"see whether virsh -c {connection.uri} works")
        return Check(True, f"a domain started at {connection.uri}", found=found)

    @abstractmethod
    def try_start(self, settings: AnySettings, guest_id: str) -> None:
        """Start a guest and end it. Raises EnvironmentFailed with libvirt's reason."""


def _xml_of(printed: str) -> str:
    begin = printed.find("<domain")
    return printed[begin:] if begin >= 0 else printed


def require_host(connection: Connection, settings: AnySettings) -> None:
    """Raise EnvironmentFailed where a template needs files of the hypervisor's host, and that is another one."""
    if not connection.local and settings.template is None:
        raise EnvironmentFailed(
            f"libvirt at {connection.uri} is on another host, which has no kernel and no agent of this one",
            advice="enter a domain that runs there by the setting domain, name a template, or measure on that host",
        )


def require_image(connection: Connection, settings: AnySettings) -> None:
    """Raise EnvironmentFailed where nothing says what a guest of a hypervisor boots."""
    if settings.disk_image is None and settings.template is None:
        raise EnvironmentFailed(
            f"the driver {connection.driver} boots no kernel of this host",
            advice="name a disk that starts an agent by the setting disk_image, or a template that has all by template",
        )


def on_host(way: Way, uri: str) -> Way:
    """The same way; a port that listens on all addresses of the hypervisor is reached at its name."""
    host, _, port = way.where.rpartition(":")
    if way.kind == "tcp" and host in ("", "0.0.0.0", "::", "[::]"):
        return Way("tcp", f"{urlsplit(uri).hostname or '127.0.0.1'}:{port}")
    if way.kind != "tcp" and urlsplit(uri).netloc:
        raise EnvironmentFailed(
            f"the channel {way.where} is on the host of {uri}", advice="name an address by the setting address"
        )
    return way


def no_channel(name: str) -> EnvironmentFailed:
    """The error of a domain to which no agent can be reached."""
    return EnvironmentFailed(
        f"the domain {name} has no channel to an agent",
        advice=f"give it a virtio port named {domain_xml.PORT} at which an agent answers, or name the setting address",
    )
