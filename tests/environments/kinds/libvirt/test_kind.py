"""Guests of libvirt under a daemon of the tests' own, and the flow with libvirt's test driver."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments import own_libvirtd
from tests.environments.kinds.libvirt.test_virsh import needs_virsh
from tests.environments.own_libvirtd import OwnLibvirtd
from tests.sentences import Said
from virtometer.environments.base import Check, Environment, LabContext
from virtometer.environments.kinds.libvirt import domain_xml
from virtometer.environments.kinds.libvirt import kind as libvirt
from virtometer.environments.kinds.libvirt.guest import DomainGuest
from virtometer.environments.kinds.libvirt.kind import Libvirt, LibvirtContainer
from virtometer.environments.kinds.libvirt.settings import DomainContainerSettings, DomainSettings
from virtometer.environments.kinds.libvirt.virsh import Connection, process_of
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.processors import allowed, tasks
from virtometer.host.owned.journal import Journal

needs_daemon = pytest.mark.skipif(
    not own_libvirtd.installed(), reason="starting libvirtd needs root and the Debian package libvirt-daemon"
)
UUID = "33333333-2222-4333-8444-555555555555"


@pytest.fixture(scope="module")
def daemon() -> Iterator[OwnLibvirtd]:
    with OwnLibvirtd() as one, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIBVIRT_DEFAULT_URI", one.uri("qemu"))
        yield one


Start = Callable[..., tuple[DomainGuest, Talk]]


@pytest.fixture
def start(daemon: OwnLibvirtd, lab: LabContext, new_id: Callable[[], str]) -> Iterator[Start]:
    """Start a guest of a kind whose agent has said hello; ended after the test."""
    guests = []

    def begin(kind: type[Environment], **settings: Any) -> tuple[DomainGuest, Talk]:
        environment = kind(lab)
        wanted = environment.settings_type.model_validate(settings)
        environment.prepare(wanted)
        guest = environment.start(wanted, new_id())
        guests.append(guest)
        assert isinstance(guest, DomainGuest)
        talk = Talk(guest)
        talk.greet()
        return guest, talk

    yield begin
    for guest in guests:
        guest.stop()
        assert traces.of(guest.guest_id) == []


def domains(daemon: OwnLibvirtd, driver: str, lab: LabContext) -> list[str]:
    return Connection(lab.programs, daemon.uri(driver)).run(["list", "--all", "--name"], purpose="list").split()


@needs_daemon
def test_a_daemon_of_the_tests_that_ends_takes_nothing_from_another() -> None:
    with contextlib.ExitStack() as until:
        with OwnLibvirtd() as first:
            second = until.enter_context(OwnLibvirtd())
            assert first.mounted() and second.mounted()
        assert second.mounted()


@needs_daemon
def test_a_daemon_that_starts_again_is_waited_for(daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path) -> None:
    socket = tmp_path / "socket"
    socket.symlink_to(daemon.directory / "libvirt-sock")
    connection = Connection(lab.programs, f"qemu+unix:///system?socket={socket}")
    assert connection.state("virtometer-nothing") is None
    socket.unlink()
    again = threading.Timer(1.0, socket.symlink_to, [daemon.directory / "libvirt-sock"])
    again.start()
    try:
        assert connection.state("virtometer-nothing") is None
    finally:
        again.join()


# --- what is made ---------------------------------------------------------------------------------------------


@needs_daemon
@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"machine": "q35", "disk_device": "sata", "network_device": "e1000e", "memory": "256M", "cpus": 1},
        {"disk_device": "ide", "network_device": "rtl8139", "cpu": "EPYC", "disk_cache": "unsafe"},
        {"disk_device": "virtio-scsi", "network_device": "e1000", "disk_aio": "io_uring"},
    ],
    ids=["q35", "ide", "scsi"],
)
def test_a_machine_has_what_was_asked_for(
    start: Start, asked: dict[str, Any], daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path
) -> None:
    guest, talk = start(Libvirt, **asked)
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert facts["cpus_online"] == asked.get("cpus", len(lab.processors))
    assert guest.effective["cpus"] == facts["cpus_online"]
    assert guest.effective["memory_bytes"] == (256 << 20 if "memory" in asked else 512 << 20)
    assert guest.effective["cpu"] == asked.get("cpu", "maximum")
    assert asked.get("machine", "pc-i440fx") in guest.effective["machine"]
    assert guest.effective["network_device"] == asked["network_device"]
    assert sorted(facts["interfaces"]) == ["eth0", "lo"]
    guest.stop()
    assert domains(daemon, "qemu", lab) == []


@needs_daemon
def test_what_libvirt_refuses_is_said_when_it_is_prepared(daemon: OwnLibvirtd, lab: LabContext) -> None:
    one = Libvirt(lab)
    with pytest.raises(EnvironmentFailed, match="no-such-cpu"):
        one.prepare(DomainSettings(cpu="no-such-cpu"))
    assert domains(daemon, "qemu", lab) == []


@needs_daemon
def test_a_container_has_the_limits_that_were_asked_for(start: Start) -> None:
    guest, talk = start(LibvirtContainer, cpus=0.5, memory="64M", cpuset=(0,))
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert (facts["pid"], sorted(facts["interfaces"])) == (1, ["eth0", "lo"])
    effective = guest.effective
    assert (effective["cpus"], effective["memory"], effective["cpuset"]) == (0.5, 64 << 20, "0")
    assert effective["cpu_accounting"] in ("cgroup-v1", "cgroup-v2")
    assert effective["hypervisor"].startswith("LXC")
    done = talk.measure("memory", "read", {"size": 1 << 20}, seconds=1.0)
    assert done.cpu.user_ns + done.cpu.system_ns < 0.75e9


@needs_daemon
def test_a_template_of_the_plan_is_used(start: Start, tmp_path: Path) -> None:
    template = tmp_path / "mine.xml"
    text = domain_xml.built_in("lxc").replace("<on_poweroff>", "<title>of the plan</title><on_poweroff>")
    template.write_text(text)
    guest, _ = start(LibvirtContainer, template=str(template))
    assert guest.effective["template"] == str(template)
    connection = Connection(guest.lab.programs, guest.effective["uri"])
    assert "<title>of the plan</title>" in connection.description(guest.effective["domain"])


@needs_daemon
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("<domain type='lxc'>", "is no XML"),
        ("<domain type='lxc'><name>${name}</name><uuid>${uuid}</uuid></domain>", "libvirt at"),
        ("<domain type='lxc'><name>web</name><uuid>${uuid}</uuid></domain>", "a name of its own"),
    ],
    ids=["missing", "broken", "empty", "foreign"],
)
def test_a_template_that_makes_no_guest_leaves_nothing(
    daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path, text: str | None, said: str, new_id: Callable[[], str]
) -> None:
    template = tmp_path / "mine.xml"
    if text is not None:
        template.write_text(text)
    with pytest.raises(EnvironmentFailed, match=said):
        LibvirtContainer(lab).start(DomainContainerSettings(template=str(template)), new_id())
    assert domains(daemon, "lxc", lab) == []


@needs_daemon
def test_a_domain_of_ours_goes_with_the_variables_of_its_firmware_and_its_snapshots(
    daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path
) -> None:
    name, variables = f"virtometer-firm-{os.getpid()}", tmp_path / "variables.fd"
    firmware, disk = tmp_path / "firmware.fd", tmp_path / "disk.qcow2"
    for file in (firmware, variables):
        file.write_bytes(bytes(1 << 16))
    text = (
        f"<domain type='qemu'><name>{name}</name><uuid>{UUID}</uuid><memory>65536</memory><vcpu>1</vcpu><os>"
        f"<type arch='x86_64' machine='q35'>hvm</type><loader readonly='yes' type='pflash'>{firmware}</loader>"
        f"<nvram>{variables}</nvram></os><features><acpi/></features><devices><disk type='file' device='disk'>"
        f"<driver name='qemu' type='qcow2'/><source file='{disk}'/><target dev='vda' bus='virtio'/></disk></devices>"
        "</domain>"
    )
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", disk, "1M"], check=True)
    snapshot = "<domainsnapshot><name>first</name></domainsnapshot>"
    connection = Connection(lab.programs, daemon.uri("qemu"))
    connection.run(["define", "/dev/stdin"], purpose="define", input_bytes=text.encode())
    connection.run(
        ["snapshot-create", name, "/dev/stdin", "--disk-only"], purpose="keep", input_bytes=snapshot.encode()
    )
    assert connection.remove(name) == f"domain {name}"
    assert domains(daemon, "qemu", lab) == []
    assert not variables.exists()


# --- what exists ----------------------------------------------------------------------------------------------


def defined(lab: LabContext, uri: str, text: str, name: str) -> tuple[Connection, str]:
    """A domain of somebody else's that runs, and its XML as it is defined."""
    connection = Connection(lab.programs, uri)
    connection.run(["define", "/dev/stdin"], ["start", name], purpose="a domain", input_bytes=text.encode())
    return connection, connection.run(["dumpxml", "--inactive", name], purpose="its definition")


