from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.network.lan import NAMESPACE, NAMESPACES, Lan, delete_draft
from virtometer.host.owned.directories import detach_mount
from virtometer.host.owned.journal import Journal, Resource
from virtometer.programs import Programs

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


@pytest.fixture
def lan(tmp_path: Path) -> Iterator[Lan]:
    one = Lan(Journal(tmp_path / "state"), Programs())
    yield one
    one.close()


@pytest.fixture
def namespace(lan: Lan, new_id: Callable[[], str]) -> Iterator[str]:
    """A network namespace for a guest, of the same name as the guest."""
    name = f"virtometer-{new_id()}"
    lan.add_namespace(name, name)
    yield name
    lan.delete_namespace(name)


def ip(namespace: str | None, *arguments: str) -> list[dict[str, Any]]:
    words = ["ip", "-j", *(["-n", namespace] if namespace else []), *arguments]
    found: list[dict[str, Any]] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout or "[]")
    return [one for one in found if one]


def reaches(namespace: str, address: str) -> bool:
    """Whether a TCP connection from a namespace to a listener at `address` in the other end's namespace works."""
    script = f"import socket; socket.create_connection(({address!r}, 7001), 5).close()"
    words = ["nsenter", f"--net={NAMESPACES / namespace}", "python3", "-c", script]
    return subprocess.run(words, capture_output=True).returncode == 0


@pytest.fixture
def listener(lan: Lan, namespace: str) -> Iterator[None]:
    """Something that accepts connections on the laboratory's side."""
    lan.attach_veth(namespace, namespace)
    script = (
        "import socket; s = socket.create_server(('10.77.0.1', 7001)); print(flush=True)\n"
        "while True: s.accept()[0].close()"
    )
    words = ["nsenter", f"--net={NAMESPACES / lan.name}", "python3", "-c", script]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    yield
    process.kill()
    process.communicate()


@needs_root
def test_a_guest_on_a_veth_pair_reaches_the_laboratory(lan: Lan, namespace: str, listener: None) -> None:
    assert reaches(namespace, "10.77.0.1")
    lan.detach(namespace)
    assert not reaches(namespace, "10.77.0.1")


@needs_root
def test_veth_gives_eth0_with_its_address_up(lan: Lan, namespace: str) -> None:
    path = lan.attach_veth(namespace, namespace)
    assert (path.kind, path.host_address, path.peer_address) == ("veth", "10.77.0.1", "10.77.0.1")
    assert path.namespace == lan.name
    assert path.guest_interface == "", "nothing is left for the guest to configure"
    [eth0] = ip(namespace, "address", "show", "eth0")
    [address] = [one for one in eth0["addr_info"] if one["family"] == "inet"]
    assert (address["local"], address["prefixlen"]) == (path.guest_address, path.prefix)
    assert eth0["operstate"] == "UP"


@needs_root
def test_a_tap_hangs_on_the_bridge_and_carries_offload_headers(lan: Lan, new_id: Callable[[], str]) -> None:
    guest_id = new_id()
    tap, path = lan.attach_tap(guest_id)
    assert (path.kind, path.guest_interface) == ("tap", "eth0")
    [link] = ip(lan.name, "-d", "link", "show", tap)
    assert link["master"] == "br0"
    assert link["linkinfo"]["info_data"]["vnet_hdr"] is True
    several, _ = lan.attach_tap(new_id(), queues=2)
    [link] = ip(lan.name, "-d", "link", "show", several)
    assert link["linkinfo"]["info_data"]["multi_queue"] is True
    lan.detach(guest_id)
    lan.detach(guest_id)
    assert tap not in [one["ifname"] for one in ip(lan.name, "link", "show")]


@needs_root
def test_nothing_is_made_in_the_hosts_own_namespace(lan: Lan, namespace: str, new_id: Callable[[], str]) -> None:
    watch = subprocess.Popen(["ip", "monitor", "link", "address", "route"], stdout=subprocess.PIPE)
    before = ip(None, "address", "show")
    lan.attach_veth(namespace, namespace)
    other = new_id()
    lan.attach_tap(other)
    lan.detach(other)
    lan.detach(namespace)
    lan.close()
    watch.terminate()
    seen, _ = watch.communicate()
    ours = [line for line in seen.decode().splitlines() if "veth" in line or "br0" in line or "tap" in line]
    assert ours == []
    assert [one["ifname"] for one in ip(None, "address", "show")] == [one["ifname"] for one in before]


