from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from virtometer.environments.base import LabContext
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu import accounting
from virtometer.host.cpu.accounting import Account, CgroupAccount, CgroupMount, TreeAccount, open_account
from virtometer.host.owned.journal import Journal
from virtometer.processes import ProcessStat, kill_all, stat_of

BURN = "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"
CHILDREN = "import subprocess, sys\nfor _ in range(3): subprocess.run([sys.executable, '-c', {burn!r}])\n"
ORPHAN = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(600)
"""


DAEMON = """
import os, subprocess, time
first = os.fork()
if first == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sh", ["sh", "-c", "echo $$; exec sleep 600"], {})
    os._exit(0)
os.waitpid(first, 0)
time.sleep(600)
"""


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


@pytest.fixture(params=["best", "process-tree"])
def account(request: pytest.FixtureRequest, journal: Journal, new_id: Callable[[], str]) -> Iterator[Account]:
    """The account that this user gets here, and the one that every user gets."""
    guest_id = new_id()
    one = open_account(guest_id, journal) if request.param == "best" else TreeAccount(guest_id)
    yield one
    one.remove()
    assert one.processes() == []


def start(account: Account, script: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        ["python3", "-S", "-c", script], preexec_fn=account.enter, start_new_session=True, stdout=subprocess.PIPE
    )
    account.opened_for(process.pid)
    return process


def wait_without_reaping(process: subprocess.Popen[bytes]) -> None:
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def most_s(process: subprocess.Popen[bytes]) -> float:
    """Seconds that an account may show for an ended process: what the kernel accounted to the parent that reaps it.

    Starts of Python take longer on a busy host, so no bound is fixed. The kernel accounts in ticks of 10 ms at most.
    """
    before = os.times()
    process.communicate()
    after = os.times()
    used_s = after.children_user + after.children_system - before.children_user - before.children_system
    return 1.05 * used_s + 0.04


def test_the_time_of_a_process_is_counted(account: Account) -> None:
    process = start(account, BURN.format(seconds=0.5))
    wait_without_reaping(process)
    counted = account.cpu_ns()
    assert 0.45e9 <= counted <= 1e9 * most_s(process)


def test_the_time_of_ended_children_is_counted(account: Account) -> None:
    process = start(account, CHILDREN.format(burn=BURN.format(seconds=0.2)))
    wait_without_reaping(process)
    counted = account.cpu_ns()
    assert 0.55e9 <= counted <= 1e9 * most_s(process)


def test_it_never_decreases_and_a_sleeping_guest_costs_nothing(account: Account) -> None:
    process = start(account, "import time\nprint(flush=True)\ntime.sleep(600)")
    assert process.stdout is not None
    process.stdout.readline()
    readings = [account.cpu_ns()]
    for _ in range(20):
        time.sleep(0.01)
        readings.append(account.cpu_ns())
    process.kill()
    process.communicate()
    readings.append(account.cpu_ns())
    assert readings == sorted(readings)
    assert readings[-1] - readings[0] < 20e6


def test_remove_kills_what_is_left_even_stopped_and_detached(account: Account) -> None:
    process = start(account, ORPHAN)
    assert process.stdout is not None
    orphan = int(process.stdout.readline())
    process.send_signal(signal.SIGSTOP)
    assert process.pid in account.processes()
    account.remove()
    account.remove()
    process.communicate()
    one = stat_of(orphan)
    assert one is None or one.state in "ZX"


@pytest.mark.parametrize("root_ends", [False, True])
def test_a_daemon_without_the_mark_is_found(account: Account, root_ends: bool) -> None:
    """A session of its own, a parent that has ended and an empty environment: an ordinary user's only trace."""
    process = start(account, DAEMON)
    assert process.stdout is not None
    daemon = int(process.stdout.readline())
    assert daemon in account.processes()
    if root_ends:
        process.kill()
        process.wait()
    account.remove()
    process.communicate()
    one = stat_of(daemon)
    assert one is None or one.state in "ZX"


def test_after_its_root_is_reaped_a_tree_does_not_believe_the_pid(
    journal: Journal, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    account = TreeAccount(new_id())
    process = start(account, "")
    process.communicate()
    stranger = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        found = stat_of(stranger.pid)
        assert found is not None
        with monkeypatch.context() as patch:
            earlier = ProcessStat(stranger.pid, "S", 1, stranger.pid, 0, 0, found.start - 1)
            patch.setattr(accounting, "stat_of", lambda pid: earlier)
            account.opened_for(stranger.pid)
        assert account.processes() == []
        account.remove()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="making cgroups needs root here")
def test_root_gets_a_cgroup_which_is_written_down_first_and_removed(
    journal: Journal, new_id: Callable[[], str]
) -> None:
    guest_id = new_id()
    account = open_account(guest_id, journal)
    assert isinstance(account, CgroupAccount)
    assert account.directory.is_dir()
    assert str(account.directory) in [one["path"] for one in journal.resources(guest_id)]
    path = account.container_path()
    assert path.endswith(f"virtometer-{guest_id}/guest")
    hierarchies = accounting.all_cgroup_mounts()
    assert len(journal.resources(guest_id)) == len(hierarchies)
    account.remove()
    assert not account.directory.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="making cgroups needs root here")