@needs_daemon
def test_a_machine_that_runs_is_entered_and_stays_as_it_is(
    start: Start, daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path
) -> None:
    name, machine = f"shop-{os.getpid()}", Libvirt(lab)
    kernel, image = machine.boot_files(DomainSettings())
    words = {
        "name": name, "uuid": UUID, "processors": "0-1", "memory_kib": "262144", "cpus": "1", "type": "qemu",
        "machine": "pc", "kernel": str(kernel), "initramfs": str(image), "console": str(tmp_path / "console"),
        "channel": f"{daemon.directory}/agent", "kernel_parameters": "console=ttyS0 quiet tsc=reliable no_timer_check "
        f"virtometer.channel=virtio:{domain_xml.PORT}",
    }  # fmt: skip
    given = {"cpu": domain_xml.cpu_element("maximum"), "disk": "", "interface": "", "labels": ""}
    text = domain_xml.filled(domain_xml.built_in("qemu"), words, given, "of the test")
    # Its agent is its first process: when that has said goodbye the machine begins again, and runs all the time.
    text = text.replace(">destroy</on_", ">restart</on_")
    connection, definition = defined(lab, daemon.uri("qemu"), text, name)
    try:
        pid = process_of(name, UUID)
        assert pid is not None
        before = {task: allowed(task) for task in tasks([pid])}
        guest, talk = start(Libvirt, domain=name)
        assert guest.effective["entered"] is True
        assert (guest.effective["domain"], guest.effective["memory_bytes"]) == (name, 256 << 20)
        assert guest.effective["cpu_accounting"] in ("cgroup-v1", "cgroup-v2")
        guest.place({max(lab.processors)})
        assert talk.measure("memory", "read", {"size": 1 << 20}).value > 0
        assert guest.cpu_ns() > 0
        assert (guest.disk, guest.network) == (None, None)
        guest.stop()
        assert connection.state(name) == "running"
        assert process_of(name, UUID) == pid
        assert {task: allowed(task) for task in before if allowed(task)}.items() <= before.items()
        assert connection.run(["dumpxml", "--inactive", name], purpose="its definition") == definition
    finally:
        connection.remove(name)