@needs_root
def test_addresses_are_taken_in_turn_and_never_twice(lan: Lan, new_id: Callable[[], str]) -> None:
    first, second = new_id(), new_id()
    one = lan.attach_tap(first)[1].guest_address
    two = lan.attach_tap(second)[1].guest_address
    lan.detach(first)
    three = lan.attach_tap(first)[1].guest_address
    assert len({one, two, three}) == 3


@needs_root
def test_after_close_no_namespace_no_mount_and_no_journal_is_left(lan: Lan, new_id: Callable[[], str]) -> None:
    lan.attach_tap(new_id())
    assert (NAMESPACES / lan.name).exists()
    assert str(NAMESPACES / lan.name) in Path("/proc/self/mountinfo").read_text()
    lan.close()
    lan.close()
    assert not (NAMESPACES / lan.name).exists()
    assert lan.name not in Path("/proc/self/mountinfo").read_text()
    assert list(lan.journal.directory.iterdir()) == []


@needs_root
def test_it_is_made_again_after_close(lan: Lan, new_id: Callable[[], str]) -> None:
    lan.attach_tap(new_id())
    lan.close()
    lan.attach_tap(new_id())
    assert ip(lan.name, "link", "show", "br0")


@needs_root
@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_name_that_somebody_else_has_is_left_alone(lan: Lan, new_id: Callable[[], str], kind: str) -> None:
    path = NAMESPACES / lan.name
    path.parent.mkdir(exist_ok=True)
    path.write_text("in the way") if kind == "file" else path.symlink_to("/nowhere")
    try:
        with pytest.raises(EnvironmentFailed, match=f"{lan.name} belongs to somebody else"):
            lan.attach_tap(new_id())
        with pytest.raises(EnvironmentFailed, match="belongs to somebody else"):
            lan.add_namespace(new_id(), lan.name)
        lan.close()
        assert os.path.lexists(path)
        assert not lan.journal.directory.exists() or list(lan.journal.directory.iterdir()) == []
    finally:
        path.unlink()


@needs_root
def test_only_a_file_that_we_made_is_journaled(
    lan: Lan, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = NAMESPACES / lan.name
    path.parent.mkdir(exist_ok=True)
    record = lan.journal.record
    made: list[bool] = []

    def recorded(guest_id: str, resource: Resource, **fields: str | int) -> None:
        if resource is NAMESPACE:
            made.append(path.is_file() and path.stat().st_size == 0)
        record(guest_id, resource, **fields)

    monkeypatch.setattr(lan.journal, "record", recorded)
    lan.attach_tap(new_id())
    lan.close()
    assert made == [True]
    path.write_text("taken since")
    lexists = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda one: one != path and lexists(one))  # as it was a moment before
    try:
        with pytest.raises(EnvironmentFailed, match="belongs to somebody else"):
            lan.add_namespace(new_id(), lan.name)
        assert made == [True]
        assert path.read_text() == "taken since"
    finally:
        path.unlink()


KILLED_AT = ("record draft", "touch", "link", "record namespace", "unlink")
DYING_MAKER = """
import os, pathlib, signal, sys
from virtometer.host.owned.journal import Journal
from virtometer.host.network.lan import Lan
from virtometer.programs import Programs

name, state, moment = sys.argv[1:]
what, _, resource = moment.partition(" ")

def dying(owner, attribute):
    ordinary = getattr(owner, attribute)
    def call(*words, **options):
        done = ordinary(*words, **options)
        if not resource or resource in [getattr(word, "name", "") for word in words]:
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    setattr(owner, attribute, call)

lan = Lan(Journal(pathlib.Path(state)), Programs())
dying({"record": lan.journal, "link": os}.get(what, pathlib.Path), what)
lan.add_namespace(name, name)
"""