def test_the_unified_hierarchy_counts_too(
    journal: Journal, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unified = [one for one in accounting.all_cgroup_mounts() if one.version == 2]
    if not unified:
        pytest.skip("no cgroup2 is mounted here")
    monkeypatch.setattr(accounting, "cgroup_mounts", lambda: unified)
    account = open_account(new_id(), journal)
    assert account.method == "cgroup-v2"
    process = start(account, CHILDREN.format(burn=BURN.format(seconds=0.1)))
    most = most_s(process)
    assert 0.25e9 <= account.cpu_ns() <= 1e9 * most
    account.remove()


def test_where_no_cgroup_can_be_made_the_tree_is_read(
    journal: Journal, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounting, "cgroup_mounts", list)
    assert open_account(new_id(), journal).method == "process-tree"


def test_the_mount_table_is_read_with_its_roots_and_controllers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = (
        "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
        "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "34 31 0:31 /box /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"
        "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,release_agent=/bin/x,name=systemd\n"
    )
    real = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda self, **how: table if str(self) == "/proc/self/mountinfo" else real(self, **how)
    )
    found = accounting.all_cgroup_mounts()
    assert [(one.version, str(one.path), one.root, one.controllers) for one in found] == [
        (1, "/sys/fs/cgroup/cpu,cpuacct", "/", ("cpu", "cpuacct")),
        (2, "/sys/fs/cgroup/unified", "/box", ()),
        (1, "/sys/fs/cgroup/systemd", "/", ("name=systemd",)),
    ]
    assert [str(one.path) for one in accounting.cgroup_mounts()] == [
        "/sys/fs/cgroup/cpu,cpuacct",
        "/sys/fs/cgroup/unified",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="making cgroups needs root here")
def test_a_launcher_may_enter_a_cgroup_of_every_hierarchy_and_none_is_left(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    guest_id = new_id()
    account = open_account(guest_id, lab.journal)
    assert isinstance(account, CgroupAccount)
    account.join_all()
    account.join_all()
    recorded = [one["path"] for one in lab.journal.resources(guest_id)]
    assert len(recorded) == len(set(recorded)) == len(accounting.all_cgroup_mounts())
    process = subprocess.Popen(["sleep", "60"], preexec_fn=account.enter)
    inside = Path(f"/proc/{process.pid}/cgroup").read_text().splitlines()
    assert all(f"/virtometer-{guest_id}" in line for line in inside), inside
    account.remove()
    process.wait()
    assert not any(Path(path).exists() for path in recorded)
    lab.journal.forget(guest_id)


@pytest.mark.skipif(os.geteuid() != 0, reason="making cgroups needs root here")
def test_a_controller_that_no_hierarchy_has_is_named(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest_id = new_id()
    account = open_account(guest_id, lab.journal)
    assert isinstance(account, CgroupAccount)
    try:
        with pytest.raises(EnvironmentFailed, match="no controller gravity"):
            account.join("gravity")
    finally:
        account.remove()
        lab.journal.forget(guest_id)


@pytest.mark.parametrize(
    ("v1", "found"), [(["name=systemd"], []), (["cpu", "cpuacct"], ["/sys/fs/cgroup/unified"]), ([], [])]
)
def test_a_cgroup2_is_bare_beside_controllers_of_v1(
    monkeypatch: pytest.MonkeyPatch, v1: list[str], found: list[str]
) -> None:
    mounts = [accounting.CgroupMount(2, Path("/sys/fs/cgroup/unified"), "/", ())]
    mounts += [accounting.CgroupMount(1, Path("/sys/fs/cgroup/one"), "/", tuple(v1))] if v1 else []
    monkeypatch.setattr(accounting, "all_cgroup_mounts", lambda: mounts)
    assert [str(path) for path in accounting.bare_unified()] == found


@pytest.mark.skipif(os.geteuid() != 0 or not accounting.cgroup_mounts(), reason="cgroups and root are needed")
def test_what_enters_a_cgroup_while_it_is_removed_is_killed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    directory = accounting.cgroup_mounts()[0].path / f"virtometer-late-{os.getpid()}"
    directory.mkdir()
    late: list[subprocess.Popen[bytes]] = []

    def kill_and_enter(processes: Callable[[], list[int]]) -> None:
        kill_all(processes)
        if not late:
            late.append(subprocess.Popen(["sleep", "60"]))
            (directory / "cgroup.procs").write_text(str(late[0].pid))

    monkeypatch.setattr(accounting, "kill_all", kill_and_enter)
    try:
        accounting.remove_cgroup(directory)
        assert not directory.exists()
        assert late[0].wait(10) == -signal.SIGKILL
    finally:
        for process in late:
            process.kill()
            process.wait()
        if directory.exists():
            directory.rmdir()


@pytest.mark.parametrize("inside", ["session", "session/virtometer-lab-12/launcher"])
def test_guests_of_a_laboratory_that_is_in_a_group_lie_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    monkeypatch.setattr(CgroupMount, "cgroup_of", lambda mount, pid: mount.path / inside)
    assert CgroupMount(2, tmp_path, "/", ()).places() == [tmp_path, tmp_path / "session"]