def container(lab: LabContext, name: str, root: Path) -> str:
    """A container in which some program runs."""
    for directory in ("proc", "sys", "dev", "tmp"):
        (root / directory).mkdir(parents=True)
    (root / "work").write_bytes(lab.agent.read_bytes())
    (root / "work").chmod(0o755)
    words = ["measure", "os", "--op", "context-switch", "--seconds", "600"]
    arguments = "".join(f"<initarg>{word}</initarg>" for word in words)
    return f"""<domain type='lxc'><name>{name}</name><uuid>{UUID}</uuid><memory unit='MiB'>512</memory>
        <os><type>exe</type><init>/work</init>{arguments}</os><features><privnet/></features>
        <devices><filesystem type='mount'><source dir='{root}'/><target dir='/'/></filesystem>
        <console type='pty'/></devices></domain>"""


@needs_daemon
def test_a_container_that_runs_is_entered_and_stays_as_it_is(
    start: Start, daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path
) -> None:
    name = f"store-{os.getpid()}"
    connection, definition = defined(lab, daemon.uri("lxc"), container(lab, name, tmp_path / "root"), name)
    try:
        pid, files = process_of(name, UUID), sorted((tmp_path / "root").iterdir())
        guest, talk = start(LibvirtContainer, domain=name)
        facts = talk.session.request("facts", {}, ANSWER_S)
        assert facts["interfaces"] == ["lo"]
        assert guest.effective["entered"] is True
        assert talk.measure("memory", "read", {"size": 1 << 20}).value > 0
        assert guest.cpu_ns() > 0
        assert guest.alive()
        assert sorted((tmp_path / "root").iterdir()) == files
        guest.stop()
        assert not guest.alive()
        assert connection.state(name) == "running"
        assert process_of(name, UUID) == pid
        assert connection.run(["dumpxml", "--inactive", name], purpose="its definition") == definition
    finally:
        connection.remove(name)


