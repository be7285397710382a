from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.conversation import Talk
from tests.waiting import wait_until
from virtometer.environments.base import Environment, Guest, LabContext, Settings
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.native import Native
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.leftovers import remove_leftovers
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.host.cpu import weight
from virtometer.host.cpu.accounting import Account, CgroupAccount, TreeAccount, all_cgroup_mounts
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs

OWN = "own, weight 8 times"
BY_V1 = any("cpu" in mount.controllers for mount in all_cgroup_mounts())
needs_groups = pytest.mark.skipif(
    os.geteuid() != 0 or not BY_V1, reason="only root has scheduling groups, here of version 1"
)

KILLED = """
import os, signal, sys
from pathlib import Path
from virtometer.host.owned.journal import Journal
from virtometer.host.cpu.weight import laboratory_group
with laboratory_group(Journal(Path(sys.argv[1]))):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def group_of(pid: int | str) -> Path:
    """The scheduling group of a process."""
    [mount] = [mount for mount in all_cgroup_mounts() if "cpu" in mount.controllers]
    found = mount.cgroup_of(pid)
    assert found is not None
    return found


def agent_of(guest: Guest) -> int:
    [agent] = [pid for pid in guest.processes() if Path(f"/proc/{pid}/comm").read_text().startswith("virtometer-agen")]
    return agent


def started(environment: Environment, guest_id: str, *, control: bool = False) -> ProcessGuest:
    settings: Settings = environment.settings_type()
    guest = (environment.start_control if control else environment.start)(settings, guest_id)
    assert isinstance(guest, ProcessGuest)
    Talk(guest).greet()
    return guest


def outermost(group: Path) -> Path:
    """The group of a guest, in or below which a process is."""
    return next(one for one in (group, *group.parents) if one.name.startswith("virtometer-"))


@needs_groups
@pytest.mark.parametrize("kind", [Native, Bubblewrap, Runc])
def test_guests_are_side_by_side_with_the_same_weight(
    lab: LabContext, new_id: Callable[[], str], kind: type[Environment]
) -> None:
    environment = kind(lab)
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    guest = started(environment, new_id())
    try:
        groups = {outermost(group_of(pid)) for pid in guest.processes()}
        assert [one.name for one in groups] == [f"virtometer-{guest.guest_id}"]
        [group] = groups
        assert group.parent == next(mount.path for mount in all_cgroup_mounts() if "cpu" in mount.controllers)
        assert int((group / "cpu.shares").read_text()) == 8 * 1024
        assert guest.effective[weight.CONDITION] == OWN
    finally:
        guest.stop()
    assert not group.exists()


@needs_groups
@pytest.mark.parametrize("kind", [Bubblewrap, Runc])
def test_a_launcher_has_no_hand_in_messages(
    lab: LabContext, new_id: Callable[[], str], kind: type[Environment]
) -> None:
    environment = kind(lab)
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    guest = environment.start(environment.settings_type(), new_id())
    assert isinstance(guest, ProcessGuest)
    try:
        talk = Talk(guest)
        talk.greet()
        agent = agent_of(guest)
        others = [pid for pid in guest.processes() if pid != agent]
        assert others
        before = [_switches(pid) for pid in others]
        for _ in range(200):
            talk.session.request("facts", {}, 5.0)
        # An idle runtime in Go wakes now and then. One that relays has hundreds of switches here.
        assert sum(_switches(pid) for pid in others) - sum(before) < 50
        channel = Path(f"/proc/{agent}/fd/3")
        assert channel.readlink().name.startswith("socket:")
    finally:
        guest.stop()


def _switches(pid: int) -> int:
    """Voluntary context switches of all threads of a process."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (task / "status").read_text().splitlines()
        total += int(next(line.split()[1] for line in lines if line.startswith("voluntary")))
    return total


@needs_groups
def test_the_control_is_launched_as_a_container_is(lab: LabContext, new_id: Callable[[], str]) -> None:
    subject, control = started(Native(lab), new_id()), started(Native(lab), new_id(), control=True)
    try:
        assert group_of(agent_of(subject)).name == f"virtometer-{subject.guest_id}"
        inner = group_of(agent_of(control))
        assert inner.name == "guest"
        assert inner.parent.name == f"virtometer-{control.guest_id}"
        assert int((inner / "cpu.shares").read_text()) == 1024
        [launcher] = [pid for pid in control.processes() if Path(f"/proc/{pid}/comm").read_text() == "sh\n"]
        assert group_of(launcher) == inner.parent
        assert control.effective[weight.CONDITION] == subject.effective[weight.CONDITION] == OWN
        assert "launched" not in subject.effective
        assert control.effective["launched"] == "by a program that stays, in a group inside its own"
        os.kill(agent_of(control), signal.SIGKILL)
        wait_until(lambda: not control.alive(), 5)
    finally:
        subject.stop()
        control.stop()
    assert not inner.parent.exists()