@needs_root
@pytest.mark.parametrize("moment", KILLED_AT)
def test_a_laboratory_killed_while_it_makes_a_namespace_leaves_nothing_after_the_clean_up(
    tmp_path: Path, new_id: Callable[[], str], moment: str
) -> None:
    name = f"virtometer-{new_id()}"
    state = tmp_path / "state"
    done = subprocess.run([sys.executable, "-c", DYING_MAKER, name, state, moment], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    [entry] = [json.loads(path.read_text()) for path in state.glob("*.json")]
    [draft] = [one["draft"] for one in entry["resources"] if one["resource"] == "draft"]
    [said] = remove_leftovers(Journal(state), Programs())
    assert "was removed" in said
    assert not os.path.lexists(NAMESPACES / name)
    assert not os.path.lexists(NAMESPACES / draft)
    assert name not in Path("/proc/self/mountinfo").read_text()


@needs_root
def test_a_draft_beside_a_name_that_somebody_else_has_goes_alone(tmp_path: Path, new_id: Callable[[], str]) -> None:
    name, draft = f"virtometer-{new_id()}", f".virtometer-{new_id()}"
    NAMESPACES.mkdir(exist_ok=True)
    (NAMESPACES / name).write_text("somebody else's")
    try:
        (NAMESPACES / draft).touch()
        assert delete_draft(draft, name, Programs())
        assert not delete_draft(draft, name, Programs())
        assert (NAMESPACES / name).read_text() == "somebody else's"
        assert not (NAMESPACES / draft).exists()
    finally:
        (NAMESPACES / name).unlink()


@needs_root
def test_what_cannot_be_journaled_is_not_left(
    lan: Lan, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise StorageError("the journal cannot be written")

    monkeypatch.setattr(lan.journal, "record", refused)
    with pytest.raises(StorageError):
        lan.add_namespace(new_id(), lan.name)
    assert not os.path.lexists(NAMESPACES / lan.name)


@needs_root
def test_a_namespace_that_cannot_be_made_leaves_nothing(
    lan: Lan, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lan.programs, "find", lambda *words: Path("/bin/false"))
    with pytest.raises(EnvironmentFailed):
        lan.attach_tap(new_id())
    assert not os.path.lexists(NAMESPACES / lan.name)
    assert list(lan.journal.directory.iterdir()) == []


def test_without_root_the_reason_is_said(lan: Lan, monkeypatch: pytest.MonkeyPatch, new_id: Callable[[], str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert "root" in lan.unavailable()
    with pytest.raises(EnvironmentFailed, match="root"):
        lan.attach_tap(new_id())


def test_unmounting_what_is_not_mounted_is_no_error(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        detach_mount(tmp_path)
    detach_mount(tmp_path / "missing")


@needs_root
def test_a_namespace_is_removed_although_somebody_has_mounted_over_it_since(
    lan: Lan, new_id: Callable[[], str]
) -> None:
    """As the first `ip netns add` of a machine does. In a mount namespace of its own: the machine keeps nothing."""
    name = f"virtometer-{new_id()}"
    script = (
        "import os, pathlib, subprocess, sys, tempfile\n"
        "from virtometer.host.owned.journal import Journal\n"
        "from virtometer.host.network.lan import NAMESPACES, Lan\n"
        "from virtometer.programs import Programs\n"
        "subprocess.run(['mount', '-t', 'tmpfs', 'none', '/run'], check=True)\n"
        "lan = Lan(Journal(pathlib.Path(sys.argv[2])), Programs())\n"
        "path = lan.add_namespace(sys.argv[1], sys.argv[1])\n"
        "subprocess.run(['mount', '--bind', NAMESPACES, NAMESPACES], check=True)\n"
        "lan.delete_namespace(sys.argv[1])\n"
        "assert not path.exists()\n"
        "subprocess.run(['umount', NAMESPACES], check=True)\n"
        "assert not path.exists() and sys.argv[1] not in open('/proc/self/mountinfo').read()\n"
    )
    words = ["unshare", "--mount", sys.executable, "-c", script, name, str(lan.journal.directory / "own")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