@needs_daemon
def test_a_laboratory_that_is_killed_leaves_a_container_that_it_entered(
    daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path
) -> None:
    name = f"yard-{os.getpid()}"
    connection, _ = defined(lab, daemon.uri("lxc"), container(lab, name, tmp_path / "root"), name)
    try:
        pid = process_of(name, UUID)
        disk = tmp_path / "disk.img"
        disk.write_bytes(bytes(1 << 20))
        (tmp_path / "other").mkdir()
        words = [
            "libvirt-lxc",
            "entered",
            str(lab.agent),
            str(tmp_path / "other"),
            str(disk),
            f'{{"domain": "{name}"}}',
            "0",
        ]
        laboratory = subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.laboratory", *words],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[4],
        )
        assert laboratory.stdout is not None
        assert laboratory.stdout.readline() == b"up\n"
        laboratory.kill()
        laboratory.communicate()
        said = remove_leftovers(Journal(tmp_path / "other" / "state"), lab.programs)
        assert not any("could not" in sentence for sentence in said), said
        assert traces.after_a_kill("lxc-enter-namespace") == []
        assert (connection.state(name), process_of(name, UUID)) == ("running", pid)
    finally:
        connection.remove(name)


@needs_daemon
def test_what_cannot_be_entered_is_said(daemon: OwnLibvirtd, lab: LabContext, tmp_path: Path) -> None:
    for use in (Libvirt(lab).prepare, lambda settings: Libvirt(lab).start(settings, "entered")):
        with pytest.raises(EnvironmentFailed, match="has no domain nobody"):
            use(DomainSettings(domain="nobody"))
    name, off = f"dark-{os.getpid()}", f"off-{os.getpid()}"
    connection, _ = defined(lab, daemon.uri("lxc"), container(lab, name, tmp_path / "root"), name)
    try:
        text = container(lab, off, tmp_path / "other").replace(UUID, UUID.replace("3", "4"))
        connection.run(["define", "/dev/stdin"], purpose="one that is off", input_bytes=text.encode())
        for use in (LibvirtContainer(lab).prepare, lambda settings: LibvirtContainer(lab).start(settings, "entered")):
            with pytest.raises(EnvironmentFailed, match=f"the domain {off} is shut off") as raised:
                use(DomainContainerSettings(domain=off))
            assert raised.value.advice == f"start it: virsh start {off}"
        LibvirtContainer(lab).prepare(DomainContainerSettings(domain=name))
        with pytest.raises(EnvironmentFailed, match=r"the agent's channel 127\.0\.0\.1:1 cannot be opened"):
            LibvirtContainer(lab).start(DomainContainerSettings(domain=name, address="127.0.0.1:1"), "entered")
        assert connection.state(name) == "running"
    finally:
        connection.remove(name)
        connection.remove(off)


# --- without a daemon -----------------------------------------------------------------------------------------


@needs_virsh
def test_a_domain_that_runs_nothing_has_no_channel(said: Said, lab: LabContext) -> None:
    with pytest.raises(EnvironmentFailed, match="has no channel to an agent") as raised:
        Libvirt(lab).start(DomainSettings(uri="test:///default"), "tried")
    assert domain_xml.PORT in raised.value.advice
    entered = DomainSettings(uri="test:///default", domain="test")
    for use in (Libvirt(lab).prepare, lambda settings: Libvirt(lab).start(settings, "tried")):
        with pytest.raises(EnvironmentFailed, match="the domain test has no channel to an agent"):
            use(entered)
    Libvirt(lab).prepare(entered.model_copy(update={"address": "192.0.2.7:5000"}))
    with pytest.raises(EnvironmentFailed, match="driver test makes has no channel") as raised:
        Libvirt(lab).prepare(DomainSettings(uri="test:///default"))
    said(raised.value.sentence)