def test_without_groups_the_session_is_the_group_of_all_alike(
    lab: LabContext, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_tree(guest_id: str, _: Journal) -> Account:
        return TreeAccount(guest_id)

    monkeypatch.setattr("virtometer.environments.parts.process_guest.open_account", in_tree)
    expected = "session" if Path("/proc/sys/kernel/sched_autogroup_enabled").read_text() == "1\n" else "none"
    for control in (False, True):
        guest = started(Native(lab), new_id(), control=control)
        try:
            assert guest.effective[weight.CONDITION] == expected
            assert os.getsid(agent_of(guest)) not in (os.getsid(0), 0)
            assert group_of(agent_of(guest)) == group_of("self") if BY_V1 else True
            assert guest.effective.get("launched") == ("by a program that stays" if control else None)
        finally:
            guest.stop()


def test_a_kernel_without_autogroups_has_no_groups_by_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for text, said in (("0\n", "none"), ("1\n", "session"), (None, "none")):
        file = tmp_path / "switch"
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text)
        monkeypatch.setattr(weight, "AUTOGROUP", file)
        assert weight.weigh(TreeAccount("nobody")) == said


def test_in_version_2_the_weight_is_as_many_times_the_usual_one(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = tmp_path / "virtometer-v2"
    group.mkdir()
    (group / "cpu.weight").write_text("100")
    (group / "cgroup.subtree_control").write_text("")
    mount = next(one for one in all_cgroup_mounts())
    account = CgroupAccount("v2", journal, mount, group)
    monkeypatch.setattr(account, "join", lambda controller: (group, 2))
    assert weight.weigh(account) == "own, weight 8 times"
    assert (group / "cpu.weight").read_text() == "800"
    assert weight.inner_group(account) == group / "guest"
    assert (group / "cgroup.subtree_control").read_text() == "+cpu"


def test_who_has_no_groups_measures_all_the_same(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def in_tree(guest_id: str, _: Journal) -> Account:
        return TreeAccount(guest_id)

    monkeypatch.setattr(weight, "open_account", in_tree)
    with weight.laboratory_group(journal) as words:
        assert words in ("session", "none")
    assert not journal.directory.exists()


@needs_groups
def test_the_laboratory_is_in_a_group_of_its_own_and_leaves_it(journal: Journal) -> None:
    home = group_of("self")
    child: subprocess.Popen[bytes] | None = None
    try:
        with weight.laboratory_group(journal) as words:
            inside = group_of("self")
            child = subprocess.Popen(["sleep", "600"])
            assert words == OWN
            assert inside.name == f"virtometer-lab-{os.getpid()}"
            assert int((inside / "cpu.shares").read_text()) == 8 * 1024
            assert group_of(child.pid) == inside
        assert group_of("self") == home
        assert group_of(child.pid) == home  # it lives, and went back too
        assert child.poll() is None
        for mount in all_cgroup_mounts():
            assert not (mount.path / inside.name).exists()
        assert list(journal.directory.glob("*.json")) == []
    finally:
        if child is not None:
            child.kill()
            child.wait()


@needs_groups
def test_the_laboratory_leaves_its_group_also_when_it_is_interrupted(journal: Journal) -> None:
    home = group_of("self")
    with pytest.raises(KeyboardInterrupt), weight.laboratory_group(journal):
        raise KeyboardInterrupt
    assert group_of("self") == home
    assert list(journal.directory.glob("*.json")) == []


@needs_groups
def test_after_a_sigkill_the_clean_up_removes_the_group_of_the_laboratory(journal: Journal) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(journal.directory)], check=False)
    assert done.returncode == -signal.SIGKILL
    [entry] = journal.directory.glob("*.json")
    left = [mount.path / f"virtometer-{entry.stem}" for mount in all_cgroup_mounts()]
    assert any(one.exists() for one in left)
    [sentence] = remove_leftovers(journal, Programs())
    assert "was removed" in sentence
    assert not any(one.exists() for one in left)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")
