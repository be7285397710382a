from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import virtometer
from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import LabContext
from virtometer.environments.kinds import bubblewrap
from virtometer.environments.kinds.bubblewrap import Bubblewrap, BubblewrapSettings
from virtometer.environments.parts.process_guest import ProcessGuest

NOBODY = 65534


@pytest.fixture
def sandbox(lab: LabContext) -> Bubblewrap:
    one = Bubblewrap(lab)
    check = one.check()
    if not check.works:
        pytest.skip(f"bubblewrap does not work here: {check.reason} ({check.advice})")
    return one


def test_the_sandbox_holds_nothing_but_the_agent(sandbox: Bubblewrap, new_id: Callable[[], str]) -> None:
    guest = sandbox.start(BubblewrapSettings(), new_id())
    assert isinstance(guest, ProcessGuest)
    talk = Talk(guest)
    talk.greet()
    assert talk.session.request("facts", {}, ANSWER_S)["pid"] == 2  # 1 is bwrap's own, which reaps
    inside = max(guest.account.processes())
    names = {path.name for path in Path(f"/proc/{inside}/root").iterdir()}
    assert names == {"virtometer-agent", "proc", "sys", "dev", "tmp", "data", "etc", "run", "usr"}
    guest.stop()


def test_only_the_disk_files_directory_can_be_written(
    lab: LabContext, sandbox: Bubblewrap, new_id: Callable[[], str], tmp_path: Path
) -> None:
    directory = tmp_path / "disk"
    directory.mkdir()
    (directory / "disk.img").touch()
    one = Bubblewrap(dataclasses.replace(lab, disk_file=directory / "disk.img"))
    guest = one.start(BubblewrapSettings(), new_id())
    assert isinstance(guest, ProcessGuest)
    assert guest.disk is not None
    assert guest.disk.path == "/data/disk.img"
    assert guest.disk.conditions == {"host_cache": "no", "disk_path": "file"}
    Talk(guest).greet()
    mounts = Path(f"/proc/{max(guest.account.processes())}/mountinfo").read_text().splitlines()
    options = {line.split()[4]: line.split()[5].split(",") for line in mounts}
    assert "ro" in options["/"]
    assert "rw" in options["/data"]
    guest.stop()


def test_the_advice_names_the_switch_that_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    real_exists, real_read = Path.exists, Path.read_text
    switch = Path("/proc/sys/user/max_user_namespaces")
    monkeypatch.setattr(Path, "exists", lambda self: self == switch or real_exists(self))
    monkeypatch.setattr(Path, "read_text", lambda self, *a: "0\n" if self == switch else real_read(self, *a))
    assert bubblewrap.user_namespace_advice() == "as root: sysctl user.max_user_namespaces=15000"


def test_without_bwrap_the_check_names_the_package(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    real = lab.programs.find
    monkeypatch.setattr(lab.programs, "find", lambda name, package: real(f"no-such-{name}", package))
    check = Bubblewrap(lab).check()
    assert not check.works
    assert check.advice == "install the Debian package bubblewrap"


ORDINARY = """
import sys, time
from pathlib import Path
from virtometer.environments.base import LabContext
from virtometer.host.owned.journal import Journal
from virtometer.host.network.lan import Lan
from virtometer.environments.registry import KINDS
from virtometer.link.channel import Channel
from virtometer.link.session import Session
from virtometer.programs import Programs
here, programs = Path(sys.argv[1]), Programs()
journal = Journal(here / "state")
for name in ("cache", "scratch"): (here / name).mkdir()
lab = LabContext(here / "agent", here / "cache", here / "scratch", None, journal, programs, Lan(journal, programs))
for kind in ("runc", "gvisor"):
    check = KINDS[kind](lab).check()
    assert not check.works and "root" in check.reason and check.advice == "run as root", check
for kind in ("native", "bubblewrap"):
    environment = KINDS[kind](lab)
    check = environment.check()
    if kind == "bubblewrap" and not check.works:
        assert check.advice, check
        print("no user namespaces:", check.reason)
        continue
    assert check.works, check
    guest = environment.start(environment.settings_type(), "g")
    Session(Channel(guest.stream), kind).greet(30)
    assert guest.effective["cpu_accounting"] == "process-tree"
    assert guest.cpu_ns() > 0
    guest.stop()
    assert guest.account.processes() == []
    assert not list((here / "scratch").iterdir()) and not list(journal.directory.iterdir())
"""


@pytest.fixture
def home_of_nobody(agent: Path) -> Iterator[Path]:
    """A directory of the user nobody, with the agent in it."""
    directory = Path(tempfile.mkdtemp(prefix="virtometer-nobody-"))
    shutil.copyfile(agent, directory / "agent")
    (directory / "agent").chmod(0o755)
    shutil.chown(directory, NOBODY, NOBODY)
    yield directory
    shutil.rmtree(directory)


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_an_ordinary_user_has_native_and_bubblewrap_and_is_told_about_the_rest(home_of_nobody: Path) -> None:
    source = Path(virtometer.__file__).parents[1]
    packages = [path for path in sys.path if path.endswith("site-packages")]
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", "-i"]
    become += ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", f"PYTHONPATH={':'.join([str(source), *packages])}"]
    for python in (sys.executable, f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"):
        if subprocess.run([*become, python, "-c", "import pydantic, virtometer"], capture_output=True).returncode == 0:
            break
    else:
        pytest.skip("the user nobody can run no Python that has the laboratory's packages")
    done = subprocess.run([*become, python, "-c", ORDINARY, home_of_nobody], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