@needs_virsh
@pytest.mark.parametrize("uri", ["vbox:///session", "esx://esx.example/", "hyperv://host.example", "vz:///system"])
def test_a_hypervisor_that_boots_no_kernel_of_ours_needs_an_image(lab: LabContext, uri: str) -> None:
    with pytest.raises(EnvironmentFailed, match="boots no kernel of this host") as raised:
        Libvirt(lab).prepare(DomainSettings(uri=uri))
    assert "by the setting disk_image" in raised.value.advice
    image = DomainSettings(uri=uri, disk_image="/vm/agent.img")
    if uri.startswith("hyperv"):
        with pytest.raises(EnvironmentFailed, match="driver hyperv makes has no channel") as raised:
            Libvirt(lab).prepare(image)
        assert raised.value.advice.endswith("or name the setting address")
        image = image.model_copy(update={"address": "192.0.2.7:5000"})
    Libvirt(lab).prepare(image)


@needs_virsh
def test_a_container_of_an_image_needs_an_address_before_it_is_measured(lab: LabContext) -> None:
    image = DomainContainerSettings(uri="openvz:///system", disk_image="debian-12")
    with pytest.raises(EnvironmentFailed, match="is entered by an address, and address is not set"):
        LibvirtContainer(lab).prepare(image)
    LibvirtContainer(lab).prepare(image.model_copy(update={"address": "192.0.2.7:5000"}))


@needs_virsh
def test_the_template_of_a_container_is_read_before_it_is_measured(lab: LabContext, tmp_path: Path) -> None:
    template = tmp_path / "mine.xml"
    settings = DomainContainerSettings(template=str(template))
    with pytest.raises(EnvironmentFailed, match="cannot be read"):
        LibvirtContainer(lab).prepare(settings)
    template.write_text("<domain type='lxc'><name>${name}</name><uuid>${uuid}</uuid>${kernel}</domain>")
    with pytest.raises(EnvironmentFailed, match=r"has \$\{kernel\}, and nothing fills it here"):
        LibvirtContainer(lab).prepare(settings)
    template.write_text(domain_xml.built_in("lxc"))
    LibvirtContainer(lab).prepare(settings)


@needs_virsh
def test_a_setting_that_a_template_ignores_is_refused(lab: LabContext) -> None:
    with pytest.raises(EnvironmentFailed, match=r"driver xen has no \$\{disk\}, so disk_device ") as raised:
        Libvirt(lab).prepare(DomainSettings(uri="xen:///system", disk_device="virtio"))
    assert raised.value.advice.startswith("leave disk_device out")
    with pytest.raises(EnvironmentFailed, match=r"driver openvz has no \$\{quota\}, so cpus cannot be set"):
        LibvirtContainer(lab).prepare(
            DomainContainerSettings(uri="openvz:///system", disk_image="debian-12", address="192.0.2.7:5000", cpus=0.5)
        )


@needs_virsh
def test_kvm_is_tried_before_a_machine_is_measured(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "KVM is here, but it runs the kernel of a guest 900 times slower"
    monkeypatch.setattr(libvirt, "kvm_fault", lambda lab: Check(False, said))
    local = "qemu+unix:///system?socket=/no/such/socket"
    with pytest.raises(EnvironmentFailed, match=f"accelerator kvm cannot be used: {said}") as raised:
        Libvirt(lab).prepare(DomainSettings(uri=local, accelerator="kvm"))
    assert "virtometer doctor kvm" in raised.value.advice
    with pytest.raises(EnvironmentFailed, match="is on another host"):
        Libvirt(lab).prepare(DomainSettings(uri="qemu+ssh://host.example/system", accelerator="kvm"))


@needs_virsh
def test_a_hypervisor_on_another_host_has_no_kernel_of_ours(said: Said, lab: LabContext) -> None:
    for uri in ("qemu+ssh://host.example/system", "xen+ssh://host.example/system"):
        with pytest.raises(EnvironmentFailed, match="is on another host") as raised:
            Libvirt(lab).prepare(DomainSettings(uri=uri))
        said(raised.value.sentence)
    with pytest.raises(EnvironmentFailed, match="is on another host") as raised:
        LibvirtContainer(lab).prepare(DomainContainerSettings(uri="lxc+ssh://host.example/system"))
    said(raised.value.sentence)
